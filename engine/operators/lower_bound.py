"""Largest reduction of a voxel in one update of ordered subsets.

A subset with few counts covers few voxels. Its update alone, x_k+1 = x · A_kᵀ(y_k / ȳ_k) / s_k,
sets all other voxels to zero, and no later update can raise a zero. With B > 1 subsets therefore

    x_k+1 ≥ ρ x,    ρ = max(0.1, 10^(−12 / B))

No voxel decreases by more than 10¹² in a pass over the data, and each event has voxels left on its
line. MLEM needs no bound: a voxel that no count of the scan covers is zero at the maximum.
"""

from __future__ import annotations

import numpy as np

MIN_EXPECTED = 1e-30
"""Minimum expected counts of a line; below, the ratio would overflow float32."""
MIN_FACTOR = 0.1
"""Minimum factor of one update, so low that updates with many counts never reach it."""
MIN_IN_PASS = 1e-12
"""Minimum factor of a pass; float32 can represent the result of three passes."""


def min_update_factor(n_subsets: int) -> np.float32:
    """Return ρ, the minimum factor of a voxel in one update.

    Parameters
    ----------
    n_subsets
        number of subsets

    Returns
    -------
    0 for one subset
    """
    # one subset has all counts: a voxel that it does not cover is zero at the maximum
    if n_subsets == 1:
        return np.float32(0)
    # float32, so that CPU and GPU multiply by the same bits
    return np.float32(max(MIN_FACTOR, MIN_IN_PASS ** (1 / n_subsets)))
