"""Rows added in whole vectors, compared with NumPy."""

import numpy as np
import pytest
from numba import njit

from engine.kernels.vectors.rows import LANES, add_rows


@njit
def added(out, one, other, starts, n, parts):
    add_rows(out, one, other, starts, n, parts)


@pytest.mark.parametrize("n", [0, 1, LANES - 1, LANES, 3 * LANES + 2])
def test_numbers_up_to_a_whole_vector_are_added(n, rng):
    out, one, other = rng.random((3, 60)).astype(np.float32)
    a, b = np.float32(0.3), np.float32(-1.7)
    starts = 5, 0, 11
    whole = -(-n // LANES) * LANES
    expected = out.copy()
    expected[5 : 5 + whole] += a * one[:whole] + b * other[11 : 11 + whole]
    added(out, one, other, starts, n, (a, b))
    # The bits are the same, because no operations are fused.
    np.testing.assert_array_equal(out, expected)
