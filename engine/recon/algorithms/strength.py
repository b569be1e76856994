"""Regularisation strength from the noise of the data, without manual tuning.

    λ = κ h · rms( Aᵀ n ),   n: noise of the strength found in y,   h: the mean spacing

Aᵀ n is the contribution of noise to the gradient of ½‖A x − y‖². A voxel that differs only by noise
gains |(Aᵀ n)_j| from the data term, and its edges cost λ / h in each direction.
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
"""At 1, noise remains as spots of a few voxels.

From 1 to 1.5, the error of simulated scans (head, jaw, tooth, cylinder; 60 or 180 views; 1000 to
30 000 photons) decreases by 9 % on average and increases by at most 3 %. From there to 2 the mean
is constant and single errors increase by at most 12 %.
"""
MIN_NOISE = 1e-3
"""Minimum noise relative to the data's RMS: voxels cannot describe edges more accurately."""
_BLOCK = 32
"""Approximate number of differences for each median."""
_REACH = 4
"""Order of the differences, which span as many pixels."""
_ROWS = 1024
"""Blocks of simulated noise with strength 1, for calibration."""
_SEED = 20090219


def tv_strength(model: LinearModel, spacing_mm: tuple[float, ...]) -> float:
    """Return λ of ½‖A x − y‖² + λ TV(x) that removes the noise and little else.

    Parameters
    ----------
    model
        line integrals
    spacing_mm
        voxel spacing along each axis
    """
    # Simulated data without noise still get a small penalty, which suppresses discretisation
    # artefacts.
    sigma = max(noise_of(model.y), MIN_NOISE * norm(model.y) / model.y.size**0.5)
    # Back projection of simulated noise: its spread in the image cannot be computed directly.
    gradient = sigma * model.A.T(_drawn_like(model.y))
    # The geometric mean of the spacing: λ has the unit of the gradient times a length.
    h = prod(spacing_mm) ** (1 / len(spacing_mm))
    return KAPPA * h * norm(gradient) / gradient.size**0.5


def _drawn_like(y: Array) -> Array:
    """Return standard normal numbers in the storage of y, drawn row by row."""
    rng = np.random.default_rng(_SEED)
    rows = (rng.standard_normal(y.shape[1:], np.float32) for _ in range(len(y)))
    of_a_row = np.dtype((y.dtype, y.shape[1:]))
    drawn: Array = module_of(y).fromiter(rows, dtype=of_a_row, count=len(y))
    return drawn


def noise_of(y: Array) -> float:
    """Return the root mean square of the noise in projections, from fourth differences of rows.

    Smooth shapes nearly vanish in these differences, and edges are rare. Each block of pixels gives
    the median of its differences, calibrated with noise of strength 1; the squares of the blocks
    are averaged. Detail finer than the pixels counts as noise. Noise that neighbours share does
    not.

    Parameters
    ----------
    y
        (..., n_columns) line integrals

    Returns
    -------
    standard deviation; 0 for rows too short for the differences
    """
    n = y.shape[-1] - _REACH
    if n < 1:
        return 0.0
    # Blocks of equal length that use nearly the whole row.
    block = n // max(1, round(n / _BLOCK))
    # The same blocks on known noise calibrate the median, whatever their size.
    drawn = np.random.default_rng(_SEED).standard_normal((_ROWS, block + _REACH))
    return _roughness(y, block) / _roughness(drawn, block)


def _roughness(y: Array, block: int) -> float:
    """Return the root mean square of the blocks' medians."""
    xp = module_of(y)
    n = (y.shape[-1] - _REACH) // block * block
    squares = 0.0
    for rows in y:  # view by view: differences of all data would need as much memory again
        differences = xp.abs(xp.diff(rows, _REACH))[..., :n]
        squares += xp.mean(xp.median(differences.reshape(-1, block), axis=1) ** 2)
    return float(squares / len(y)) ** 0.5
