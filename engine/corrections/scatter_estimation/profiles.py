"""Measured and simulated counts by distance of the lines from the axis, for plots.

What is measured without randoms is the sum of 1 − r_j / y_j over events j, with r_j the randoms and
y_j all that is expected on their line and in their time bin: the expected sum of r_j / y_j over
events is that of the randoms over lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.scatter_profile import ScatterProfile

N_BINS = 40


def distance_from_axis(
    points_mm: NDArray[np.float64], ends: NDArray[np.int32]
) -> NDArray[np.float64]:
    """(n,) distance from the axis [mm] of lines between points, (n, 2) rows of them."""
    a, b = points_mm[ends[:, 0], :2], points_mm[ends[:, 1], :2]
    line = b - a
    length = np.maximum(np.hypot(line[:, 0], line[:, 1]), 1e-9)
    found: NDArray[np.float64] = np.abs(a[:, 0] * line[:, 1] - a[:, 1] * line[:, 0]) / length
    return found


def profile_of(
    measured: tuple[NDArray[np.float64], Array], scatter: tuple[NDArray[np.float64], Array]
) -> ScatterProfile:
    """Sum up what was measured and what was simulated.

    Parameters
    ----------
    measured
        distance from the axis [mm] of what was counted (n,), and how many counts without randoms
        each stands for (n,)
    scatter
        distance of lines (m,), and the scatter that each stands for (m,)
    """
    both = measured, scatter
    edges = np.linspace(0, max(float(at.max(initial=1.0)) for at, _ in both), N_BINS + 1)
    counts, expected = (
        np.histogram(at, edges, weights=values)[0] / np.diff(edges) for at, values in both
    )
    middles = (edges[1:] + edges[:-1]) / 2
    return ScatterProfile(tuple(middles.tolist()), tuple(counts.tolist()), tuple(expected.tolist()))
