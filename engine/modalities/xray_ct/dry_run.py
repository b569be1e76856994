"""Apply preprocessing to the geometry of a scan without its projections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.core.errors import EngineError
from engine.corrections.preprocess import PreprocessStep
from engine.corrections.preprocess.base import no_values
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry


@dataclass(frozen=True, eq=False)
class DryRun:
    """Geometry of a scan after its steps.

    Attributes
    ----------
    empty_scan : the scan, with values that take no memory
    obstacles : why each of the steps cannot be done, by kind; None where it can
    fault : fault of the first step that is in use and failed; None: none failed
    axis_is_sought : True if the axis of rotation is yet to be found in the values
    before : source and detector before each of the steps; None where it is not done
    """

    empty_scan: Projections
    obstacles: dict[str, str | None]
    fault: EngineError | None
    axis_is_sought: bool
    before: tuple[XrayGeometry | None, ...] = ()


def without_values(data: Projections) -> Projections:
    """Return a scan without its values."""
    return replace(
        data,
        values=no_values(data.shape),
        flats=None if data.flats is None else no_values(data.flats.shape),
        darks=None if data.darks is None else no_values(data.darks.shape),
        info={},
    )


def dry_run(
    empty_scan: Projections, steps: Sequence[PreprocessStep], axis: float | None = None
) -> DryRun:
    """Go through the steps; `axis` is the column at which one of them finds the axis, if known."""
    found: dict[str, str | None] = {}
    fault: EngineError | None = None
    is_sought = False
    before: list[XrayGeometry | None] = []
    for step in steps:
        found[step.kind] = obstacle = step.obstacle(empty_scan)
        is_done = obstacle is None and step.use != "off"
        before.append(empty_scan.geometry if is_done else None)
        if not is_done:
            continue
        if step.seeks:
            is_sought = axis is None
            step = step.with_found(axis)
        try:
            empty_scan = step.dry_run(empty_scan)
        except EngineError as e:
            found[step.kind], fault = str(e), fault or e
    return DryRun(empty_scan, found, fault, is_sought, tuple(before))
