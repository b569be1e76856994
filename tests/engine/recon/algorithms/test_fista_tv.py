"""Tests of FISTA-TV: its minimum compared with another method, its strength, its steps."""

import numpy as np
import pytest
from scipy.optimize import nnls

from engine.core.errors import NumericalError
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.fista_tv import FistaTv
from engine.recon.algorithms.linear import norm
from engine.recon.algorithms.steps import norm_bound
from engine.recon.algorithms.strength import tv_strength
from engine.recon.model import LinearModel
from engine.recon.priors.gradient import Gradient
from engine.recon.priors.tv import TotalVariation
from tests.engine.recon.algorithms.linear_toys import Dense, discs, error, last, system, zeros

SPACING = (1.0, 1.5)


def objective(model, x, strength):
    tv = TotalVariation(Gradient(x.shape, SPACING)).value(x)
    return 0.5 * np.sum((model.A(x) - model.y) ** 2) + strength * tv


def primal_dual(model, strength, n_iterations=5000):
    """Return the same minimum by the primal-dual method of Chambolle & Pock with dense matrices."""
    gradient = Gradient(model.A.in_shape, SPACING)
    D = np.stack([gradient(e.reshape(model.A.in_shape)).ravel() for e in np.eye(20)], axis=1)
    K = np.concatenate([model.A.elements, D])
    step = 0.99 / np.linalg.norm(K, 2)
    x, dual, n = np.zeros(20), np.zeros(len(K)), len(model.A.elements)
    ahead = x
    for _ in range(n_iterations):
        dual = dual + step * (K @ ahead)
        dual[:n] = (dual[:n] - step * model.y.ravel()) / (1 + step)
        flow = dual[n:].reshape(2, -1)
        flow /= np.maximum(1, np.linalg.norm(flow, axis=0) / strength)
        following = np.maximum(x - step * (K.T @ dual), 0)
        ahead, x = 2 * following - x, following
    return x.reshape(model.A.in_shape)


@pytest.fixture
def toy(rng):
    model, _ = system(rng, rays=20)
    return LinearModel(model.A, model.y, spacing_mm=SPACING)


def test_minimum_equals_that_of_another_method(toy):
    strength = 0.5
    smoothing = strength / tv_strength(toy, SPACING)
    expected = primal_dual(toy, strength)

    actual = last(solve(FistaTv(iterations=300, smoothing=smoothing), toy, zeros(toy)))

    assert (expected == 0).any() and np.ptp(expected) > 0.5
    assert objective(toy, actual, strength) == pytest.approx(
        objective(toy, expected, strength), rel=1e-6
    )
    np.testing.assert_allclose(actual, expected, atol=1e-5)


def test_minimum_without_smoothing_is_the_non_negative_least_squares_solution(toy):
    expected, _ = nnls(toy.A.elements, toy.y.ravel())

    actual = last(solve(FistaTv(iterations=2000, smoothing=0), toy, zeros(toy)))

    np.testing.assert_allclose(actual.ravel(), expected, atol=1e-6)


def test_much_smoothing_gives_the_best_uniform_image(toy):
    flat = toy.A(np.ones((4, 5)))
    expected = np.vdot(flat, toy.y) / np.vdot(flat, flat)
    settings = FistaTv(iterations=100, smoothing=1000, inner=100)

    actual = last(solve(settings, toy, np.full((4, 5), expected)))

    np.testing.assert_allclose(actual, expected, rtol=1e-3)


def test_reported_residual_is_that_of_the_image(toy):
    for step in solve(FistaTv(iterations=5), toy, zeros(toy)):
        expected = np.linalg.norm(toy.A(step.image) - toy.y) / np.linalg.norm(toy.y)
        assert step.residual == pytest.approx(expected, rel=1e-10)


def test_values_stay_within_the_bounds(rng):
    model, truth = discs(rng, noise=0.1)
    settings = FistaTv(iterations=10, largest=0.025, smoothing=0.1)
    image = last(solve(settings, model, zeros(model)))

    assert image.min() == 0
    assert image.max() == np.float32(0.025) < truth.max()


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_strength_chosen_from_the_noise_is_near_the_best(rng, noise):
    model, truth = discs(rng, noise=noise)
    errors = {
        smoothing: error(
            last(solve(FistaTv(iterations=40, smoothing=smoothing), model, zeros(model))), truth
        )
        for smoothing in (0, 0.1, 0.3, 1, 3, 10)
    }

    assert errors[1] < 1.3 * min(errors.values())
    assert errors[1] < errors[0] / 2


def test_few_views_give_an_accurate_image(rng):
    model, truth = discs(rng, noise=0.0, n_views=24)

    assert error(last(solve(FistaTv(iterations=100), model, zeros(model))), truth) < 0.12


def test_resumed_run_gives_the_same_image(toy):
    settings = FistaTv(iterations=600)
    whole = list(solve(settings, toy, zeros(toy)))
    rest = list(solve(settings, toy, whole[9].image, done=10))

    assert rest[0].update == 11
    np.testing.assert_allclose(rest[-1].image, whole[-1].image, atol=1e-5)


def test_filter_acts_in_each_iteration_and_its_image_is_returned(toy):
    steps = list(solve(FistaTv(iterations=3), toy, zeros(toy), between=lambda x: x / 2 + 7))

    assert len(steps) == 3
    assert all(step.image.min() >= 7 for step in steps)


@pytest.mark.parametrize("start", [0.0, 0.4])
def test_early_image_is_the_best_one_along_the_gradient(toy, start):
    x = np.full((4, 5), start)
    early = FistaTv(non_negative=False).early_image(toy, x)

    step, gradient = x - early, toy.A.T(toy.A(x) - toy.y)
    assert np.vdot(step, gradient) == pytest.approx(norm(step) * norm(gradient))
    residuals = [toy.residual(x - factor * step) for factor in (0, 0.9, 1, 1.1)]
    assert np.argmin(residuals) == 2


def test_early_image_is_within_the_bounds(toy):
    free = FistaTv(non_negative=False).early_image(toy, zeros(toy))
    early = FistaTv(largest=0.1).early_image(toy, zeros(toy))

    np.testing.assert_array_equal(early, free.clip(0, 0.1))
    assert not np.array_equal(early, free)


def test_explained_data_have_no_early_image(toy):
    empty = LinearModel(toy.A, np.zeros_like(toy.y), spacing_mm=SPACING)

    assert FistaTv().early_image(empty, zeros(toy)) is None


def test_bad_pixels_are_reported(toy):
    toy.y[0, 3] = np.nan

    with pytest.raises(NumericalError, match=r"iteration 1: .* bad pixels"):
        last(solve(FistaTv(), toy, zeros(toy)))


def test_norm_bound_is_above_the_norm_and_close(rng):
    dense, _ = system(rng)
    true = np.linalg.norm(dense.A.elements, 2) ** 2

    assert true <= norm_bound(dense) < 1.05 * true


def test_norm_bound_of_a_projector_without_rays_is_not_zero():
    empty = Dense(np.zeros((6, 4)), (4,))

    assert norm_bound(LinearModel(empty, np.zeros((6, 1)))) == 1


def test_strength_grows_with_the_noise_and_the_projector(toy):
    once = tv_strength(toy, SPACING)
    model = LinearModel(Dense(2 * toy.A.elements, (4, 5), rays=20), 3 * toy.y)

    assert once > 0
    assert tv_strength(model, SPACING) == pytest.approx(6 * once)
    assert tv_strength(toy, tuple(2 * h for h in SPACING)) == pytest.approx(2 * once)
