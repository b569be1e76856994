from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.order import ray_order
from engine.geometry.tof import TofBins
from engine.kernels import blocks
from engine.operators.rays import RayProjector, Rays
from tests.engine.operators.ray_oracles import GRID, octant_rays

TOF = TofBins(fwhm_ps=100, bin_ps=40, n_bins=9)


@pytest.fixture
def rays(rng):
    many = octant_rays(rng, 500, GRID)
    return replace(many, tof_bins=rng.integers(0, 9, len(many.ends)).astype(np.int16))


@pytest.fixture
def x(rng):
    return rng.random(GRID.shape).astype(np.float32)


def in_order(rays: Rays, order: np.ndarray) -> Rays:
    return Rays(rays.points_mm, rays.ends[order], rays.tof_bins[order])


def exact(rays: Rays, threads: int = 2, dtype: str = "float32") -> RayProjector:
    return RayProjector(rays, GRID, on=cpu(threads), tof=TOF, dtype=dtype, reproducible=True)


def test_any_order_of_events_gives_the_same_bits(rng, rays, x):
    order = rng.permutation(len(rays.ends))
    background, values = rng.random((2, len(order))).astype(np.float32)
    once, again = exact(rays), exact(in_order(rays, order))

    numerator, expected = once.em_numerator(x, background)
    shares_again, expected_again = again.em_numerator(x, background[order])

    np.testing.assert_array_equal(shares_again, numerator)
    np.testing.assert_array_equal(expected_again, expected[order])
    np.testing.assert_array_equal(again.T(values[order]), once.T(values))


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_gives_the_same_bits(rng, rays, x, threads):
    values = rng.standard_normal(len(rays.ends)).astype(np.float32)
    two, other = exact(rays), exact(rays, threads)

    np.testing.assert_array_equal(other.em_numerator(x)[0], two.em_numerator(x)[0])
    np.testing.assert_array_equal(other.T(values), two.T(values))


@pytest.mark.parametrize("block", [7, 4096])
def test_any_size_of_blocks_gives_the_same_bits(monkeypatch, rays, x, block):
    before = exact(rays).em_numerator(x)[0]

    monkeypatch.setattr(blocks, "_SMALLEST_BLOCK", block)
    monkeypatch.setattr(blocks, "_LARGEST_BLOCK", block)

    np.testing.assert_array_equal(exact(rays).em_numerator(x)[0], before)


def test_float_sums_repeat_their_bits_with_the_same_threads(rays, x):
    A = RayProjector(rays, GRID, on=cpu(2), tof=TOF)

    np.testing.assert_array_equal(A.em_numerator(x)[0], A.em_numerator(x)[0])


def test_integer_sums_equal_float_sums(rng, rays, x):
    floating = RayProjector(rays, GRID, on=cpu(2), tof=TOF, dtype="float64")
    values = rng.standard_normal(len(rays.ends))

    numerator, truth = exact(rays, dtype="float64").em_numerator(x)[0], floating.em_numerator(x)[0]
    image, true_image = exact(rays, dtype="float64").T(values), floating.T(values)

    # 2**-33 per tap, a few hundred taps per voxel.
    assert np.abs(numerator - truth).max() < 1e-8 * truth.max()
    assert np.abs(image - true_image).max() < 1e-8 * np.abs(true_image).max()


def test_integer_sums_are_unbiased(rng, rays, x):
    A = exact(rays, dtype="float64")
    values = rng.standard_normal(len(rays.ends))

    numerator, expected = A.em_numerator(x)

    # About 60 000 taps: truncation would lose 7e-6 in total, rounding has an error of 2e-8.
    assert abs(numerator.sum() - np.count_nonzero(expected)) < 1e-6
    np.testing.assert_array_equal(A.T(-values), -A.T(values))


def test_ray_order_is_a_permutation_that_changes_no_result(rays, x):
    order = ray_order(rays.points_mm, rays.ends)

    np.testing.assert_array_equal(np.sort(order), np.arange(len(rays.ends)))
    assert not np.array_equal(order, np.arange(len(rays.ends)))
    sorted_shares = exact(in_order(rays, order)).em_numerator(x)[0]
    np.testing.assert_array_equal(sorted_shares, exact(rays).em_numerator(x)[0])


def test_ray_order_groups_neighbours(rays):
    order = ray_order(rays.points_mm, rays.ends)
    heights = rays.points_mm[rays.ends][:, :, 2].sum(axis=1)

    assert np.abs(np.diff(heights[order])).mean() < 0.5 * np.abs(np.diff(heights)).mean()


@pytest.mark.parametrize("n", [0, 5])
def test_ray_order_accepts_no_rays_and_equal_ones(n):
    points = np.array([[0.0, 0, 0], [1, 2, 3]])

    order = ray_order(points, np.tile(np.array([0, 1], np.int32), (n, 1)))

    np.testing.assert_array_equal(order, np.arange(n))
