"""Sums over pairs of opposite rays agree with NumPy's interpolation of the same pairs."""

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from engine.kernels.opposite_rays import pair_sums


@pytest.mark.parametrize(("turn", "every"), [(2 * np.pi, 1), (2 * np.pi, 3), (4.0, 1)])
def test_sums_equal_those_of_interpolated_pairs(
    rng: np.random.Generator, turn: float, every: int
) -> None:
    n_views, n_columns, level = 50, 31, 0.4
    angles = 0.3 + np.sort(np.append(rng.uniform(0, turn, n_views - 2), [0, turn]))
    sinogram = rng.random((n_columns, n_views))
    columns, opposite = rng.uniform(0, n_columns - 1, (2, 40))
    opposite[0], columns[0] = n_columns - 1, 0
    turns = rng.uniform(0, 2 * np.pi, 40)

    rays = RegularGridInterpolator((np.arange(n_columns), angles), sinogram)
    view = angles[: n_views - 1 : every, None]
    opposite_view = 0.3 + np.mod(view + turns - 0.3, 2 * np.pi)
    within = opposite_view <= angles[-1]
    view, opposite_view = np.broadcast_to(view, within.shape)[within], opposite_view[within]
    one = rays((np.broadcast_to(columns, within.shape)[within], view)) - level
    other = rays((np.broadcast_to(opposite, within.shape)[within], opposite_view)) - level
    expected = [len(one), ((one - other) ** 2).sum(), one.sum(), (one**2).sum()]

    found = pair_sums(sinogram, angles, n_views - 1, every, columns, opposite, turns, level)

    assert within.sum() > 0 and within.all() == (turn > 4)
    assert found == pytest.approx([*expected, other.sum(), (other**2).sum()], rel=1e-12)
