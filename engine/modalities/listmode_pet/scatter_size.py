"""How large the object of a scan is: from its μ-map, else from where its events lie.

Lines across a disc of radius a that passes photons without loss lie at s from its middle with a
density ∝ √(a² − s²): half of them within 0.404 a. Those across a body, which is darkest in its
middle, lie nearly evenly: half of them within a / 2. Without a μ-map the mean of both is taken.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.scatter.samples import LEAST_ATTENUATION, dense_mu

MOST_EVENTS = 200_000
HALF_WITHIN = (0.404 + 0.5) / 2
"""Distance that half of the lines keep within, as part of the radius."""


def size_of(prompts: ListMode) -> tuple[float, float]:
    """Return diameter and length of the object [mm]."""
    low, high = prompts.scanner.axial_range_mm
    if prompts.mu_map is not None and prompts.mu_map.values.any():
        return _of_mu_map(prompts.mu_map)
    return _width_of_events(prompts), high - low


def _of_mu_map(mu_map: Volume) -> tuple[float, float]:
    """Diameter of a disc as large as the mean slice of the object, and the length of its slices."""
    voxel = mu_map.grid.voxel_mm
    areas = (mu_map.values > LEAST_ATTENUATION * dense_mu(mu_map)).sum(axis=(1, 2))
    areas = areas[areas > 0] * (voxel[0] * voxel[1])
    return 2 * sqrt(float(areas.mean()) / pi), float(len(areas) * voxel[2])


def _width_of_events(prompts: ListMode) -> float:
    step = max(1, prompts.n_events // MOST_EVENTS)
    ends = prompts.scanner.positions_mm[prompts.crystals[::step], :2]
    a, line = ends[:, 0], ends[:, 1] - ends[:, 0]
    length = np.maximum(np.hypot(line[:, 0], line[:, 1]), 1e-9)
    s = (a[:, 0] * line[:, 1] - a[:, 1] * line[:, 0]) / length
    return 2 / HALF_WITHIN * float(np.median(np.abs(s)))
