"""Closed-form line integrals of balls along parallel rays, independent of the engine.

The chord of a ball of radius r at distance d from its centre is 2 √(r² − d²).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ball = tuple[float, float, float, float, float]
"""Centre x, y, z [mm], radius [mm], and additional attenuation [1/mm]."""

CASE_BALLS: tuple[Ball, ...] = (
    (0, 0, 0, 40, 0.02),
    (15, 10, 5, 8, 0.02),
    (-20, 5, -6, 6, -0.01),
    (5, -22, 0, 5, 0.03),
)
"""A large ball with two denser balls and one lighter ball.

No ball is the mirror image of another.
"""


def ball_projections(
    angles_deg: Sequence[float] | Array,
    shape: tuple[int, int],
    *,
    balls: Sequence[Ball] = CASE_BALLS,
    axis_column: float | None = None,
) -> Array:
    """Return (view, row, column) line integrals; pixels of 1 mm, row 0 the lowest.

    Parameters
    ----------
    angles_deg
        direction of the source, counted from +x towards +y [degrees]
    shape
        (rows, columns)
    balls
        the object
    axis_column
        column of the axis, default: the middle. Columns count to the right, seen from the source.
    """
    rows, columns = shape
    axis = (columns - 1) / 2 if axis_column is None else axis_column
    u, v = np.arange(columns) - axis, np.arange(rows) - (rows - 1) / 2
    angles = np.radians(np.asarray(angles_deg, float))
    total = np.zeros((len(angles), rows, columns))
    for x, y, z, radius, mu in balls:
        across = u - (y * np.cos(angles) - x * np.sin(angles))[:, None]
        rest = radius**2 - across[:, None, :] ** 2 - (v - z)[None, :, None] ** 2
        total += 2 * mu * np.sqrt(np.maximum(rest, 0))
    return total


def mean_in_ball(
    values: NDArray[np.floating], lower_mm: Sequence[float], voxel_mm: Sequence[float], ball: Ball
) -> float:
    """Return the mean of an image [z, y, x] within half the radius of a ball."""
    z, y, x = (
        low + step * (np.arange(n) + 0.5)
        for n, low, step in zip(values.shape, lower_mm[::-1], voxel_mm[::-1], strict=True)
    )
    away = (
        (x[None, None, :] - ball[0]) ** 2
        + (y[None, :, None] - ball[1]) ** 2
        + (z[:, None, None] - ball[2]) ** 2
    )
    return float(values[away < (ball[3] / 2) ** 2].mean())
