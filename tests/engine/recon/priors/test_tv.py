"""Tests of gradient and total variation: adjoint, norm, closed forms, duality gap."""

from functools import partial

import numpy as np
import pytest

from engine.recon.priors.gradient import Gradient
from engine.recon.priors.tv import TotalVariation

SHAPE, SPACING = (3, 4, 5), (2.0, 1.0, 0.5)


def free(x):
    return x


def tv_of(shape, spacing=None):
    return TotalVariation(Gradient(shape, spacing or (1.0,) * len(shape)))


def prox(tv, v, weight, *, bounds=free, steps=2000):
    return tv.prox(v, weight, bounds=bounds, flow=tv.no_flow(v), steps=steps)


def gap(tv, x, p, weight):
    """Return primal minus dual objective of x = P(v − w ∇ᵀp)."""
    return weight * (tv.value(x) - np.vdot(p, tv.gradient(x)))


def test_gradient_of_a_ramp_is_its_slope():
    z, y, x = np.meshgrid(
        *(h * np.arange(n) for n, h in zip(SHAPE, SPACING, strict=True)), indexing="ij"
    )
    slopes = Gradient(SHAPE, SPACING)(5 * z - 2 * y + 3 * x)

    for axis, slope in enumerate((5, -2, 3)):
        inner = np.moveaxis(slopes[axis], axis, 0)
        np.testing.assert_allclose(inner[:-1], slope)
        assert not inner[-1].any()


def test_adjoint_is_the_transpose(rng):
    D = Gradient(SHAPE, SPACING)
    x, p = rng.standard_normal(SHAPE), rng.standard_normal(D.out_shape)

    assert np.vdot(D(x), p) == pytest.approx(np.vdot(x, D.T(p)))


@pytest.mark.parametrize("shape", [SHAPE, (1, 9, 9)])
def test_norm_bound_is_above_the_norm_and_close(shape):
    D = Gradient(shape, SPACING)
    matrix = np.stack([D(e.reshape(shape)).ravel() for e in np.eye(int(np.prod(shape)))])
    true = np.linalg.norm(matrix, 2) ** 2

    assert true <= D.norm_bound < 1.25 * true


def test_total_variation_of_a_square_is_its_edge_length():
    x = np.zeros((1, 8, 8))
    x[0, :4] = 3  # an edge of 8 voxels with a spacing of 2 mm

    assert tv_of((1, 8, 8), (1.0, 2.0, 1.0)).value(x) == pytest.approx(8 * 3 / 2)


def test_two_levels_get_closer_by_the_weight_over_their_length():
    v = np.concatenate([np.full(4, 1.0), np.full(10, 3.0)])

    actual, _ = prox(tv_of((14,), (0.5,)), v, 0.3)

    expected = np.concatenate([np.full(4, 1 + 0.3 / 0.5 / 4), np.full(10, 3 - 0.3 / 0.5 / 10)])
    np.testing.assert_allclose(actual, expected, atol=1e-4)


def test_uniform_image_does_not_change():
    flat = np.full(SHAPE, 0.7)

    np.testing.assert_array_equal(prox(tv_of(SHAPE, SPACING), flat, 5.0)[0], flat)


def test_large_weight_gives_the_mean(rng):
    v = rng.random(SHAPE)

    np.testing.assert_allclose(prox(tv_of(SHAPE), v, 50.0)[0], v.mean(), atol=1e-3)


def test_zero_weight_and_single_voxels_apply_only_the_bounds(rng):
    clip = partial(np.clip, a_min=0, a_max=0.5)
    v = rng.standard_normal(SHAPE)

    np.testing.assert_array_equal(prox(tv_of(SHAPE), v, 0.0, bounds=clip)[0], clip(v))
    assert prox(tv_of((1, 1)), np.array([[7.0]]), 3.0, bounds=clip)[0] == 0.5


@pytest.mark.parametrize("bounds", [free, partial(np.clip, a_min=0.2, a_max=0.6)])
def test_duality_gap_closes(rng, bounds):
    v, weight, tv = rng.random(SHAPE), 0.1, tv_of(SHAPE, SPACING)
    gaps = []
    for steps in (5, 50, 1000):
        x, p = prox(tv, v, weight, bounds=bounds, steps=steps)
        np.testing.assert_allclose(x, bounds(v - weight * tv.gradient.T(p)))
        assert np.linalg.norm(p, axis=0).max() <= 1 + 1e-12
        gaps.append(gap(tv, x, p, weight))

    assert gaps[0] > gaps[1] > gaps[2] > -1e-12
    assert gaps[2] < 1e-5 * weight * tv.value(v)


def test_warm_start_continues_at_its_dual_image(rng):
    v, weight, tv = rng.random(SHAPE), 0.1, tv_of(SHAPE)
    _, p = prox(tv, v, weight, steps=300)
    started, continued = (
        tv.prox(v, weight, bounds=free, flow=flow, steps=3) for flow in (tv.no_flow(v), p)
    )

    assert gap(tv, *continued, weight) < 0.01 * gap(tv, *started, weight)


def test_single_precision_gives_the_same_result(rng):
    v = rng.random(SHAPE)
    single, _ = prox(tv_of(SHAPE), v.astype("f4"), 0.1, steps=100)

    assert single.dtype == np.float32
    np.testing.assert_allclose(single, prox(tv_of(SHAPE), v, 0.1, steps=100)[0], atol=1e-5)
