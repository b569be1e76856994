"""Differences of rays that a cone beam measures twice, for the search of the rotation axis.

The ray at fan angle γ of the view at β is paired with the ray at −γ of the view at β + π + 2γ
(`engine.corrections.preprocess.opposite_rays`). Both are interpolated linearly between columns, and
the second also between views.
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
    sum_one, sum_one_2, sum_other, sum_other_2 = 0.0, 0.0, 0.0, 0.0
    for c in range(len(columns)):
        k = min(int(columns[c]), len(sinogram) - 2)
        m = min(int(opposite[c]), len(sinogram) - 2)
        right, beyond = columns[c] - k, opposite[c] - m
        one_left, one_right = sinogram[k], sinogram[k + 1]
        other_left, other_right = sinogram[m], sinogram[m + 1]
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
            down = (angle - angles[i]) * per_step[i]
            near = other_left[i] + (other_right[i] - other_left[i]) * beyond
            far = other_left[i + 1] + (other_right[i + 1] - other_left[i + 1]) * beyond
            other = near + (far - near) * down - level
            one = one_left[view] + (one_right[view] - one_left[view]) * right - level
            n += 1
            squares += (one - other) ** 2
            sum_one += one
            sum_one_2 += one * one
            sum_other += other
            sum_other_2 += other * other
    return n, squares, sum_one, sum_one_2, sum_other, sum_other_2
