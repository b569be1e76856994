"""The largest reduction of a voxel in one update of ordered subsets.

A subset of few counts sees few voxels. Its update alone, x_k+1 = x · A_kᵀ(y_k / ȳ_k) / s_k, sets
every other voxel to zero, and no later update raises a zero. So with B > 1 subsets

    x_k+1 ≥ ρ x,    ρ = max(0.1, 10^(−12 / B))

No voxel falls by more than 10¹² in a pass over the data, and each event keeps voxels on its line.
MLEM needs no bound: a voxel that no count of the whole scan sees is zero at the maximum.
"""

from __future__ import annotations

import numpy as np

LEAST_EXPECTED = 1e-30
"""Counts; a line that expects less expects none: their ratio would overflow float32."""
LEAST_FACTOR = 0.1
"""Smallest factor of one update; it is so far below 1 that updates of many counts never meet it."""
LEAST_IN_PASS = 1e-12
"""Smallest factor of a pass; float32 still holds the result after three passes."""


def least_factor(n_subsets: int) -> np.float32:
    """Return ρ, the smallest factor by which an update of one of `n_subsets` changes a voxel."""
    # one subset sees all counts: a voxel that it misses is zero at the maximum
    if n_subsets == 1:
        return np.float32(0)
    # float32, so that the processor and a GPU multiply by the same bits
    return np.float32(max(LEAST_FACTOR, LEAST_IN_PASS ** (1 / n_subsets)))
