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
    empty_scan : the scan, with values that occupy no memory
    obstacles : why each step cannot be done, by kind; None if it can
    fault : error of the first step in use that failed; None if none failed
    needs_axis_search : True if the rotation axis must still be found in the values
    before : source and detector before each step; None if it is not done
    """

    empty_scan: Projections
    obstacles: dict[str, str | None]
    fault: EngineError | None
    needs_axis_search: bool
    before: tuple[XrayGeometry | None, ...] = ()


def without_values(data: Projections) -> Projections:
    """Return a scan without its values.

    Parameters
    ----------
    data
        scan with its geometry and facts

    Returns
    -------
    without_values
        arrays of the same shapes that occupy no memory; facts of reading are removed
    """
    return replace(
        data,
        values=no_values(data.shape),
        flats=None if data.flats is None else no_values(data.flats.shape),
        darks=None if data.darks is None else no_values(data.darks.shape),
        # Facts of earlier steps would make the next dry run believe that they ran.
        info={},
    )


def dry_run(
    empty_scan: Projections, steps: Sequence[PreprocessStep], axis: float | None = None
) -> DryRun:
    """Apply the steps to the geometry of a scan.

    Parameters
    ----------
    empty_scan
        scan without its values
    steps
        steps in the order in which they run
    axis
        column of the axis if an earlier run has found it; None if it is unknown
    """
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
        # A search needs the values; without them, the known axis or the geometry must do.
        if step.seeks:
            is_sought = axis is None
            step = step.with_found(axis)
        # Continue after an error, so that the window shows the obstacles of all steps.
        try:
            empty_scan = step.dry_run(empty_scan)
        except EngineError as e:
            found[step.kind], fault = str(e), fault or e
    return DryRun(empty_scan, found, fault, is_sought, tuple(before))
