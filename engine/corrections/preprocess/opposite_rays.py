"""Search for the rotation axis on the detector of a cone beam, from rays measured twice.

In the plane of the source's circle, the ray at fan angle γ of the view at β coincides with the ray
at −γ of the view at

β' = β + π + 2 γ

and has the same line integral. γ counts from the ray through the axis, so an error of the detector
position pairs the wrong rays. Detector shifts along its columns are tried, first coarse, then fine.
The best shift minimises the mean square difference of the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.corrections.preprocess.parameter_sweep import Candidate, Estimate, lowest
from engine.data.projections import Projections
from engine.geometry.vectors import about_z
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.redundancy import coverage

Array = NDArray[np.float64]

DITHER = 0.618034
"""Step between the compared rays [columns]. The golden ratio samples all positions between pixels
equally, so that the smoothing of the interpolation does not depend on the shift.
"""
MIN_PAIRS = 500
ENOUGH_PAIRS = 40_000
"""Number of pairs that suffices for all searches but the last."""
MIN_OVERLAP = 8.0
"""Smallest number of columns on both sides of the axis that opposite views share."""
STEPS = (1.0, 0.25, 0.05)
"""Steps of the searches [columns]; each covers two steps of the previous one."""
TOO_DIFFERENT = 0.1
"""Fraction of the variance of the rays above which two rays do not match."""
SMOOTHING = 1.0
"""Standard deviation [columns]."""


@dataclass(frozen=True)
class _Circle:
    """Mean of the rows at the height of the source, sorted by the angle of the views.

    Attributes
    ----------
    sinogram : (n_columns, n_views); for a whole turn, the first view is repeated at the end
    angles : (n_views,) ascending [rad]
    is_whole : True if the views cover a whole turn
    start, step : (x, y) of the ray to column 0 and the step between columns, with the source on +x
        [mm]
    """

    sinogram: Array
    angles: Array
    is_whole: bool
    start: Array
    step: Array

    def fan(self, columns: Array, shift: float) -> Array:
        """Return the fan angles of rays to columns of a detector shifted by `shift` columns."""
        x, y = self.start[:, None] + self.step[:, None] * (columns + shift)
        return np.asarray(np.arctan2(-y, -x))

    @cached_property
    def level(self) -> float:
        """Mean of the line integrals."""
        return float(self.sinogram.mean())

    def column(self, fan: Array, shift: float) -> Array:
        """Return the columns that rays at these fan angles hit."""
        sin, cos = np.sin(fan), np.cos(fan)
        (x, y), (dx, dy) = self.start, self.step
        return np.asarray((sin * x - cos * y) / (cos * dy - sin * dx) - shift)


def by_opposite_rays(projections: Projections) -> Estimate:
    """Return the axis column, from 0, of a cone beam on a circle.

    Parameters
    ----------
    projections
        line integrals on the host

    Returns
    -------
    by_opposite_rays
        estimate with all shifts that were tried

    Raises
    ------
    DataError
        if the detector ends near the axis, too few rays are measured twice, or they differ too much
    """
    axis, last = float(projections.geometry.axis_column.mean()), projections.shape[2] - 1
    short = min(axis, last - axis)
    if short < MIN_OVERLAP:
        raise DataError(
            "Centre of rotation: one side of the detector ends near the axis, so no "
            "ray is measured twice; enter the column."
        )
    circle, reach = _circle(projections), min(last / 4, short / 2)
    tried: list[Candidate] = []
    found = axis
    # Coarse to fine: a fine grid over the whole range would cost 20 times as much.
    for step in STEPS:
        middle = found
        n = round(reach / step)
        columns = np.asarray(middle + np.arange(-n, n + 1) * step, np.float64)
        max_pairs = None if step == STEPS[-1] else ENOUGH_PAIRS
        scores = np.array(
            [_difference(circle, axis, c, last, max_pairs) for c in columns], np.float64
        )
        if not np.isfinite(scores).any():
            raise DataError(
                "Centre of rotation: too few rays are measured twice; enter the "
                "column, or choose it from a sweep."
            )
        tried += [Candidate(float(c), float(s)) for c, s in zip(columns, scores, strict=True)]
        found, reach = lowest(columns, scores), 2 * step
    # Wrong direction of rotation or column order leaves every shift with a large difference.
    if min(one.score for one in tried) > TOO_DIFFERENT:
        raise DataError(
            "Centre of rotation: rays that are measured twice differ by more than "
            f"{100 * TOO_DIFFERENT:.0f} % of their variance; check the direction of rotation "
            "and the order of columns, or enter the column."
        )
    return Estimate(found, "opposite rays", "pixels", tuple(sorted(tried, key=lambda t: t.value)))


def _circle(projections: Projections) -> _Circle:
    from scipy import ndimage

    geometry = projections.geometry
    row, climb = _row_in_plane(geometry)
    rows = _along(projections.values, row + climb * np.arange(projections.shape[2]))
    rows = ndimage.gaussian_filter1d(rows, SMOOTHING, axis=1, mode="nearest")
    covered = coverage(geometry.angles_rad)
    order = np.argsort(covered.from_start_rad, kind="stable")
    angles, rows = np.unwrap(geometry.angles_rad[order]), rows[order]
    if covered.is_whole:
        angles, rows = np.append(angles, angles[0] + 2 * np.pi), np.vstack([rows, rows[:1]])
    beta = geometry.angles_rad[0]
    turned = about_z(-np.array([beta]))[0]
    start = geometry.corner_mm[0] + 0.5 * geometry.u_mm[0] + (row + 0.5) * geometry.v_mm[0]
    start = turned @ (start - geometry.source_mm[0])
    step = turned @ (geometry.u_mm[0] + climb * geometry.v_mm[0])
    sinogram = np.ascontiguousarray(rows.T)
    return _Circle(sinogram, angles, covered.is_whole, start[:2], step[:2])


def _row_in_plane(geometry: XrayGeometry) -> tuple[float, float]:
    """Return the row at which column 0 meets the plane of the circle, and its slope.

    Units are [rows] and [rows per column]. A rolled or tilted detector meets the plane at an angle.
    """
    across, along = geometry.u_mm[0, 2], geometry.v_mm[0, 2]
    row = float(geometry.axis_seen[:, 1].mean())
    # A detector that does not reach the plane of the source measures no ray twice.
    if not -1 <= row <= geometry.shape[0] or abs(along) <= abs(across):
        raise DataError(
            "Centre of rotation: no detector row is at the height of the source, "
            "where rays are measured twice; enter the column."
        )
    above = geometry.corner_mm[0, 2] + across / 2 - geometry.source_mm[0, 2]
    return float(-above / along - 0.5), float(-across / along)


def _along(values: Array, rows: NDArray[np.floating]) -> Array:
    """Return the mean of three rows about fractional `rows` (n_columns,), (n_views, n_columns)."""
    last, columns = values.shape[1] - 1, np.arange(len(rows))
    total = np.zeros((len(values), len(rows)))
    for near in (rows - 1, rows, rows + 1):
        inside = np.clip(near, 0, last)
        k = np.minimum(inside.astype(int), max(last - 1, 0))
        share = inside - k
        total += (1 - share) * values[:, k, columns]
        total += share * values[:, np.minimum(k + 1, last), columns]
    return total / 3


def _difference(
    circle: _Circle, axis: float, column: float, last: int, max_pairs: int | None
) -> float:
    """Return the mean square difference of pairs relative to their variance; ∞ if too few.

    Views are omitted evenly if there are more than `max_pairs` pairs.
    """
    # Only a search needs the kernel, and most runs do not search.
    from engine.kernels.opposite_rays import pair_sums

    shift, half = axis - column, min(column, last - column)
    columns = column + np.arange(DITHER, half, DITHER)
    fan = circle.fan(columns, shift)
    opposite = circle.column(-fan, shift)
    on = (opposite >= 0) & (opposite <= last)
    fan, columns, opposite = fan[on], columns[on], opposite[on]
    n_views = len(circle.angles) - circle.is_whole
    every = 1 if max_pairs is None else max(1, n_views * len(columns) // max_pairs)
    n, squares, *sums = pair_sums(
        circle.sinogram, circle.angles, n_views, every, columns, opposite, np.pi + 2 * fan,
        circle.level,
    )  # fmt: skip
    if n * every < MIN_PAIRS:
        return np.inf
    one, one_2, other, other_2 = (total / n for total in sums)
    return float(squares / n / max(one_2 - one**2 + other_2 - other**2, 1e-30))


def compile_kernels() -> None:
    """Compile the kernel of the search, or load it."""
    from engine.kernels.opposite_rays import pair_sums

    one = np.ones(1)
    pair_sums(np.ones((2, 2)), np.arange(2.0), 1, 1, one, one, one, 0.0)
