import numpy as np
import pytest
from numba import njit

from engine.kernels.vectors.window import MARGIN, add_between, can_collect, collect

N_ROW, N_TARGET = 90, 70
STEPS = (1.0, 0.73, -0.73, 1.9, -1.9, 0.04, 0.0, 2.6, -3.1)
COLLECTED = (1.0, 0.61, -0.61, 1.9, -1.3, 2.6)


@njit
def read(target, corner, numbers, row, low, begin, step):
    add_between(target, corner, numbers, row, low, begin, step)


@njit
def spread(out, columns, shares, numbers, row, begin, step):
    collect(out, columns, shares, numbers, row, begin, step)


@njit
def can(step):
    return can_collect(step)


@pytest.fixture(scope="module")
def collecting():
    """Compile on demand, because workers that only collect tests need not compile."""
    if not can(1.0):
        pytest.skip("collecting rows requires AVX-512")


def begin_of(step: float) -> float:
    """Return a position of number 0 for which all numbers are on the row."""
    return 1.37 if step >= 0 else N_ROW - 2.21


def numbers_on_row(step: float) -> np.ndarray:
    places = begin_of(step) + step * np.arange(N_TARGET)
    return np.flatnonzero((places >= 0) & (places < N_ROW - 1))


def within_margins(row: np.ndarray) -> np.ndarray:
    return np.pad(row, MARGIN).astype(np.float32)


@pytest.mark.parametrize("step", STEPS)
def test_row_is_interpolated_linearly(rng, step):
    row, on_row = rng.normal(size=N_ROW), numbers_on_row(step)
    target = np.ones(N_TARGET, np.float32)

    read(target, 0, (on_row[0], on_row[-1] + 1), within_margins(row), 0, begin_of(step), step)

    truth = np.ones(N_TARGET)
    truth[on_row] += np.interp(begin_of(step) + step * on_row, np.arange(N_ROW), row)
    np.testing.assert_allclose(target, truth, atol=2e-5)  # positions up to 32 in float32


@pytest.mark.parametrize("step", STEPS)
def test_part_has_the_bits_of_the_whole(rng, step):
    row, on_row = rng.normal(size=N_ROW), numbers_on_row(step)
    first, stop = int(on_row[0]) + 5, int(on_row[-1]) - 2
    places = begin_of(step) + step * np.array([first, stop - 1])
    low, high = max(int(places.min()) - 1, 0), int(places.max()) + 2
    whole, part = np.zeros(N_TARGET, np.float32), np.zeros(stop - first + 4, np.float32)

    read(whole, 0, (on_row[0], on_row[-1] + 1), within_margins(row), 0, begin_of(step), step)
    # Around the needed part, the row contains values of another line.
    some = np.pad(row[low:high], MARGIN, constant_values=7e3).astype(np.float32)
    read(part, first - 2, (first, stop), some, low, begin_of(step), step)

    np.testing.assert_array_equal(part[2:-2], whole[first:stop])
    assert not part[:2].any()
    assert not part[-2:].any()


@pytest.mark.usefixtures("collecting")
@pytest.mark.parametrize("step", COLLECTED)
def test_collecting_is_the_transpose_of_reading(step):
    n_seen, n_voxels = 24, 80
    begin = 1.3 if step > 0 else 78.3 - 0.001
    on_row = [r for r in range(n_seen) if 0 <= begin + r * step < n_voxels - 1]
    reads, spreads = np.zeros((n_seen, n_voxels)), np.zeros((n_voxels, 2, n_seen))
    for voxel in range(n_voxels):
        target = np.zeros(n_seen, np.float32)
        row = within_margins(np.eye(n_voxels)[voxel])
        read(target, 0, (on_row[0], on_row[-1] + 1), row, 0, begin, step)
        reads[:, voxel] = target
    places = begin + step * np.array([on_row[0], on_row[-1]])
    reached = int(places.min()) - 1, int(places.max()) + 2
    for r in on_row:
        out = np.zeros(2 * n_voxels, np.float32)
        row = within_margins(np.eye(n_seen)[r])
        shares = np.float32(0.25), np.float32(-2.0)
        spread(out, (0, n_voxels), shares, reached, row, begin, step)
        spreads[:, :, r] = out.reshape(2, n_voxels).T

    np.testing.assert_allclose(spreads[:, 0], 0.25 * reads.T, atol=2e-6)
    np.testing.assert_allclose(spreads[:, 1], -2.0 * reads.T, atol=1e-5)
