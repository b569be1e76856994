"""Regularisation strength from the noise of the data, without manual tuning.

λ = κ h · rms( Aᵀ n ),   n: noise of the strength found in y,   h: the mean spacing

Aᵀ n is what noise adds to the gradient of ½‖A x − y‖². A voxel that only noise sets apart is worth
|(Aᵀ n)_j|; its edges cost λ / h in each direction.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, module_of
from engine.recon.algorithms.linear import norm

if TYPE_CHECKING:
    from engine.recon.model import LinearModel


KAPPA = 1.5
"""At 1 noise stays as spots of a few voxels.

From 1 to 1.5 the error of simulated scans (head, jaw, tooth, cylinder; 60 or 180 views; 1000 to
30 000 photons) falls by 9 % in the mean and rises by 3 % at worst; from there to 2 the mean stays
and it rises by 12 % at worst.
"""
LEAST_NOISE = 1e-3
"""Least noise assumed, as a part of the data's root mean square: no voxels explain edges better."""
_BLOCK = 32
"""Differences that give one median, about."""
_REACH = 4
"""Order of the differences; their ends are so many pixels apart."""
_ROWS = 1024
"""Blocks of drawn noise that tell what noise of strength 1 gives."""
_SEED = 20090219


def tv_strength(model: LinearModel, spacing_mm: tuple[float, ...]) -> float:
    """λ of ½‖A x − y‖² + λ TV(x) at which noise is gone and little else."""
    sigma = max(noise_of(model.y), LEAST_NOISE * norm(model.y) / model.y.size**0.5)
    gradient = sigma * model.A.T(_drawn_like(model.y))
    h = prod(spacing_mm) ** (1 / len(spacing_mm))
    return KAPPA * h * norm(gradient) / gradient.size**0.5


def _drawn_like(y: Array) -> Array:
    """Return standard normal numbers where y lies, drawn some at a time: they may be many."""
    rng = np.random.default_rng(_SEED)
    rows = (rng.standard_normal(y.shape[1:], np.float32) for _ in range(len(y)))
    of_a_row = np.dtype((y.dtype, y.shape[1:]))
    drawn: Array = module_of(y).fromiter(rows, dtype=of_a_row, count=len(y))
    return drawn


def noise_of(y: Array) -> float:
    """Root mean square of the standard deviation of the noise, from fourth differences of rows.

    Smooth shapes leave next to nothing in them, and edges are few in most places: each block gives
    its median, as measured on noise of strength 1; the blocks' squares are averaged. Detail finer
    than the pixels counts as noise; noise that neighbours share does not.
    """
    n = y.shape[-1] - _REACH
    if n < 1:
        return 0.0
    block = n // max(1, round(n / _BLOCK))
    drawn = np.random.default_rng(_SEED).standard_normal((_ROWS, block + _REACH))
    return _roughness(y, block) / _roughness(drawn, block)


def _roughness(y: Array, block: int) -> float:
    """Root mean square of the blocks' medians."""
    xp = module_of(y)
    n = (y.shape[-1] - _REACH) // block * block
    squares = 0.0
    for rows in y:  # some at a time: as many differences as data would be much
        differences = xp.abs(xp.diff(rows, _REACH))[..., :n]
        squares += xp.mean(xp.median(differences.reshape(-1, block), axis=1) ** 2)
    return float(squares / len(y)) ** 0.5
