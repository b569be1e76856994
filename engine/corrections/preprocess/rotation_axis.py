"""Centre of rotation and roll: correct the detector position from the scan."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.core.settings import setting
from engine.corrections.preprocess.base import PreprocessStep
from engine.corrections.preprocess.opposite_rays import by_opposite_rays
from engine.corrections.preprocess.parameter_sweep import Estimate
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry

Method = Literal["moment", "opposite", "wedge"]
"""Searches in parallel beams; `axis_search` contains them."""
CLOSE = 0.15
"""An axis within this distance of the geometry's own column is not moved [columns]."""
MIN_VIEWS = 3
"""Smallest number of views for a search."""

NOT_FOUND = "not found"


class CentreOfRotation(PreprocessStep):
    """Detector column of the rotation axis, given or found from the scan."""

    title: ClassVar[str] = "Centre of rotation"
    kind: ClassVar[str] = "centre"
    since: ClassVar[int | None] = 1
    sought: ClassVar[str] = "column"
    column: float | None = setting(
        None,
        "Detector column of the rotation axis, counted from 0; if empty, it is determined from "
        "the scan",
        label="Axis column",
        unit="pixels",
    )
    method: Literal["auto"] | Method = setting(
        "auto",
        "Search method for parallel beams. auto: opposite rays for a full rotation, the "
        "sinogram spectrum for half a rotation. Other methods: first moment, or opposite "
        "views. For cone beams, rays that are measured twice are always used",
    )

    @property
    def takes_single_views(self) -> bool:
        return not self.seeks

    def obstacle(self, projections: Projections) -> str | None:
        """Return why the axis is not searched.

        Returns
        -------
        obstacle
            projections that are not line integrals, a calibrated axis, or an orbit that is not
            a circle; None if a column is given or can be searched
        """
        if self.column is not None:
            return None
        if projections.kind != "integrals":
            return (
                f"the projections are of kind {projections.kind!r}, expected 'integrals'; switch "
                "on the logarithm"
            )
        if projections.calibrated and self.use != "on":
            return "the file states the position of the axis, so the geometry is not changed"
        if projections.geometry.beam == "cone" and not projections.geometry.is_circular:
            return (
                "the orbit is not a circle, so the positions of source and detector are not changed"
            )
        return None

    def is_needless(self, projections: Projections) -> bool:
        # The position of the axis is known, or the scan has no axis.
        geometry = projections.geometry
        return projections.calibrated or (geometry.beam == "cone" and not geometry.is_circular)

    def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
        if self.column is None:
            return geometry
        return _with_axis(geometry, self.column)

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return the projections with the detector shifted so that the axis is on its column.

        Returns
        -------
        projections
            the same values with a new geometry. A failed automatic search leaves the axis in place
            and records the reason.

        Raises
        ------
        DataError
            if the search fails and the user asked for this correction or for a method
        """
        before = float(projections.geometry.axis_column.mean())
        facts: Plain = {"column": before, "before": before, "method": NOT_FOUND}
        try:
            found = self.estimate(projections, on=on)
        except DataError as e:
            # In "auto", a scan without a recognisable axis is still reconstructed, with a warning.
            if self.use == "on" or self.method != "auto":
                raise
            return self.changed(projections, {**facts, "why": _reason(e)})
        moved = before - found.value
        # Below 0.15 columns the shift is within the error of the search.
        if self.column is None and abs(moved) < CLOSE:
            moved = 0.0
        facts |= {"column": before - moved, "method": found.method}
        geometry = _with_axis(projections.geometry, before - moved)
        return self.changed(projections, facts, geometry=geometry)

    def estimate(self, projections: Projections, *, on: Backend) -> Estimate:
        """Return the column of the axis, with all tested values.

        Parameters
        ----------
        projections
            line integrals on any device
        on
            device of the values

        Raises
        ------
        DataError
            if there are too few views, or the method finds no clear axis
        """
        if self.column is not None:
            return Estimate(self.column, "given", "pixels")
        if projections.n_views < MIN_VIEWS:
            raise DataError(
                f"Centre of rotation: the search needs {MIN_VIEWS} views, but the scan has "
                f"{projections.n_views}; enter the column."
            )
        # The search uses SciPy, which needs the values on the host.
        if on.is_cuda:
            projections = replace(projections, values=on.to_host(projections.values))
        if projections.geometry.beam == "cone":
            return by_opposite_rays(projections)
        # Most scans are cone beams, so the searches of parallel beams are loaded here.
        from engine.corrections.preprocess.axis_search import METHODS
        from engine.corrections.preprocess.opposite_parallel import (
            by_opposite_parallel,
            is_full_turn,
        )

        # Spectral methods need exactly half a turn; comparing opposite rays needs a whole one.
        if self.method != "auto":
            return METHODS[self.method](projections)
        if is_full_turn(projections):
            return by_opposite_parallel(projections)
        return METHODS["wedge"](projections)

    def summary(self, before: Projections, after: Projections) -> str:
        facts = self.facts(after)
        if "why" in facts:
            return f"axis left at column {facts['column']:.2f}; {facts['why']}"
        moved = np.round(facts["column"] - facts["before"], 2)
        away = f"moved by {moved:+g}" if moved else "as in the geometry of the scan"
        return f"axis at column {facts['column']:.2f} ({facts['method']}), {away}"

    doubt_is_assumption: ClassVar[bool] = True

    def doubt(self, before: Projections, after: Projections) -> str:
        facts = self.facts(after)
        if "why" not in facts:
            return ""
        # The reason is the message of an error, without its label.
        why = str(facts["why"])
        return (
            f"{why[:1].upper()}{why[1:]}. The axis was not found and stays at column "
            f"{facts['column']:.2f}."
        )


def _with_axis(geometry: XrayGeometry, column: float) -> XrayGeometry:
    """Return the geometry with the detector moved so that the mean axis is on this column."""
    moved = float(geometry.axis_column.mean()) - column
    return geometry.shifted(columns=moved) if moved else geometry


def _reason(error: DataError) -> str:
    return str(error).removeprefix("Centre of rotation: ").removesuffix(".")


class Roll(PreprocessStep):
    """Rotation of the detector in its plane. The search for the axis follows it."""

    title: ClassVar[str] = "Detector roll"
    kind: ClassVar[str] = "roll"
    since: ClassVar[int | None] = 1
    on_demand: ClassVar[bool] = True
    degrees: float | None = setting(
        None, "In-plane detector rotation", label="Roll", unit="°", ge=-45, le=45
    )

    @property
    def takes_single_views(self) -> bool:
        return True

    def obstacle(self, projections: Projections) -> str | None:
        return "the angle is empty; find it by a sweep" if self.degrees is None else None

    def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
        return geometry.rolled(float(np.radians(self.degrees or 0.0)))

    def rows_before(self, rows: range, geometry: XrayGeometry) -> range | None:
        """Return all rows if the detector is rotated.

        Returns
        -------
        rows_before
            None for a rotation, because it mixes rows; `rows` otherwise
        """
        return None if self.degrees else rows  # the rotation needs all rows

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        facts = {"degrees": self.degrees or 0.0}
        return self.changed(projections, facts, geometry=self.geometry(projections.geometry))

    def summary(self, before: Projections, after: Projections) -> str:
        return f"detector rotated by {self.degrees:g}°"
