"""Filter views one by one as they arrive, with shared tables.

    f = ramp( unit · weight · density · p ) / width of a pixel,   q = level · gain · f

with q and density as in `engine.recon.filtering.projections`. The angle that a view represents
changes with its neighbours: this is its gain. A weight that all rays share changes with the covered
range: this is the level. Neither needs new filtering. The unit is the value of both in a complete
scan, so that gains and level are 1 at the end and the result equals that of an ordinary run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.design import FilterDesign, plan_for
from engine.recon.filtering.projections import RowFilter, density
from engine.recon.filtering.settings import FilterSettings

ROUNDING = 1e-9
"""Difference of a gain from 1 that counts as rounding."""


@dataclass(frozen=True, eq=False)
class ViewWeights:
    """Weights of several views.

    Attributes
    ----------
    design : decisions for these views
    gains : (n_views,) factors of filtered views
    level : common factor, which changes with the covered range
    unit_rad : angle that views are filtered with, times the common weight of rays
    """

    design: FilterDesign
    gains: Array
    level: float
    unit_rad: float

    @property
    def are_even(self) -> bool:
        """True if all rays of a view have the same weight, so other views do not change it."""
        return self.design.even_weight is not None

    @property
    def covered_rad(self) -> float:
        """Covered angle; 0 for a single view, which has no neighbour."""
        return float(self.design.step_rad.sum()) if len(self.gains) > 1 else 0.0

    def rows(self, view: int) -> Array:
        """Return the weights that a view is filtered with, (n_rows or 1, n_columns)."""
        if self.are_even:
            return np.ones((1, self.design.geometry.shape[1]))
        return self.design.weights(view)


def weights_of(
    geometry: XrayGeometry,
    settings: FilterSettings,
    cut_sides: tuple[bool, bool],
    *,
    step_rad: float,
    even: bool,
) -> ViewWeights:
    """Return the weights of views that cover only part of the final range.

    Below half a turn the views get more weight, so that the image has its final level.

    Parameters
    ----------
    geometry
        geometry of the views so far
    settings
        settings of the filter
    cut_sides
        True if the object extends beyond the first and the last column
    step_rad
        usual angle between views of the complete scan
    even
        True if all rays of an open scan get the same weight, although some are measured twice
    """
    half = settings.half_fan
    design = plan_for(geometry, short_scan="off", half_fan=half, cut_sides=cut_sides)
    covered = float(design.step_rad.sum())
    # weights of a short scan are made for half a turn and more
    if not even and settings.short_scan != "off" and covered >= np.pi * (1 - 1e-9):
        choice = settings.short_scan
        design = plan_for(geometry, short_scan=choice, half_fan=half, cut_sides=cut_sides)
    weight = 1.0 if design.even_weight is None else design.even_weight
    # rays that are measured twice in the complete scan count half
    final = 0.5 if design.even_weight is not None and design.kind != "half circle" else 1.0
    unit = final * step_rad
    gains = design.step_rad / step_rad
    gains[np.abs(gains - 1) < ROUNDING] = 1.0
    level = weight * max(1.0, np.pi / covered) / final
    return ViewWeights(design, gains, 1.0 if abs(level - 1) < ROUNDING else level, unit)


class ViewFilter:
    """Filters views of one detector.

    Parameters
    ----------
    design : design for representative views: added columns and extrapolated sides
    settings : settings of the filter
    n_measured : columns of the detector
    alike : True if every view of the scan is the first one rotated
    """

    def __init__(
        self, design: FilterDesign, settings: FilterSettings, n_measured: int, *, alike: bool
    ) -> None:
        n_rows = design.geometry.shape[0]
        self._work = RowFilter(design, settings, n_measured, range(n_rows))
        self._common = density(design.orbit, 0).astype(np.float32) if alike else None

    def filtered(self, values: Array, weights: ViewWeights, views: Sequence[int]) -> Array:
        """Filter some views.

        Parameters
        ----------
        values
            (n, n_rows, n_measured) line integrals
        weights
            weights of the views so far
        views
            numbers of the views in `weights`

        Returns
        -------
        (n, n_rows, n_columns)
        """
        factors = np.stack([self._factors(weights, view) for view in views])
        return self._work.weighed(values, self._common, factors)

    def _factors(self, weights: ViewWeights, view: int) -> Array:
        design = weights.design
        per_width = weights.unit_rad / np.linalg.norm(design.geometry.u_mm[view])
        factors = weights.rows(view) * per_width
        if self._common is None:
            factors = factors * density(design.orbit, view)
        return np.asarray(factors, np.float32)
