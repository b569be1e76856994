"""`isocenter normalise`: measure what makes lines of a ring count more or less than others."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.data.runs.events import Progressed, StageStarted

if TYPE_CHECKING:
    from engine.tools.normalisation_scan.fixed_point import MeasuredComponents
    from engine.tools.normalisation_scan.source import CylinderSource


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "normalise")
    p.add_argument("scans", type=Path, nargs="+", metavar="SCAN", help="of the same source")
    p.add_argument("-o", "--output", type=Path, action=Output, required=True, metavar="OUT.h5")
    p.add_argument(
        "--source",
        choices=("cylinder", "rotating"),
        required=True,
        help="a cylinder of even activity, or a line that turns round the axis",
    )
    p.add_argument("--radius-mm", type=float, required=True, help="of the cylinder or of the turn")
    p.add_argument("--width-mm", type=float, help="of the rotating line")
    p.add_argument("--length-mm", type=float, help="left out: longer than the scanner")
    p.add_argument(
        "--centre-mm", type=float, nargs=3, default=(0, 0, 0), metavar=("X", "Y", "Z"),
        help="middle of the cylinder",
    )  # fmt: skip
    p.add_argument(
        "--mu-per-mm", type=float, default=None, help="attenuation of the cylinder; water: 0.0096"
    )
    p.add_argument("--no-interference", action="store_true", help="do not tell neighbours apart")
    p.add_argument("--scanner", metavar="S", help="where the scans do not say which")
    add_force(p)
    p.set_defaults(act=_normalise)


def _normalise(arguments: argparse.Namespace, console: Console) -> None:
    from engine.core.backend import cpu
    from engine.tools.normalisation_scan import (
        Counted,
        NormalisationRequest,
        ReadingScan,
        Stepped,
        measure,
    )
    from engine.tools.normalisation_scan.fixed_point import MOST_STEPS

    def tell(event: object) -> None:
        match event:
            case ReadingScan():
                console.show(StageStarted("count", f"Counting the events of {event.name}"))
            case Counted():
                console.show(Progressed("count", event.done, event.total))
            case Stepped(done=1):
                console.show(StageStarted("fit", "Looking for the likeliest components"))
            case Stepped():
                console.show(Progressed("fit", event.done, MOST_STEPS))

    request = NormalisationRequest(
        tuple(arguments.scans),
        _source(arguments),
        scanner=arguments.scanner,
        interference=not arguments.no_interference,
    )
    made = measure(request, on=cpu(), tell=tell)
    console.close()
    made.write(arguments.output)
    _say(made.found, console)
    for remark in made.remarks:
        console.line(f"note: {remark}")
    console.line(f"Normalisation: {arguments.output}")


def _source(arguments: argparse.Namespace) -> CylinderSource:
    from engine.tools.normalisation_scan.source import ENDLESS_MM, CylinderSource

    length_mm = ENDLESS_MM if arguments.length_mm is None else arguments.length_mm
    if arguments.source == "cylinder":
        if arguments.width_mm is not None:
            raise SettingsError("--width-mm is of a rotating line; leave it out for a cylinder.")
        centre, mu = tuple(arguments.centre_mm), arguments.mu_per_mm or 0.0
        return CylinderSource(arguments.radius_mm, 0.0, length_mm, centre, mu)
    if arguments.width_mm is None or arguments.mu_per_mm is not None or any(arguments.centre_mm):
        raise SettingsError(
            "a rotating line wants --width-mm, and neither --centre-mm nor --mu-per-mm: it turns "
            "round the axis in air."
        )
    return CylinderSource.rotating_line(arguments.radius_mm, arguments.width_mm, length_mm)


def _say(found: MeasuredComponents, console: Console) -> None:
    """Print what was found and how well it is known."""
    import numpy as np

    console.line(f"{found.counts:,.0f} counts, {found.steps} steps")
    errors = found.errors
    for name, values in (
        ("crystals", errors.crystals),
        ("geometry", errors.geometry),
        ("interference", errors.interference),
    ):
        if values is not None and np.isfinite(values).any():
            median, most = 100 * np.nanmedian(values), 100 * np.nanmax(values)
            known = int(np.isfinite(values).sum())
            console.line(
                f"{name}: {known:,} of {values.size:,} measured, standard error {median:.2f} %, "
                f"at most {most:.2f} %"
            )
    console.line(found.components.describe())
