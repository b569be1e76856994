"""Curved planar reformation: an image along a curve, straightened.

The curve runs through points P₀ … Pₙ of one slice; between P₁ and P₂, for u from 0 to 1,

    c(u) = ½ (2P₁ + (P₂ − P₀) u + (2P₀ − 5P₁ + 4P₂ − P₃) u² + (3P₁ − P₀ − 3P₂ + P₃) u³)

with the end points repeated. a is the axis across the slice, and n = a × c′/|c′|. A pixel is the
mean over offsets w across the curve, in a thickness t:

    I(h, s) = mean over |w| ≤ t/2 of V(c(s) + w n(s) at height h along a)

Catmull & Rom, Computer Aided Geometric Design (1974) 317; Kanitsar et al., IEEE Visualization
(2002) 37.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError
from engine.data.rigid_resampling import values_at
from engine.data.volume import Volume
from engine.geometry.grid import Point

Places = NDArray[np.float64]
FINE = 32
"""Segments between two points of the curve; their lengths add up to its length."""
MAX_COLUMNS, MAX_OFFSETS = 4096, 64


@dataclass(frozen=True, eq=False)
class CurvedPlane:
    """Values of an image along a curve.

    Attributes
    ----------
    values : (n_rows, n_columns) in `unit`; rows along the axis, columns along the curve
    points_mm : (n_columns, 3) places x, y, z of the columns [mm]
    pixel_mm : pixel size along rows and columns [mm]
    axis : axis of the rows; 0, 1, 2 is x, y, z
    unit : unit of the values
    """

    values: NDArray[np.float32]
    points_mm: Places
    pixel_mm: tuple[float, float]
    axis: int
    unit: str

    @property
    def length_mm(self) -> float:
        """Length of the curve [mm]."""
        return self.pixel_mm[1] * (len(self.points_mm) - 1)


def curve_through(points_mm: Sequence[Point]) -> Places:
    """Return a smooth curve through points (Catmull-Rom).

    Parameters
    ----------
    points_mm
        points (x, y, z) on the curve [mm]; fewer than 3 are returned as they are

    Returns
    -------
    Places
        (n, 3) points [mm], closely but unevenly spaced; the curve passes through all `points_mm`
    """
    points = np.array(points_mm, float)
    if len(points) < 3:
        return points
    # A segment needs the points before and after it. At the ends the end point stands for them.
    ends = np.concatenate([points[:1], points, points[-1:]])
    before, first, last, behind = (ends[k : len(ends) - 3 + k] for k in range(4))
    u = (np.arange(FINE) / FINE)[None, :, None]
    before, first, last, behind = (each[:, None] for each in (before, first, last, behind))
    found = 0.5 * (
        2 * first
        + (last - before) * u
        + (2 * before - 5 * first + 4 * last - behind) * u**2
        + (3 * first - before - 3 * last + behind) * u**3
    )
    return np.concatenate([found.reshape(-1, 3), points[-1:]])


def curved_plane(
    volume: Volume, points_mm: Sequence[Point], axis: int, *, thickness_mm: float = 0.0
) -> CurvedPlane:
    """Return an image along a curve through points of a slice, straightened.

    Parameters
    ----------
    volume
        image to reformat
    points_mm
        at least two places x, y, z [mm] in one slice
    axis
        0, 1, 2 for x, y, z, across the slice
    thickness_mm
        thickness of the slab across the curve over which the mean is taken [mm]; 0: no slab

    Raises
    ------
    GeometryError
        if the curve has no length
    """
    step = min(edge for k, edge in enumerate(volume.grid.voxel_mm) if k != axis)
    places, step = _evenly(curve_through(points_mm), step)
    across = np.cross(np.eye(3)[axis], np.gradient(places, axis=0))
    # Where the curve reverses its gradient is 0, and so is the normal. The limit avoids 0 / 0.
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    heights = volume.grid.centres_mm(axis)
    # An odd number of offsets keeps the slab symmetric, so that the curve itself is sampled.
    n_offsets = min(2 * round(thickness_mm / step / 2) + 1, MAX_OFFSETS + 1)
    total = np.zeros((len(heights), len(places)))
    for k in range(n_offsets):
        at = places + (k - (n_offsets - 1) / 2) * step * across
        points = np.broadcast_to(at, (len(heights), *at.shape)).copy()
        points[..., axis] = heights[:, None]
        total += values_at(volume, points.reshape(-1, 3)).reshape(total.shape)
    values = (total / n_offsets).astype(np.float32)
    pixel = volume.grid.voxel_mm[axis], step
    return CurvedPlane(values, places, pixel, axis, volume.unit)


def _evenly(curve: Places, step_mm: float) -> tuple[Places, float]:
    """Return evenly spaced places along a curve, and their spacing [mm]."""
    lengths = np.linalg.norm(np.diff(curve, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    if not along[-1] > 0:
        raise GeometryError(
            "the curve has no length because all its points are the same; draw a longer curve."
        )
    n = int(np.clip(np.ceil(along[-1] / step_mm), 1, MAX_COLUMNS - 1))
    wanted = np.linspace(0, along[-1], n + 1)
    places = np.stack([np.interp(wanted, along, curve[:, k]) for k in range(3)], axis=1)
    return places, float(along[-1] / n)
