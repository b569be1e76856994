"""Centre of rotation: the detector is moved so that the axis falls where the scan shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from engine.backend import Backend
from engine.data.projections import Projections
from engine.preprocess.base import Step
from engine.preprocess.centring import METHODS, Method
from engine.preprocess.sweep import Estimate
from engine.settings import setting

CLOSE = 0.1
"""An axis this near to where the geometry has it is left there [columns]."""


class Centre(Step):
    """Column of the rotation axis, given or found from a parallel-beam scan itself."""

    title: ClassVar[str] = "Centre of rotation"
    kind: ClassVar[str] = "centre"
    column: float | None = setting(
        None,
        "Column on which the rotation axis falls, counted from 0; found from the scan if left out",
        label="Axis at column",
        unit="pixels",
    )
    method: Literal["auto"] | Method = setting(
        "auto", "How it is found: spectrum of the sinogram (auto), first moment, opposite views"
    )

    def obstacle(self, projections: Projections) -> str | None:
        if self.column is not None:
            return None
        if projections.geometry.beam != "parallel":
            return "the axis of a cone-beam scan is found by a sweep of slices; give its column"
        if projections.kind != "integrals":
            return f"the projections are {projections.kind} still; take their logarithm first"
        return None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        found = self.estimate(projections, on=on)
        before = float(projections.geometry.axis_column.mean())
        moved = before - found.value
        if self.column is None and abs(moved) < CLOSE:
            moved = 0.0
        geometry = projections.geometry.shifted(columns=moved) if moved else projections.geometry
        facts = {"column": before - moved, "before": before, "method": found.method}
        return self.changed(projections, facts, geometry=geometry)

    def estimate(self, projections: Projections, *, on: Backend) -> Estimate:
        """Return the column of the axis, with what was tried."""
        if self.column is not None:
            return Estimate(self.column, "given", "pixels")
        method = METHODS["wedge" if self.method == "auto" else self.method]
        if on.is_cuda:
            projections = replace(projections, values=on.to_host(projections.values))
        return method(projections)

    def summary(self, before: Projections, after: Projections) -> str:
        facts = self.facts(after)
        moved = np.round(facts["column"] - facts["before"], 2)
        away = f"moved by {moved:+g}" if moved else "where the geometry has it"
        return f"axis at column {facts['column']:.2f} ({facts['method']}), {away}"


class Roll(Step):
    """Turn of the detector in its plane."""

    title: ClassVar[str] = "Detector roll"
    kind: ClassVar[str] = "roll"
    degrees: float | None = setting(
        None, "Turn of the detector in its plane", label="Roll", unit="°", ge=-45, le=45
    )

    def obstacle(self, projections: Projections) -> str | None:
        return "no angle is given; find it by a sweep" if self.degrees is None else None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        degrees = self.degrees or 0.0
        geometry = projections.geometry.rolled(float(np.radians(degrees)))
        return self.changed(projections, {"degrees": degrees}, geometry=geometry)

    def summary(self, before: Projections, after: Projections) -> str:
        return f"detector turned by {self.degrees:g}°"
