"""`isocenter live reconstruct`: slices of a running scan, without a window."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from engine.cli.console import Console
from engine.cli.live.source import add_source, has_events
from engine.cli.machine.device import add_device
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs
from engine.corrections import CORRECTIONS
from engine.corrections.base import inputs_of
from engine.io.safety.outputs import files_written
from engine.io.volumes.slices import slice_files

SCAN_HELP = "keep the scan as it came, where it grows: .h5, or .nxs of parallel beams"
AXIS_HELP = "when the scan has ended, look for the axis of rotation and make the slices with it"
VOLUME_HELP = "at the end, reconstruct the kept scan as an ordinary run does; wants --scan"


def images_written(path: Path, arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield the files of the three slices or of the PET image, and those beside them."""
    for file in (path,) if has_events(arguments) else slice_files(path):
        yield from files_written(file)


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = verbs.add_parser("reconstruct", help="slices of a scan while it is measured")
    add_source(p)
    p.add_argument(
        "-o", "--output", type=Path, action=Output, written=images_written, required=True,
        metavar="OUT",
        help="at the end, the slices OUT-axial, OUT-coronal and OUT-sagittal, or the PET image OUT",
    )  # fmt: skip
    p.add_argument("--protocol", metavar="P", help="protocol name (isocenter protocols) or P.toml")
    p.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="assignments",
        help="change the protocol, for example steps.centre.column=511.5",
    )  # fmt: skip
    p.add_argument(
        "--geometry", type=Path, metavar="SCAN", help="a scan whose geometry this one has"
    )
    p.add_argument("--mode", choices=("growing", "sliding"), default="growing")
    p.add_argument("--turn", choices=("half", "full"), default="full", help="of sliding views")
    p.add_argument("--weights", choices=("auto", "even", "shared"), default="auto")
    p.add_argument("--find-axis", action="store_true", help=AXIS_HELP)
    p.add_argument("--scan", type=Path, action=Output, metavar="OUT.h5", help=SCAN_HELP)
    p.add_argument("--volume", type=Path, action=Output, metavar="OUT", help=VOLUME_HELP)
    p.add_argument(
        "--newest", type=float, metavar="S", help="seconds of a sliding PET image, 1 to 60; 10"
    )
    for role in inputs_of(CORRECTIONS):
        option, where = f"--{role.key}", f"input_{role.key}"
        p.add_argument(option, dest=where, type=Path, metavar="FILE", help=f"PET: {role.text}")
    add_device(p, default="cpu")
    p.add_argument("--threads", type=int, metavar="N", help="CPU threads (all cores if left out)")
    p.add_argument("--json", action="store_true", help="one line of JSON for each event")
    add_force(p)
    p.set_defaults(act=_reconstruct)


def _reconstruct(arguments: argparse.Namespace, console: Console) -> None:
    if has_events(arguments):
        from engine.cli.live.pet import reconstruct
    else:
        from engine.cli.live.following import reconstruct

    reconstruct(arguments, console)
