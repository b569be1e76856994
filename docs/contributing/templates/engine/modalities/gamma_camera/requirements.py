"""Memory and time of a gamma camera run."""

from __future__ import annotations

from engine.geometry.grid import ImageGrid
from engine.io.safety.budget import free_memory
from engine.modalities.gamma_camera.protocol import GammaCameraProtocol
from engine.modalities.requirements import BASE_BYTES, KERNELS_S, START_S, Requirements

IMAGES, SCANS = 8, 6
"""Float32 images and scans in memory at the same time."""
WEIGHT_BYTES = 2 * 2 * (4 + 4)
"""Two bins of each voxel and view: value and index, for all views and for the subsets."""
WEIGHTS_PER_SECOND = 2e8
"""Estimate for one core; measure it for your own modality."""


def estimate(
    protocol: GammaCameraProtocol, grid: ImageGrid, n_views: int, left: float = 1.0
) -> Requirements:
    """Return memory and time; `left` is the part of the updates that remains."""
    n_rows, n_bins, _ = grid.shape
    n_weights = n_views * n_bins * n_bins
    memory = BASE_BYTES + n_weights * WEIGHT_BYTES
    memory += 4 * (IMAGES * grid.n_voxels + SCANS * n_views * n_rows * n_bins)
    pass_s = 4 * n_weights * n_rows / WEIGHTS_PER_SECOND
    stages = {
        "start": START_S,
        "kernels": KERNELS_S,
        "sensitivity": pass_s,
        "reconstruct": left * protocol.algorithm.n_iterations * pass_s,
    }
    return Requirements(memory, free_memory(), stages)
