"""`isocenter live reconstruct`: reconstruct slices during a scan."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from engine.cli.console import Console
from engine.cli.device import add_device
from engine.cli.live.source import add_geometry, add_source, has_events
from engine.cli.outputs import Output, add_force, add_inputs, add_output, add_threads
from engine.cli.parser import needs
from engine.cli.verbs import Verbs
from engine.corrections import CORRECTIONS
from engine.corrections.base import inputs_of
from engine.io.safety.outputs import files_written
from engine.io.volumes.slices import slice_files

SCAN_HELP = (
    "record the scan: .h5, or .nxs for parallel beams; not with --mode sliding "
    "(default: not recorded)"
)
AXIS_HELP = "after the scan, find the axis of rotation and reconstruct the slices with it"
VOLUME_HELP = (
    "after the scan, reconstruct the recorded scan like a normal run; needs --scan (default: none)"
)


def images_written(path: Path, arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield the output files of the verb, for the check before the scan.

    Parameters
    ----------
    path
        path of `-o`
    arguments
        parsed options; the source decides between slices and a PET image

    Yields
    ------
    file
        files of the three slices or of the PET image, with companion files
    """
    for file in (path,) if has_events(arguments) else slice_files(path):
        yield from files_written(file)


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter live reconstruct`.

    CT and PET share the verb, since the source decides which one it is. Options of the other kind
    are refused later.
    """
    p = verbs.add_parser("reconstruct", help="reconstruct slices or a PET image during a scan")
    add_source(p)
    text = "output: slices OUT-axial, OUT-coronal and OUT-sagittal, or the PET image OUT"
    add_output(p, text, default="live.nii.gz", written=images_written)
    p.add_argument(
        "--protocol",
        metavar="P",
        help="protocol name (see `isocenter protocols`) or file (default: the standard "
        "protocol of the scan)",
    )
    p.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="assignments",
        help="change a setting of the protocol, such as steps.centre.column=511.5",
    )  # fmt: skip
    add_geometry(p, "sent by the source")
    p.add_argument(
        "--mode", choices=("growing", "sliding"), default="growing",
        help="use all data so far, or only the newest (default: %(default)s)",
    )  # fmt: skip
    p.add_argument(
        "--turn", choices=("half", "full"), default="full",
        help="with --mode sliding: rotation in each image (default: %(default)s)",
    )  # fmt: skip
    p.add_argument(
        "--weights", choices=("auto", "even", "shared"), default="auto",
        help="weight of rays measured twice: equal, shared, or chosen automatically (auto)",
    )  # fmt: skip
    p.add_argument("--find-axis", action="store_true", help=AXIS_HELP)
    p.add_argument("--scan", type=Path, action=Output, metavar="OUT.h5", help=SCAN_HELP)
    p.add_argument("--volume", type=Path, action=Output, metavar="OUT", help=VOLUME_HELP)
    p.add_argument(
        "--newest",
        type=float,
        metavar="S",
        help="with --mode sliding: seconds in each PET image, 1 to 60 (default: 10)",
    )
    # The same auxiliary files as for a stored scan, such as a μ-map and a normalisation
    add_inputs(p, inputs_of(CORRECTIONS), "PET: ")
    add_device(p, default="cpu")
    add_threads(p)
    p.add_argument("--json", action="store_true", help="print each event as a JSON line")
    add_force(p)
    needs(p, "--turn", "--mode sliding")
    needs(p, "--newest", "--mode sliding")
    p.set_defaults(act=_reconstruct)


def _reconstruct(arguments: argparse.Namespace, console: Console) -> None:
    # Imported late: CT needs no PET corrections, and PET no X-ray kernels
    if has_events(arguments):
        from engine.cli.live.pet import reconstruct
    else:
        from engine.cli.live.following import reconstruct

    reconstruct(arguments, console)
