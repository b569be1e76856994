"""`isocenter resolution`: measure the resolution of a ring scanner with point sources."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.data.runs.events import StageStarted


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter resolution`.

    The sources can be in one scan, at least 25 mm apart, or in several scans of one scanner.
    """
    p = add_verb(verbs, "resolution")
    p.add_argument(
        "scans", type=Path, nargs="+", metavar="SCAN", help="scans of point sources in air"
    )
    add_output(
        p, "table of widths, for --point-spread", metavar="OUT.txt", default="resolution.txt"
    )
    p.add_argument(
        "--diameter-mm",
        type=float,
        default=0.0,
        metavar="MM",
        help="diameter of the sources; their own width is subtracted (default: 0)",
    )
    p.add_argument(
        "--scanner",
        metavar="S",
        help="scanner, if the scans do not state it (default: that of the scans)",
    )
    add_force(p)
    p.set_defaults(act=_measure)


def _measure(arguments: argparse.Namespace, console: Console) -> None:
    # Imported here: the search needs Numba kernels, and the help does not
    from engine.core.backend import cpu
    from engine.tools.resolution import ReadingSources, ResolutionRequest, measure_resolution

    if arguments.output.suffix.lower() not in (".txt", ".csv", ".tsv"):
        raise SettingsError(
            f"{arguments.output.name}: the name of a table of widths must end with .txt."
        )

    def tell(event: object) -> None:
        if isinstance(event, ReadingSources):
            console.show(StageStarted("measure", f"Measuring the sources in {event.name}"))

    request = ResolutionRequest(
        tuple(arguments.scans), arguments.scanner, diameter_mm=arguments.diameter_mm
    )
    made = measure_resolution(request, on=cpu(), tell=tell)
    console.close()
    made.write(arguments.output)
    for source in made.sources:
        console.line(f"  {source.describe()}")
    for note in made.notes:
        console.note(f"{note}")
    console.line(f"Resolution: {arguments.output} ({made.spread.describe()})")
