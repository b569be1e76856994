"""A scan of projections without its pictures: what steps of preprocessing make of its geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.backend import cpu
from engine.data.projections import Kind, Projections
from engine.errors import EngineError
from engine.preprocess import Binning, CentreOfRotation, PreprocessStep

ON_GEOMETRY = ("crop", "centre", "roll")
"""Steps that move or cut the detector, and cost nothing where there are no values."""
TURNS_INTO: dict[str, Kind] = {"flat_field": "transmission", "logarithm": "integrals"}
"""What the projections are after a step."""


@dataclass(frozen=True, eq=False)
class DryRun:
    """A scan after its steps.

    Attributes
    ----------
    empty_scan : the scan, with values that take no memory
    obstacles : why each of the steps cannot be done, by kind; None where it can
    fault : of the first step that is in use and failed; None: none failed
    axis_is_sought : whether the axis of rotation is yet to be found in the values
    """

    empty_scan: Projections
    obstacles: dict[str, str | None]
    fault: EngineError | None
    axis_is_sought: bool


def without_values(data: Projections) -> Projections:
    """Return a scan without its values."""
    return replace(
        data,
        values=_zeros(data.shape),
        flats=None if data.flats is None else _zeros(data.flats.shape),
        darks=None if data.darks is None else _zeros(data.darks.shape),
        info={},
    )


def dry_run(
    empty_scan: Projections, steps: Sequence[PreprocessStep], axis: float | None = None
) -> DryRun:
    """Go through the steps; `axis` is the column at which one of them finds the axis, if known."""
    found: dict[str, str | None] = {}
    fault: EngineError | None = None
    is_sought = False
    for step in steps:
        found[step.kind] = obstacle = step.obstacle(empty_scan)
        if obstacle is not None or step.use == "off":
            continue
        if isinstance(step, CentreOfRotation) and step.column is None:
            is_sought = axis is None
            step = step.model_copy(update={"column": axis})
        try:
            empty_scan = _after(step, empty_scan)
        except EngineError as e:
            found[step.kind], fault = str(e), fault or e
    return DryRun(empty_scan, found, fault, is_sought)


def _after(step: Any, empty_scan: Projections) -> Projections:
    if isinstance(step, Binning):
        return _binned(empty_scan, step.pixels, step.views)
    if step.kind in ON_GEOMETRY and (step.kind != "centre" or step.column is not None):
        return step.apply(empty_scan, on=cpu(1))
    return replace(empty_scan, kind=TURNS_INTO.get(step.kind, empty_scan.kind))


def _binned(empty_scan: Projections, pixels: int, views: int) -> Projections:
    n = empty_scan.n_views // views
    geometry = empty_scan.geometry.select(slice(0, n * views, views)).binned(pixels)
    return replace(
        empty_scan,
        values=_zeros((n, *geometry.shape)),
        geometry=geometry,
        flats=None,
        darks=None,
        bad_pixels=None,
    )


def _zeros(shape: tuple[int, ...]) -> Any:
    return np.broadcast_to(np.float32(0), shape)
