import numpy as np
import pytest
from numba import njit

from engine.kernels.processor import LANES
from engine.kernels.vectors import registers as r
from engine.kernels.vectors.gathered import ROW, gathered_pairs, gathered_rows


@pytest.fixture
def places(rng):
    return rng.integers(0, 50, LANES + 3).astype(np.int32)


@pytest.mark.parametrize("offset", [0, 7])
def test_every_lane_reads_a_row_of_its_own(rng, places, offset):
    @njit
    def work(rows, places, offset, out):
        a, b, c, d = gathered_rows(rows, places, 3, offset)
        r.write(a, out, 0)
        r.write(b, out, LANES)
        r.write(c, out, 2 * LANES)
        r.write(d, out, 3 * LANES)

    rows, out = rng.random((60, ROW), np.float32), np.zeros((ROW, LANES), np.float32)
    work(rows, places, offset, out)
    np.testing.assert_array_equal(out, rows[places[3:] + offset].T)


def test_every_lane_reads_a_pair_of_its_own(rng, places):
    @njit
    def work(values, places, out):
        low, high = gathered_pairs(values, places, 3)
        r.write(low, out, 0)
        r.write(high, out, LANES)

    values, out = rng.random(60, np.float32), np.zeros((2, LANES), np.float32)
    work(values, places, out)
    np.testing.assert_array_equal(out, [values[places[3:]], values[places[3:] + 1]])
