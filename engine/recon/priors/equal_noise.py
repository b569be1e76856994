"""Strength of a prior with which the images of all scans have about equal noise.

A part of the image that is w voxels wide has the noise

    (σ / mean)² = k d / (n w⁴)

(after Budinger, J Nucl Med 24 (1983) 73; `engine.modalities.listmode_pet.auto_settings`). A typical
voxel sends n counts, and each count could come from any of d voxels. Without time of flight, d
increases with the width of the object; with it, d is the part of a line that the timing leaves. The
resolution in the model increases d.

A penalty of differences smooths over the w at which it outweighs the data. For a structure of
width w, the Hessian of the data is its row sum times w / d, and that of the penalty is its strength
times 1 / w². Hence w³ is proportional to strength · d, and the noise does not change with

    strength = c n^(−3/4) (16 / d)^(1/4).

All voxels of the object decide about equally: their weights are min(f, 0.1 f̄). With q the row sums
of the Hessian of the data H at the first image f,

    f_o = median of f,  n = median of q f²,  d = Σ g² q / Σ g v H(g v),  g = min(f, f_o),

with random signs v, so that the sum below estimates that of g² times the diagonal of H. One subset
is enough for it: it has the counts of thousands of voxels, and d enters only as its fourth root. A
penalty of relative differences has the factor strength · f̄ (`even_resolution`), and smooths a voxel
by that over f. For a typical voxel the strength is therefore multiplied by f_o / f̄. Otherwise a hot
organ would leave more noise in the rest of the body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array, module_of
from engine.recon.priors.even_resolution import object_weights, weighted_median

COUNTS_POWER, SHARING_POWER = 0.75, 0.25
SHARING = 16.0
"""d at which a scan with one count in each voxel has the strength c."""
MIN_COUNTS = 0.5
"""Counts below which the strength does not increase: it would lower the total of the image."""


@dataclass(frozen=True)
class TypicalVoxel:
    """A typical voxel of the object.

    Attributes
    ----------
    counts : n, counts that it sends
    sharing : d, voxels from which each count could come
    activity : f_o / f̄
    """

    counts: float
    sharing: float = SHARING
    activity: float = 1.0

    @property
    def factor(self) -> float:
        """Strength of the prior over c."""
        by_counts = max(self.counts, MIN_COUNTS) ** -COUNTS_POWER
        return float(by_counts * (SHARING / self.sharing) ** SHARING_POWER * self.activity)


def random_signs(shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return 1 or −1 for each voxel, equal on every machine and in every run.

    Parameters
    ----------
    shape
        (n_z, n_y, n_x)
    dtype
        type of the image
    """
    # Libraries do not promise equal random numbers in every version (splitmix64, as in
    # `engine.recon.algorithms.subset_order`).
    with np.errstate(over="ignore"):
        z = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    signs = np.where(z >> np.uint64(63), 1, -1).astype(dtype)
    return signs.reshape(shape)


def typical_activity_of(first: Array, row_sums: Array, activity: float) -> float:
    """Return f_o, the median activity of the object.

    Parameters
    ----------
    first
        (n_z, n_y, n_x) first image
    row_sums
        (n_z, n_y, n_x) row sums of the Hessian of the data at the first image
    activity
        f̄
    """
    return weighted_median(first, object_weights(row_sums, first, activity))


def typical_voxel(
    row_sums: Array, first: Array, activity: float, probe: Array, seen: Array
) -> TypicalVoxel:
    """Return a typical voxel of the object: its counts, and the voxels that share a count.

    Parameters
    ----------
    row_sums
        (n_z, n_y, n_x) row sums of the Hessian of the data at the first image
    first
        (n_z, n_y, n_x) first image
    activity
        f̄
    probe
        (n_z, n_y, n_x) g v, with a random sign v for each voxel and g = min(f, f_o)
    seen
        (n_z, n_y, n_x) H(g v)
    """
    xp = module_of(first)
    counts = weighted_median(row_sums * first**2, object_weights(row_sums, first, activity))
    whole = float(xp.sum(probe**2 * row_sums, dtype=np.float64))
    own = float(xp.sum(probe * seen, dtype=np.float64))
    # A scan without counts has no typical voxel.
    sharing = max(whole / own, 1.0) if own > 0 else SHARING
    typical = typical_activity_of(first, row_sums, activity)
    return TypicalVoxel(counts, sharing, typical / activity if typical > 0 else 1.0)
