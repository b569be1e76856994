"""What the window keeps of an X-ray scan: facts and geometry; its pictures stay on the disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from app.pictures import Pictures
from engine.data.projections import Projections
from engine.errors import EngineError, ResourceError

ON_GEOMETRY = ("crop", "centre", "roll")
"""Steps that move or cut the detector, and cost nothing where there are no values."""
TURNS_INTO = {"flat_field": "transmission", "logarithm": "integrals"}
"""What the projections are after a step."""


@dataclass(frozen=True, eq=False)
class XrayScan:
    """An X-ray scan.

    Attributes
    ----------
    outline : the scan with zeros that take no memory for its values
    facts : what it is, by name
    notes : what the reader wants the user to know
    pictures : what the detector saw; None where the disk has no room for it
    """

    outline: Projections
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    pictures: Pictures | None = None

    @classmethod
    def of(cls, data: Projections, facts: tuple[tuple[str, str], ...]) -> XrayScan:
        """Keep the outline of a scan, and its pictures if the disk has room for them."""
        notes, pictures = data.notes, None
        try:
            pictures = Pictures.of(data)
        except ResourceError as e:
            notes += (str(e),)
        return cls(outline_of(data), facts, notes, pictures)

    def obstacles(self, steps: tuple[Any, ...]) -> dict[str, str | None]:
        """Return why each of the steps cannot be done, by kind; None where it can."""
        return _walk(self.outline, steps)[1]

    def prepared(self, steps: tuple[Any, ...]) -> Projections:
        """Return the outline after the steps; raises where a step that is in use cannot be done.

        The axis that a step will find in the values is not known yet.
        """
        outline, _, fault = _walk(self.outline, steps)
        if fault is not None:
            raise fault
        return outline


def outline_of(data: Projections) -> Projections:
    """Return a scan without its values."""
    return replace(
        data,
        values=_zeros(data.shape),
        flats=None if data.flats is None else _zeros(data.flats.shape),
        darks=None if data.darks is None else _zeros(data.darks.shape),
        info={},
    )


@lru_cache(maxsize=8)
def _walk(
    outline: Projections, steps: tuple[Any, ...]
) -> tuple[Projections, dict[str, str | None], EngineError | None]:
    found: dict[str, str | None] = {}
    fault: EngineError | None = None
    for step in steps:
        found[step.kind] = obstacle = step.obstacle(outline)
        if obstacle is None and step.use != "off":
            try:
                outline = _after(step, outline)
            except EngineError as e:
                found[step.kind], fault = str(e), fault or e
    return outline, found, fault


def _after(step: Any, outline: Projections) -> Projections:
    from engine.backend import cpu

    if step.kind == "binning":
        return _binned(outline, step.pixels, step.views)
    if step.kind in ON_GEOMETRY and (step.kind != "centre" or step.column is not None):
        return step.apply(outline, on=cpu(1))
    return replace(outline, kind=TURNS_INTO.get(step.kind, outline.kind))


def _binned(outline: Projections, pixels: int, views: int) -> Projections:
    n = outline.n_views // views
    geometry = outline.geometry.select(slice(0, n * views, views)).binned(pixels)
    return replace(
        outline,
        values=_zeros((n, *geometry.shape)),
        geometry=geometry,
        flats=None,
        darks=None,
        bad_pixels=None,
    )


def _zeros(shape: tuple[int, ...]) -> Any:
    return np.broadcast_to(np.float32(0), shape)
