"""`isocenter normalise`: create a normalisation from scans of a known source."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.data.runs.events import Progressed, StageStarted

if TYPE_CHECKING:
    from engine.tools.normalisation_scan.fixed_point import MeasuredComponents
    from engine.tools.normalisation_scan.source import CylinderSource


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter normalise`.

    Several scans of one source add up, which reduces the standard error of the components.
    """
    p = add_verb(verbs, "normalise")
    p.add_argument("scans", type=Path, nargs="+", metavar="SCAN", help="scans of the same source")
    add_output(p, "normalisation file", metavar="OUT.h5", default="normalisation.h5")
    p.add_argument(
        "--source",
        choices=("cylinder", "rotating"),
        required=True,
        help="uniform cylinder, or a line that rotates around the axis",
    )
    p.add_argument(
        "--radius-mm", type=float, required=True, metavar="MM",
        help="radius of the cylinder, or of the path of the line",
    )  # fmt: skip
    p.add_argument(
        "--width-mm",
        type=float,
        metavar="MM",
        help="thickness of the rotating line (default: none)",
    )
    p.add_argument(
        "--length-mm", type=float, metavar="MM",
        help="length of the source (default: longer than the scanner)",
    )  # fmt: skip
    p.add_argument(
        "--centre-mm", type=float, nargs=3, default=(0, 0, 0), metavar=("X", "Y", "Z"),
        help="centre of the cylinder (default: centre of the scanner)",
    )  # fmt: skip
    p.add_argument(
        "--mu-per-mm",
        type=float,
        default=None,
        metavar="MU",
        help="attenuation of the cylinder in 1/mm; 0.0096 for water (default: none)",
    )
    p.add_argument(
        "--no-interference", action="store_true",
        help="do not separate the positions in a block; for few counts",
    )  # fmt: skip
    p.add_argument(
        "--scanner",
        metavar="S",
        help="scanner, if the scans do not state it (default: that of the scans)",
    )
    add_force(p)
    p.set_defaults(act=_normalise)


def _normalise(arguments: argparse.Namespace, console: Console) -> None:
    # Imported here: the components need Numba kernels, and the help does not
    from engine.core.backend import cpu
    from engine.tools.normalisation_scan import (
        Counted,
        NormalisationRequest,
        ReadingScan,
        Stepped,
        measure,
    )
    from engine.tools.normalisation_scan.convergence import MAX_STEPS

    def tell(event: object) -> None:
        match event:
            case ReadingScan():
                console.show(StageStarted("count", f"Counting the events of {event.name}"))
            case Counted():
                console.show(Progressed("count", event.done, event.total))
            # No event marks the start of the fit, so its first step does
            case Stepped(done=1):
                console.show(StageStarted("fit", "Estimating the components (maximum likelihood)"))
            case Stepped():
                console.show(Progressed("fit", event.done, MAX_STEPS))

    request = NormalisationRequest(
        tuple(arguments.scans),
        _source(arguments),
        scanner=arguments.scanner,
        interference=not arguments.no_interference,
    )
    made = measure(request, on=cpu(), tell=tell)
    console.close()
    made.write(arguments.output)
    _show(made.found, console)
    for note in made.notes:
        console.note(f"{note}")
    console.line(f"Normalisation: {arguments.output}")


def _source(arguments: argparse.Namespace) -> CylinderSource:
    from engine.tools.normalisation_scan.source import ENDLESS_MM, CylinderSource

    length_mm = ENDLESS_MM if arguments.length_mm is None else arguments.length_mm
    if arguments.source == "cylinder":
        if arguments.width_mm is not None:
            raise SettingsError(
                "--width-mm is for a rotating line source. Remove it for a cylinder."
            )
        centre, mu = tuple(arguments.centre_mm), arguments.mu_per_mm or 0.0
        return CylinderSource(arguments.radius_mm, 0.0, length_mm, centre, mu)
    # A rotating line is centred on the axis by definition, and has no attenuating fill
    if arguments.width_mm is None or arguments.mu_per_mm is not None or any(arguments.centre_mm):
        raise SettingsError(
            "A rotating line source needs --width-mm, but not --centre-mm or --mu-per-mm, because "
            "it rotates around the axis in air."
        )
    return CylinderSource.rotating_line(arguments.radius_mm, arguments.width_mm, length_mm)


def _show(found: MeasuredComponents, console: Console) -> None:
    """Print the components and their standard errors."""
    import numpy as np

    console.line(f"{found.counts:,.0f} counts, {found.steps} steps")
    errors = found.errors
    for name, values in (
        ("crystals", errors.crystals),
        ("geometry", errors.geometry),
        ("interference", errors.interference),
    ):
        # Components of dead crystals are NaN, and a scanner may have none of a kind
        if values is not None and np.isfinite(values).any():
            median, most = 100 * np.nanmedian(values), 100 * np.nanmax(values)
            known = int(np.isfinite(values).sum())
            console.line(
                f"{name}: {known:,} of {values.size:,} measured, standard error {median:.2f} %, "
                f"at most {most:.2f} %"
            )
    console.line(found.components.describe())
