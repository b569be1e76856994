"""Rotation axis of a scan in detector coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.orbit import Orbit

MIN_COLUMNS = 3
LYING = 0.5
"""Cosine between rows and axis above which the detector is rotated by 90°."""


def check_detector(orbit: Orbit) -> None:
    """Refuse a detector whose rows cannot be filtered.

    Parameters
    ----------
    orbit
        rotation axis and views

    Raises
    ------
    GeometryError
        if the rows are parallel to the axis, or have too few columns
    """
    u = orbit.geometry.u_mm
    if (np.abs(u @ orbit.axis) > LYING * np.linalg.norm(u, axis=1)).any():
        raise GeometryError(
            "The detector rows run along the axis of rotation, but must be "
            "perpendicular to it; swap rows and columns of the projections, and u and "
            "v of the geometry."
        )
    if orbit.geometry.shape[1] < MIN_COLUMNS:
        raise GeometryError(
            f"The detector has {orbit.geometry.shape[1]} columns, but filtered back projection "
            f"needs at least {MIN_COLUMNS}; check the order of views, rows and columns."
        )


def edges(orbit: Orbit) -> tuple[float, float]:
    """Return the mean fan angle, or distance from the axis, of the outer edges of the detector.

    Parameters
    ----------
    orbit
        rotation axis and views

    Returns
    -------
    values of the first and the last column; rad for cone beams, mm for parallel beams
    """
    # half a pixel outside of the outer pixel centres, by linear extrapolation
    edges = [(1.5 * f[0] - 0.5 * f[1], 1.5 * f[-1] - 0.5 * f[-2]) for f in _middle_rows(orbit)]
    first, last = np.mean(edges, axis=0)
    return float(first), float(last)


def axis_column(orbit: Orbit) -> float:
    """Return the mean column of the axis, from 0; it can be outside of the detector."""
    is_cone = orbit.geometry.beam == "cone"
    return float(np.mean([_zero_of(np.tan(f) if is_cone else f) for f in _middle_rows(orbit)]))


def _middle_rows(orbit: Orbit) -> list[Array]:
    """Return the fan angles of the middle row by view; only one if all views are alike."""
    middle = orbit.geometry.shape[0] // 2
    some = slice(0, 1 if orbit.all_alike else None)
    level = orbit.geometry.select(some).cropped(slice(middle, middle + 1), slice(None))
    angles, radius = orbit.angles_rad[some], orbit.radius_mm[some]
    flat = replace(orbit, geometry=level, angles_rad=angles, radius_mm=radius)
    return [flat.fan(view)[0] for view in range(level.n_views)]


def _zero_of(values: Array) -> float:
    """Return the position at which monotonic values cross zero, extrapolated if they do not."""
    n = len(values)
    values = values if values[-1] > values[0] else -values
    if values[0] < 0 < values[-1]:
        return float(np.interp(0.0, values, np.arange(n)))
    return float(-values[0] * (n - 1) / (values[-1] - values[0]))


def widened(geometry: XrayGeometry, added: tuple[int, int]) -> XrayGeometry:
    """Return the geometry with columns added before the first and after the last.

    Parameters
    ----------
    geometry
        source and detector of each view
    added
        number of columns before and after
    """
    before, after = added
    n_rows, n_columns = geometry.shape
    wide = geometry.shifted(columns=(after - before) / 2)
    return replace(wide, shape=(n_rows, n_columns + before + after))
