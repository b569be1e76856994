"""Tests of priors with a gradient: formulas, derivatives, the same values on every device."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from engine.core.backend import cuda
from engine.core.errors import GeometryError
from engine.priors import (
    Bowsher,
    EdgePenalty,
    Huber,
    Quadratic,
    RelativeDifference,
    SmoothedTotalVariation,
)
from tests.emulator import EmulatedGpu
from tests.tolerances import FLOAT32, FLOAT32_SUMS, FLOAT64, FLOAT64_SUMS

SHAPE, SPACING = (4, 5, 6), (3.0, 2.0, 1.5)
RNG = np.random.default_rng(4)
KAPPA, ANATOMY = RNG.random(SHAPE) + 0.5, RNG.random(SHAPE)
GAMMA, EPS, DELTA = 2.0, 0.01, 0.3
PAIRS = {
    "relative": RelativeDifference(SPACING, EPS, 0.7, GAMMA, KAPPA),
    "quadratic": Quadratic(SPACING, 0.7, KAPPA),
    "huber": Huber(SPACING, DELTA, 0.7, KAPPA),
    "bowsher": Bowsher(SPACING, ANATOMY, 5, 0.7, KAPPA),
}
OTHERS = {
    "smoothed tv": SmoothedTotalVariation(SPACING, 0.05, 0.7),
    "edges": EdgePenalty(0.7, DELTA, (1.0, 0.5, 0.25), np.ones(SHAPE, bool)),
}
PRIORS = {**PAIRS, **OTHERS}
POTENTIALS = {
    "relative": lambda a, b: (a - b) ** 2 / (a + b + GAMMA * abs(a - b) + EPS),
    "quadratic": lambda a, b: (a - b) ** 2 / 2,
    "huber": lambda a, b: (
        (a - b) ** 2 / 2 if abs(a - b) <= DELTA else DELTA * (abs(a - b) - DELTA / 2)
    ),
}

each = pytest.mark.parametrize("name", PRIORS)
each_pair = pytest.mark.parametrize("name", PAIRS)


def image(seed=1, dtype=np.float64):
    return (np.random.default_rng(seed).random(SHAPE) + 0.05).astype(dtype)


def direction(seed=2):
    return np.random.default_rng(seed).standard_normal(SHAPE)


def neighbours(n):
    """Yield the neighbours of a voxel inside the image, with their distance in mm."""
    for step in product((-1, 0, 1), repeat=3):
        m = tuple(np.add(n, step))
        if any(step) and all(0 <= i < size for i, size in zip(m, SHAPE, strict=True)):
            yield m, float(np.linalg.norm(np.multiply(step, SPACING)))


@pytest.mark.parametrize("name", POTENTIALS)
def test_value_is_the_formula_summed_over_26_neighbours(name):
    """The weight is the voxel size along x over the distance; each end of a pair has half of it."""
    x, total = image(), 0.0
    for n in np.ndindex(SHAPE):
        for m, distance in neighbours(n):
            weight = SPACING[2] / distance / 2 * KAPPA[n] * KAPPA[m]
            total += weight * POTENTIALS[name](x[n], x[m])
    assert PRIORS[name].value(x) == pytest.approx(0.7 * total, rel=FLOAT64)


def test_gradient_of_the_relative_difference_equals_the_reference():
    """The SIRF and STIR projects use w κ κ (a − b) (a + 3b + γ|a − b| + 2ε) / D²."""
    x, expected = image(), np.zeros(SHAPE)
    for n in np.ndindex(SHAPE):
        for m, distance in neighbours(n):
            d, weight = x[n] - x[m], SPACING[2] / distance * KAPPA[n] * KAPPA[m]
            D = x[n] + x[m] + GAMMA * abs(d) + EPS
            expected[n] += weight * d * (x[n] + 3 * x[m] + GAMMA * abs(d) + 2 * EPS) / D**2
    np.testing.assert_allclose(PRIORS["relative"].gradient(x), 0.7 * expected, rtol=FLOAT64_SUMS)


@each
def test_gradient_is_the_slope_of_the_value(name):
    prior, x, v, h = PRIORS[name], image(), direction(), 1e-5
    slope = (prior.value(x + h * v) - prior.value(x - h * v)) / (2 * h)
    assert slope == pytest.approx(float((prior.gradient(x) * v).sum()), rel=1e-6)


@each
def test_hessian_is_the_slope_of_the_gradient(name):
    """No pair of this image is within 1e-4 of the kink of the Huber potential."""
    prior, x, v, h = PRIORS[name], image(), direction(), 1e-5
    slope = (prior.gradient(x + h * v) - prior.gradient(x - h * v)) / (2 * h)
    found = prior.hessian_times(x, v)
    np.testing.assert_allclose(found, slope, rtol=0, atol=1e-6 * np.abs(found).max())


@each
def test_hessian_is_symmetric_and_below_its_curvature(name):
    prior, x, u, v = PRIORS[name], image(), direction(2), direction(3)
    one, other = (u * prior.hessian_times(x, v)).sum(), (v * prior.hessian_times(x, u)).sum()
    assert one == pytest.approx(other, rel=FLOAT64_SUMS)
    for w in (u, v, np.sign(u), (np.indices(SHAPE).sum(0) % 2) - 0.5):
        assert 0 <= (w * prior.hessian_times(x, w)).sum() <= (prior.curvature(x) * w * w).sum()


@each
def test_constant_image_has_no_gradient_and_no_value(name):
    flat = np.full(SHAPE, 0.7)
    assert PRIORS[name].value(flat) == pytest.approx(0, abs=FLOAT64)
    np.testing.assert_allclose(PRIORS[name].gradient(flat), 0, atol=FLOAT64)


def test_relative_difference_scales_with_the_image():
    """Its degree is 1 if ε has the units of the image, so it is independent of units."""
    prior, x = PRIORS["relative"], image()
    scaled = replace(prior, epsilon=1e-3 * EPS)
    assert scaled.value(1e-3 * x) == pytest.approx(1e-3 * prior.value(x), rel=FLOAT64)
    np.testing.assert_allclose(scaled.gradient(1e-3 * x), prior.gradient(x), rtol=FLOAT64_SUMS)


def test_relative_difference_is_finite_in_an_empty_image():
    for eps in (0.0, EPS):
        prior, empty = RelativeDifference(SPACING, eps), np.zeros(SHAPE, np.float32)
        assert prior.value(empty) == 0
        for found in (prior.gradient(empty), prior.curvature(empty)):
            assert np.isfinite(found).all()


@each_pair
def test_voxel_with_zero_kappa_is_not_a_neighbour(name):
    x, kappa = image(), np.where(np.indices(SHAPE)[2] < 3, 1.0, 0.0)
    prior, changed = replace(PRIORS[name], kappa=kappa), x.copy()
    changed[:, :, 3:] = 9
    np.testing.assert_array_equal(prior.gradient(changed), prior.gradient(x))
    assert not prior.gradient(x)[:, :, 3:].any()


@each_pair
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 4), (3, 1, 1), (1, 2, 2)])
def test_thin_images_have_their_existing_neighbours(name, shape):
    anatomy = {"anatomy": np.arange(np.prod(shape)).reshape(shape)} if name == "bowsher" else {}
    prior, x = replace(PRIORS[name], kappa=None, **anatomy), image()[tuple(map(slice, shape))]
    assert prior.gradient(x).sum() == pytest.approx(prior.gradient(x[::-1]).sum(), abs=1)
    assert (np.abs(prior.gradient(x)).sum() > 0) == (np.prod(shape) > 1)


@each_pair
def test_threads_and_devices_give_the_same_bits(name):
    """This holds for both types, except the value: each device has its own order of sums."""
    for dtype in (np.float32, np.float64):
        prior, x, v = PRIORS[name], image(dtype=dtype), direction().astype(dtype)
        threaded, on = replace(prior, threads=2), cuda(EmulatedGpu())
        there, vector = on.to_device(x), on.to_device(v)
        for term in ("gradient", "curvature"):
            expected = getattr(prior, term)(x)
            assert expected.dtype == dtype
            np.testing.assert_array_equal(getattr(threaded, term)(x), expected)
            np.testing.assert_array_equal(on.to_host(getattr(prior, term)(there)), expected)
        expected = prior.hessian_times(x, v)
        np.testing.assert_array_equal(threaded.hessian_times(x, v), expected)
        np.testing.assert_array_equal(on.to_host(prior.hessian_times(there, vector)), expected)
        assert prior.value(there) == pytest.approx(prior.value(x), rel=FLOAT32)


@pytest.mark.parametrize("name", OTHERS)
def test_array_arithmetic_preserves_type_and_device(name):
    prior, x, on = PRIORS[name], image(dtype=np.float32), cuda(EmulatedGpu())
    inside = {"inside": on.to_device(np.ones(SHAPE, bool))} if name == "edges" else {}
    there = replace(prior, **inside)
    for term in ("gradient", "curvature"):
        found, expected = getattr(there, term)(on.to_device(x)), getattr(prior, term)(x)
        assert found.dtype == expected.dtype == np.float32
        np.testing.assert_allclose(on.to_host(found), expected, rtol=FLOAT32_SUMS, atol=FLOAT32)


@each_pair
def test_single_precision_is_close_to_double(name):
    prior, x, v = PRIORS[name], image(), direction()
    for term, more in (("gradient", ()), ("curvature", ()), ("hessian_times", (v,))):
        expected = getattr(prior, term)(x, *more)
        found = getattr(prior, term)(x.astype("f4"), *(each.astype("f4") for each in more))
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=FLOAT32_SUMS * np.abs(expected).max()
        )


def test_huber_is_quadratic_up_to_delta_and_linear_above():
    x = np.array([[[0.0, 0.2, 5.2]]])
    prior = Huber((1.0, 1.0, 1.0), delta=1.0)
    assert prior.value(x) == pytest.approx(0.02 + 4.5)
    np.testing.assert_allclose(prior.gradient(x), [[[-0.2, 0.2 - 1, 1]]])
    np.testing.assert_allclose(prior.hessian_times(x, x), [[[-0.2, 0.2, 0]]])


def test_bowsher_does_not_smooth_across_an_anatomical_edge():
    """Voxels of one half select only each other, so each half has its own mean."""
    halves = np.where(np.indices(SHAPE)[1] < 2, 0.0, 1.0)
    prior, x = Bowsher(SPACING, halves, 7), image()
    changed = np.where(halves > 0, 3 * x, x)
    below = halves == 0
    np.testing.assert_array_equal(prior.gradient(changed)[below], prior.gradient(x)[below])
    assert prior.gradient(x)[below].sum() == pytest.approx(0, abs=FLOAT64_SUMS)


def test_bowsher_with_all_neighbours_is_quadratic():
    x, with_all_neighbours = image(), Bowsher(SPACING, ANATOMY, 26, 0.7, KAPPA)
    np.testing.assert_array_equal(with_all_neighbours.gradient(x), PRIORS["quadratic"].gradient(x))


def test_flat_anatomy_selects_the_nearest_neighbours():
    prior, x = Bowsher((1.0, 1.0, 1.0), np.zeros((3, 3, 3)), 6), np.zeros((3, 3, 3))
    x[1, 1, 1] = 1
    found = prior.gradient(x)
    assert found[1, 1, 0] == found[1, 0, 1] == found[0, 1, 1] == -1
    assert found[0, 0, 1] > -1 / np.sqrt(2)  # selected by neither or by one of them


def test_image_of_another_grid_is_refused():
    with pytest.raises(GeometryError, match=r"expected \(4, 5, 5\)"):
        PRIORS["quadratic"].gradient(image()[:, :, 1:])
