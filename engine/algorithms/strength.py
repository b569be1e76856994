"""How strongly to regularise, from the noise of the data: no tuning by hand.

λ = κ h · rms( Aᵀ n ),   n: noise of the strength found in y,   h: the mean spacing

Aᵀ n is what noise adds to the gradient of ½‖A x − y‖². A voxel that only noise sets apart is worth
|(Aᵀ n)_j|; its edges cost λ / h in each direction.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.algorithms.linear import norm
from engine.arrays import module_of

if TYPE_CHECKING:
    from engine.model import LinearModel

Array = NDArray[Any]

KAPPA = 1.0
"""At 1 the error of noisy discs is within a quarter of the least that any other gives."""
LEAST_NOISE = 1e-4
"""Of the data's root mean square: what data without noise are taken to have."""
_BLOCK = 32
"""Differences that give one median."""
_NORMAL = 0.6744897501960817
"""Median of |z| of the standard normal distribution."""
_SEED = 20090219


def tv_strength(model: LinearModel, spacing_mm: tuple[float, ...]) -> float:
    """λ of ½‖A x − y‖² + λ TV(x) at which noise is gone and little else."""
    sigma = max(noise_of(model.y), LEAST_NOISE * norm(model.y) / model.y.size**0.5)
    drawn = np.random.default_rng(_SEED).standard_normal(model.y.shape, np.float32)
    noise = module_of(model.y).asarray(drawn.astype(model.y.dtype, copy=False))
    gradient = sigma * model.A.T(noise)
    h = prod(spacing_mm) ** (1 / len(spacing_mm))
    return KAPPA * h * norm(gradient) / gradient.size**0.5


def noise_of(y: Array) -> float:
    """Standard deviation of the noise, from second differences along the last axis.

    Edges are few in most places, so each block gives its median; the blocks' squares are averaged.
    """
    xp = module_of(y)
    block = min(_BLOCK, y.shape[-1] - 2)
    if block < 1:
        return 0.0
    n = (y.shape[-1] - 2) // block * block
    bend = xp.abs(y[..., :-2] - 2 * y[..., 1:-1] + y[..., 2:])[..., :n] / 6**0.5
    medians = xp.median(bend.reshape(-1, block), axis=1)
    return norm(medians) / medians.size**0.5 / _NORMAL
