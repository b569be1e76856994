"""The verbs of the command line: their words, and the file that knows their options.

A command imports the file of its own verb alone, so that it need not wait for what others want.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Verbs of the command line, to which each file adds its own."""


@dataclass(frozen=True)
class Verb:
    """A verb.

    Attributes
    ----------
    file : module of `engine.cli` whose `add_verbs` adds it
    text : what it does
    """

    file: str
    text: str


VERBS = {
    "reconstruct": Verb("reconstruct", "reconstruct a scan or a study file"),
    "resume": Verb("reconstruct", "go on with an interrupted reconstruction"),
    "demo": Verb("reconstruct", "simulate a small scan and reconstruct it"),
    "live": Verb("live.verb", "follow a scan while it is measured, or play one"),
    "queue": Verb("queue", "let studies wait for their turn, and work through them"),
    "results": Verb("results", "list the images that were kept, pin or delete them"),
    "studies": Verb("studies", "list all studies: whose, how they stand, what is to be done"),
    "report": Verb("report", "write a report of a result, and sign it off"),
    "inspect": Verb("inspect", "say what files are and what is wrong with them"),
    "import": Verb(
        "import_scan", "describe projections that do not describe themselves (TIFF folders, raw)"
    ),
    "protocols": Verb("protocols", "list the protocols that come with the program"),
    "simulate": Verb("simulate.verb", "simulate a scan of a known phantom"),
    "response": Verb("simulate.response", "make the response matrix of a dual-head scanner"),
    "sinogram": Verb("measure.sinogram", "count events of a ring in sinograms, or the way back"),
    "export": Verb("volumes", "write a volume in another format"),
    "convert": Verb("volumes", "write a scan as Isocenter list mode or histogram (.h5)"),
    "dicom": Verb("dicom.verb", "write DICOM series, and send them to a node"),
    "mu-map": Verb("measure.mu_map", "make a map of attenuation at 511 keV of a CT or an MR"),
    "register": Verb("measure.register", "put a μ-map or CT where the emission scan saw the body"),
    "calibrate": Verb(
        "measure.calibrate", "measure the calibration to Bq/mL from a cylinder of known activity"
    ),
    "suv": Verb("measure.suv", "turn activity concentration into uptake values (SUV)"),
    "normalise": Verb("measure.normalise", "measure a normalisation with a known source"),
    "quality": Verb("measure.quality", "measure the image of a phantom: figures with errors"),
    "regions": Verb(
        "measure.regions", "measure regions in an image: a table, labels for other programs"
    ),
    "curve": Verb("measure.curve", "measure a ball in every frame of a scan, over time"),
    "storage": Verb(
        "machine.storage", "list jobs, results and caches with their sizes; remove jobs and caches"
    ),
    "bench": Verb("machine.bench", "measure the speed of this machine"),
    "tune": Verb("machine.tune", "find the fastest kernels on this machine, and keep them"),
    "gpu-check": Verb(
        "machine.gpu_check", "test and measure a graphics card, into one file to send"
    ),
    "doctor": Verb("machine.doctor", "check this installation"),
    "verify-log": Verb("machine.verify_log", "check that no line of the audit log was changed"),
}
"""In the order of the help."""


def add_verb(verbs: Verbs, name: str) -> argparse.ArgumentParser:
    """Add a verb with the words of the table."""
    return verbs.add_parser(name, help=VERBS[name].text)


def add_options(verbs: Verbs, name: str | None) -> None:
    """Add a verb with its options, and those its file knows besides; all verbs if None."""
    files = [VERBS[name].file] if name else dict.fromkeys(verb.file for verb in VERBS.values())
    for file in files:
        import_module(f"engine.cli.{file}").add_verbs(verbs)
