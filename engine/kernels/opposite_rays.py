"""Differences of rays that a cone beam measures twice, to find the rotation axis.

The ray at fan angle γ of the view at β is the ray at −γ of the view at β + π + 2γ, in the opposite
direction (`engine.corrections.preprocess.opposite_rays`). Both are interpolated linearly between
columns, and the second also between views.
"""

from __future__ import annotations

import math

import numpy as np

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit

_KERNEL = cached_njit(error_model="numpy")


@_KERNEL
def pair_sums(
    sinogram: Array, angles: Array, n_views: int, every: int, columns: Array, opposite: Array,
    turns: Array, level: float,
) -> tuple[int, float, float, float, float, float]:  # fmt: skip
    """Sum over all pairs of rays of every `every`-th view.

    Parameters
    ----------
    sinogram
        (n_columns, n_angles) line integrals, float64
    angles
        (n_angles,) ascending [rad]; an opposite view outside this range is missing
    n_views
        number of different views; a whole turn repeats the first one at the end
    every
        step between views
    columns, opposite
        (n,) columns of both rays
    turns
        (n,) angles from the view of the first ray to the view of the second [rad]
    level
        value near the mean of the sinogram, subtracted before squaring

    Returns
    -------
    tuple
        number of pairs; sum of squared differences; sums of the first rays, of their squares, of
        the second rays, and of their squares, all minus `level`
    """
    n_angles = len(angles)
    first, last, whole = angles[0], angles[n_angles - 1], 2 * math.pi
    per_rad = (n_angles - 1) / (last - first)
    per_step = np.zeros(n_angles - 1)
    for i in range(n_angles - 1):
        if angles[i + 1] > angles[i]:
            per_step[i] = 1 / (angles[i + 1] - angles[i])
    n, squares = 0, 0.0
    sum1, squares1, sum2, squares2 = 0.0, 0.0, 0.0, 0.0
    for c in range(len(columns)):
        k = min(int(columns[c]), len(sinogram) - 2)
        m = min(int(opposite[c]), len(sinogram) - 2)
        fraction1, fraction2 = columns[c] - k, opposite[c] - m
        left1, right1 = sinogram[k], sinogram[k + 1]
        left2, right2 = sinogram[m], sinogram[m + 1]
        i = 0
        for view in range(0, n_views, every):
            angle = angles[view] + turns[c]
            while angle >= first + whole:
                angle -= whole
            while angle < first:
                angle += whole
            if angle > last:
                continue
            # The opposite view follows the view, except at the start and after a turn.
            i += every
            if i > n_angles - 2 or angle < angles[i] or angle > angles[i + 1]:
                i = min(int((angle - first) * per_rad), n_angles - 2)
                while i < n_angles - 2 and angles[i + 1] <= angle:
                    i += 1
                while i > 0 and angles[i] > angle:
                    i -= 1
            view_fraction = (angle - angles[i]) * per_step[i]
            near = left2[i] + (right2[i] - left2[i]) * fraction2
            far = left2[i + 1] + (right2[i + 1] - left2[i + 1]) * fraction2
            value2 = near + (far - near) * view_fraction - level
            value1 = left1[view] + (right1[view] - left1[view]) * fraction1 - level
            n += 1
            squares += (value1 - value2) ** 2
            sum1 += value1
            squares1 += value1 * value1
            sum2 += value2
            squares2 += value2 * value2
    return n, squares, sum1, squares1, sum2, squares2
