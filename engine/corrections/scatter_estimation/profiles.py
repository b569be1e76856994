"""Measured and simulated counts by distance of the lines from the axis, for plots.

Measured counts without randoms are the sum of 1 − r_j / y_j over events j, with the randoms r_j and
all expected counts y_j on the line and in the time bin of the event. The expected sum of r_j / y_j
over events equals the randoms summed over lines.
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
    """Return the distance of lines from the axis, (n,) [mm].

    Parameters
    ----------
    points_mm
        (m, 3) ends of lines
    ends
        (n, 2) rows of the points
    """
    (x, x_b), (y, y_b) = (points_mm[:, axis][ends.T] for axis in (0, 1))
    across, up = x_b - x, y_b - y
    # The area of the triangle with the axis over its base is the distance; a floor avoids 0 / 0.
    length = np.maximum(np.hypot(across, up), 1e-9)
    found: NDArray[np.float64] = np.abs(x * up - y * across) / length
    return found


def profile_of(
    measured: tuple[NDArray[np.float64], Array], scatter: tuple[NDArray[np.float64], Array]
) -> ScatterProfile:
    """Return the sums of measured and of simulated counts by distance.

    Parameters
    ----------
    measured
        distance of each event from the axis [mm] and its number of counts without randoms, both
        (n,)
    scatter
        distance of each line and its scatter, both (m,)
    """
    both = measured, scatter
    # One set of edges for both curves, so that they can be compared bin by bin.
    most = max(float(at.max(initial=1.0)) for at, _ in both)
    # A range instead of edges: NumPy then sorts no values.
    edges = np.histogram_bin_edges((), N_BINS, (0, most))
    # Per mm, because the plot shows densities.
    counts, expected = (
        np.histogram(at, N_BINS, (0, most), weights=values)[0] / np.diff(edges)
        for at, values in both
    )
    middles = (edges[1:] + edges[:-1]) / 2
    return ScatterProfile(tuple(middles.tolist()), tuple(counts.tolist()), tuple(expected.tolist()))
