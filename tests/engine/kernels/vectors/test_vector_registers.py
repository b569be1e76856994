import operator

import numpy as np
import pytest
from numba import njit

from engine.kernels.blocks import TAIL, aligned_zeros
from engine.kernels.processor import LANES
from engine.kernels.vectors import registers as r

LENGTH = 64
UNARY = {
    "below": (r.below, np.floor),
    "above": (r.above, np.ceil),
    "size": (r.size, np.abs),
    "tent": (r.tent, lambda x: np.maximum(0, 1 - np.abs(x))),
    "root": (r.root, np.sqrt),
}
BINARY = {
    "lower": (r.lower, np.minimum),
    "higher": (r.higher, np.maximum),
    "+": (operator.add, np.add),
    "-": (operator.sub, np.subtract),
    "*": (operator.mul, np.multiply),
    "/": (operator.truediv, np.divide),
}


@pytest.fixture
def values(rng):
    return rng.uniform(-3, 3, LENGTH).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
def test_operation_works_on_every_lane(values, name, dtype):
    instruction, truth = UNARY[name]

    @njit
    def work(x, out):
        r.write(instruction(r.read(x, 3)), out, 0)

    x, out = np.abs(values).astype(dtype), np.zeros(LANES, dtype)
    work(x, out)
    np.testing.assert_allclose(out, truth(x[3 : 3 + LANES]), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BINARY)
def test_operation_combines_the_same_lanes(values, name, dtype):
    instruction, truth = BINARY[name]

    @njit
    def work(x, out):
        r.write(instruction(r.read(x, 0), r.read(x, 5)), out, 0)

    x, out = values.astype(dtype), np.zeros(LANES, dtype)
    work(x, out)
    np.testing.assert_allclose(out, truth(x[:LANES], x[5 : 5 + LANES]), rtol=1e-6)


def test_integers_and_selections_work(values):
    @njit
    def work(x, out, wholes):
        one = r.read(x, 0)
        number = r.whole(one) + r.every(np.int32(7)) * r.whole(r.ramp(np.float32(0), np.float32(1)))
        r.write(number, wholes, 0)
        nought = r.every(np.float32(0.0))
        is_inside = (nought <= one) & (one < r.every(np.float32(2.0)))
        r.write(r.either(is_inside, r.real(number), nought), out, 0)

    out, wholes = np.zeros(LANES, np.float32), np.zeros(LANES, np.int32)
    work(values, out, wholes)
    x = values[:LANES]
    np.testing.assert_array_equal(wholes, x.astype(np.int32) + 7 * np.arange(LANES))
    np.testing.assert_array_equal(out, np.where((x >= 0) & (x < 2), wholes, 0))


def test_some_lanes_are_read_and_written(values):
    @njit
    def work(x, out, lane, stop):
        r.write_some(r.read_some(x, 4, lane, stop) + r.every(np.float32(1.0)), out, 2, lane, stop)

    for lane, stop in ((0, LANES), (2, 5), (0, 0), (LANES - 1, LANES)):
        out = np.full(LENGTH, 9, np.float32)
        work(values, out, lane, stop)
        truth = np.full(LENGTH, 9, np.float32)
        truth[2 + lane : 2 + stop] = values[4 + lane : 4 + stop] + np.float32(1)
        np.testing.assert_array_equal(out, truth)


def test_pixels_are_picked_with_their_neighbours(rng, values):
    @njit
    def work(x, places, out):
        near, far = r.picked(x, 6, r.read(places, 0))
        r.write(near, out, 0)
        r.write(far, out, LANES)
        r.write(r.gathered(x, 6, r.read(places, 0)), out, 2 * LANES)

    memory = aligned_zeros((LENGTH,))
    memory[:] = values
    places, out = rng.integers(0, 2 * LANES - 1, LANES, np.int32), np.zeros(3 * LANES, np.float32)
    work(memory, places, out)
    near, far = values[6 + places], values[7 + places]
    np.testing.assert_array_equal(out, np.concatenate([near, far, near]))


def test_lanes_are_added_by_halves(values):
    @njit
    def work(x, start):
        return r.halved(r.first_lane(start) + r.read(x, 0))

    parts = values[:LANES].copy()
    parts[0] += np.float32(0.3)
    while len(parts) > 1:
        parts = parts[: len(parts) // 2] + parts[len(parts) // 2 :]
    assert work(values, np.float32(0.3)) == parts[0]


def test_zeros_are_aligned_and_readable_behind_the_end():
    for shape in ((3, 5), (1,), (2, 7, 129)):
        zeros = aligned_zeros(shape)
        assert zeros.shape == shape
        assert not zeros.any()
        assert zeros.ctypes.data % 64 == 0
        memory = zeros.base if zeros.base.ndim == 1 else zeros.base.base
        end = zeros.ctypes.data + zeros.nbytes + 4 * TAIL
        assert end <= memory.ctypes.data + memory.nbytes


def test_a_product_and_a_sum_of_every_lane(values):
    @njit
    def work(x, out):
        r.write(r.fused(r.read(x, 0), r.read(x, 5), r.read(x, 9)), out, 0)

    out = np.zeros(LANES, np.float32)
    work(values, out)
    x = values.astype(np.float64)
    expected = x[:LANES] * x[5 : 5 + LANES] + x[9 : 9 + LANES]
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("lane", [None, 0, LANES - 1])
def test_a_single_true_lane_is_found(lane):
    @njit
    def work(x):
        return r.is_any(r.read(x, 0) < r.every(np.float32(0)))

    x = np.ones(LANES, np.float32)
    if lane is not None:
        x[lane] = -1
    assert work(x) == (lane is not None)
