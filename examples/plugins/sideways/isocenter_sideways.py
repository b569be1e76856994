"""A detector that stands sideways, by a distance that the user has measured."""

from __future__ import annotations

from typing import ClassVar

from engine.core.backend import Backend
from engine.core.settings import setting
from engine.corrections.preprocess.base import PreprocessStep
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry


class Sideways(PreprocessStep):
    """Detector moved along its rows."""

    title: ClassVar[str] = "Detector sideways"
    kind: ClassVar[str] = "sideways"
    runs_before: ClassVar[str] = "logarithm"
    on_demand: ClassVar[bool] = True
    columns: float = setting(
        0.0, "Shift of the detector along its rows", label="Moved by", unit="pixels"
    )

    def obstacle(self, projections: Projections) -> str | None:
        return None if self.columns else "nothing is entered"

    def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
        return geometry.shifted(columns=self.columns)

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        geometry = self.geometry(projections.geometry)
        return self.changed(projections, {"columns": self.columns}, geometry=geometry)

    def summary(self, before: Projections, after: Projections) -> str:
        return f"detector moved by {self.columns:g} columns"
