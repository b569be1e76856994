"""Gaussian smoothing of a volume, one axis after the other: the twin of gaussian.cu.

    g_i = w_0 f_i + Σ_k w_k (f_{i − k} + f_{i + k}),   k = 1 ... K,   w_k ∝ exp(−k² / (2 s²))

f, g : line of voxels before and after smoothing
w : weights with w_0 + 2 Σ_k w_k = 1
K : number of neighbours on each side
s : width that gives the weights the variance σ² [voxels]; s = σ for σ ≥ `SAMPLED_TRUE`

At its ends a line continues as its mirror image, with the outermost voxel twice. Weights, products
and sums are float64, k by k, without fused multiply-adds. The result of each axis is rounded to the
type of the image. The bits are therefore those of the GPU.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit

_KERNEL = cached_njit(error_model="numpy")
MIN_SIGMA = 1e-15
"""Axes with a smaller sigma (voxels) are not smoothed."""
SAMPLED_TRUE = 1.0
"""Minimum σ (voxels) with which the samples of a Gaussian have the correct width."""


def weights_of(sigma: float, truncate: float) -> NDArray[np.float64]:
    """Return (K + 1,) weights w_0 ... w_K of a Gaussian.

    Samples of a narrow Gaussian have a smaller variance than the Gaussian: 10 % less at σ = 0.52. A
    slightly wider Gaussian is sampled instead, so that the weights have the variance σ².

    Parameters
    ----------
    sigma
        standard deviation in voxels, greater than 0
    truncate
        truncation in standard deviations; K = truncate · sigma, rounded, and at least 1 for narrow
        Gaussians
    """
    if sigma >= SAMPLED_TRUE:
        return _sampled(sigma, int(truncate * sigma + 0.5))
    # Bisection for the width of the samples. There is at least one neighbour: its weight tends to
    # σ²/2.
    low, high, reach = 0.0, SAMPLED_TRUE + 0.01, max(1, int(truncate * sigma + 0.5))
    for _ in range(60):
        middle = (low + high) / 2
        if _variance(_sampled(middle, reach)) < sigma**2:
            low = middle
        else:
            high = middle
    return _sampled(high, reach)


def _sampled(sigma: float, reach: int) -> NDArray[np.float64]:
    one_side = np.exp(-0.5 / sigma**2 * np.arange(reach + 1.0) ** 2)
    found: NDArray[np.float64] = one_side / (2 * one_side[1:].sum() + one_side[0])
    return found


def _variance(weights: NDArray[np.float64]) -> float:
    return float(2 * (np.arange(len(weights)) ** 2 * weights).sum())


@_KERNEL
def mirrored(i: int, n: int) -> int:
    """Return the voxel 0 ... n - 1 at a position of the mirrored line.

    Parameters
    ----------
    i
        position, of any value
    n
        length of the line
    """
    i = i % (2 * n)
    return i if i < n else 2 * n - 1 - i


@_KERNEL
def along_rows(image: Array, weights: Array, out: Array) -> None:
    """Smooth rows of an image.

    Parameters
    ----------
    image
        (n_lines, n)
    weights
        (K + 1,) w_0 ... w_K
    out
        (n_lines, n), which are written
    """
    n_lines, n = image.shape
    reach = len(weights) - 1
    line, total = np.empty(n + 2 * reach), np.empty(n)
    for j in range(n_lines):
        for i in range(len(line)):
            line[i] = image[j, mirrored(i - reach, n)]
        for i in range(n):
            total[i] = weights[0] * line[i + reach]
        for k in range(1, reach + 1):
            weight = weights[k]
            for i in range(n):
                total[i] += weight * (line[i + reach - k] + line[i + reach + k])
        for i in range(n):
            out[j, i] = total[i]


@_KERNEL
def across_rows(image: Array, weights: Array, out: Array) -> None:
    """Smooth along the second axis, a row of x at a time.

    Parameters
    ----------
    image
        (n_blocks, n, n_beside, n_x)
    weights
        (K + 1,) w_0 ... w_K
    out
        same shape, which is written
    """
    n_blocks, n, n_rows, n_x = image.shape
    # A whole row of x is summed at once, which can be vectorised.
    total = np.empty(n_x)
    for b in range(n_blocks):
        for row in range(n_rows):
            for j in range(n):
                for i in range(n_x):
                    total[i] = weights[0] * np.float64(image[b, j, row, i])
                for k in range(1, len(weights)):
                    before, behind, weight = mirrored(j - k, n), mirrored(j + k, n), weights[k]
                    for i in range(n_x):
                        one = np.float64(image[b, before, row, i])
                        total[i] += weight * (one + np.float64(image[b, behind, row, i]))
                for i in range(n_x):
                    out[b, j, row, i] = total[i]


def smooth(image: Array, weights: tuple[NDArray[np.float64] | None, ...]) -> Array:
    """Return a smoothed volume.

    Parameters
    ----------
    image
        (n_z, n_y, n_x), not changed
    weights
        weights along z, y and x; None: not smoothed

    Returns
    -------
    contiguous, same shape and dtype
    """
    n_z, n_y, n_x = image.shape
    current, result = np.ascontiguousarray(image), np.empty(image.shape, image.dtype)
    # The buffers alternate, so the caller's image must not be one of them.
    if current is image:
        current = image.copy()
    along_z, along_y, along_x = weights
    if along_z is not None:
        across_rows(current[None], along_z, result[None])
        current, result = result, current
    if along_y is not None:
        across_rows(current[:, :, None], along_y, result[:, :, None])
        current, result = result, current
    if along_x is not None:
        along_rows(current.reshape(n_z * n_y, n_x), along_x, result.reshape(n_z * n_y, n_x))
        current, result = result, current
    return current
