"""Table of all verbs: the module with their options, and their help text.

A command imports only the module of its own verb, so that it starts fast.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Subparsers to which each module adds its verbs."""


@dataclass(frozen=True)
class Verb:
    """A verb of the command line.

    Attributes
    ----------
    file : module in `engine.cli` with the `add_verbs` function
    text : help text
    """

    file: str
    text: str


VERBS = {
    "reconstruct": Verb("reconstruct", "reconstruct a scan or a study file"),
    "resume": Verb("reconstruct", "continue an interrupted reconstruction"),
    "demo": Verb("reconstruct", "simulate a small scan and reconstruct it"),
    "live": Verb("live.verb", "reconstruct or watch a scan during acquisition, or replay one"),
    "queue": Verb("queue", "manage and run a queue of studies"),
    "results": Verb("results", "list, pin or delete stored images"),
    "studies": Verb("studies", "list all studies with patient, state and next step"),
    "report": Verb("report", "write a report of a result, and sign the result"),
    "inspect": Verb("inspect", "describe files and their problems"),
    "import": Verb("import_scan", "write the text file that describes a TIFF folder or a raw file"),
    "protocols": Verb("protocols", "list all protocols, or show the settings of one"),
    "settings": Verb("listings", "list all settings of protocols with defaults and bounds"),
    "scanners": Verb("listings", "list the built-in scanners"),
    "phantoms": Verb("listings", "list the phantoms of `isocenter simulate`"),
    "simulate": Verb("simulate.verb", "simulate a scan of a known phantom"),
    "response": Verb(
        "simulate.response", "compute or import the response matrix of a dual-head scanner"
    ),
    "sinogram": Verb(
        "measure.sinogram",
        "sort events of a ring scanner into sinograms, or convert sinograms to events",
    ),
    "export": Verb("volumes", "convert a volume to another format"),
    "convert": Verb("volumes", "convert a scan to Isocenter list mode or a histogram (.h5)"),
    "dicom": Verb("dicom.verb", "write DICOM series, send them, and query a worklist"),
    "mu-map": Verb("measure.mu_map", "convert a CT or MR classes to a μ-map at 511 keV"),
    "register": Verb("measure.register", "align a μ-map or CT with the emission image"),
    "calibrate": Verb(
        "measure.calibrate",
        "measure the calibration factor to Bq/mL with a cylinder of known activity",
    ),
    "suv": Verb("measure.suv", "convert activity concentration to SUV"),
    "normalise": Verb("measure.normalise", "create a normalisation from scans of a known source"),
    "resolution": Verb(
        "measure.resolution", "measure the resolution of a ring scanner with point sources"
    ),
    "quality": Verb("measure.quality", "measure image quality with a phantom"),
    "regions": Verb(
        "measure.regions", "measure regions in an image; export them as labels or DICOM"
    ),
    "curve": Verb("measure.curve", "measure the time curve of a sphere in a dynamic scan"),
    "storage": Verb(
        "machine.storage", "list jobs, results and caches with sizes; remove jobs and caches"
    ),
    "uninstall": Verb(
        "machine.uninstall", "remove caches, and name the folders with your data that stay"
    ),
    "bench": Verb("machine.bench", "measure the speed of this machine"),
    "tune": Verb("machine.tune", "find and store the fastest kernel variants for this machine"),
    "gpu-check": Verb(
        "machine.gpu_check", "test and benchmark a GPU, and write the results to one file"
    ),
    "doctor": Verb("machine.doctor", "check this installation"),
    "verify-log": Verb("machine.verify_log", "check that the audit log is unchanged"),
    "verify": Verb("verify", "verify the signatures of results, reports and logs"),
    "completion": Verb("completion", "print a script that completes verbs and options with Tab"),
    "key": Verb("verify", "show the public key that signs, or set its passphrase"),
}
"""All verbs, in the order of the help."""


def add_verb(verbs: Verbs, name: str) -> argparse.ArgumentParser:
    """Add a verb with its help text.

    Parameters
    ----------
    verbs
        subparsers of `isocenter`
    name
        key of `VERBS`

    Returns
    -------
    parser
        parser of the verb, still without options
    """
    text = VERBS[name].text
    return verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")


def add_options(verbs: Verbs, name: str | None) -> None:
    """Add verbs with their options.

    Parameters
    ----------
    verbs
        subparsers of `isocenter`
    name
        verb to add, together with the others of its module; None for all verbs
    """
    # Several verbs share a module, which adds all of them at once
    files = [VERBS[name].file] if name else dict.fromkeys(verb.file for verb in VERBS.values())
    for file in files:
        import_module(f"engine.cli.{file}").add_verbs(verbs)
