"""Measured and simulated counts by the distance of their lines from the axis, to be looked at.

What is measured without randoms is the sum of 1 − r_j / y_j over events j, with r_j the randoms and
y_j all that is expected on their line and in their time bin: the expected sum of r_j / y_j over
events is that of the randoms over lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.data.scatter_profile import ScatterProfile
from engine.geometry.scanner import Scanner

N_BINS = 40


def distance_from_axis(scanner: Scanner, crystals: NDArray[np.int32]) -> NDArray[np.float64]:
    """(n,) distance of lines from the axis [mm]."""
    ends = scanner.positions_mm[crystals, :2]
    a, line = ends[:, 0], ends[:, 1] - ends[:, 0]
    length = np.maximum(np.hypot(line[:, 0], line[:, 1]), 1e-9)
    found: NDArray[np.float64] = np.abs(a[:, 0] * line[:, 1] - a[:, 1] * line[:, 0]) / length
    return found


def profile_of(
    scanner: Scanner,
    events: tuple[NDArray[np.int32], NDArray[np.floating]],
    lines: tuple[NDArray[np.int32], NDArray[np.floating]],
) -> ScatterProfile:
    """Sum up what was measured and what was simulated.

    Parameters
    ----------
    scanner
        where the crystals are
    events
        crystals (n, 2) of events, and how many counts without randoms each stands for (n,)
    lines
        crystals (m, 2) of lines, and the scatter that each stands for (m,)
    """
    at = [distance_from_axis(scanner, crystals) for crystals, _ in (events, lines)]
    edges = np.linspace(0, max(float(part.max(initial=1.0)) for part in at), N_BINS + 1)
    measured, scatter = (
        np.histogram(part, edges, weights=counts)[0] / np.diff(edges)
        for part, (_, counts) in zip(at, (events, lines), strict=True)
    )
    middles = (edges[1:] + edges[:-1]) / 2
    return ScatterProfile(
        tuple(middles.tolist()), tuple(measured.tolist()), tuple(scatter.tolist())
    )
