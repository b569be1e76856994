"""CGLS: least squares in as many steps as unknowns, damped or not, and what a bad adjoint does."""

import numpy as np
import pytest

from engine.algorithms.cgls import Cgls
from engine.errors import NumericalError
from engine.model import LinearModel
from tests.engine.algorithms.linear_toys import Dense, discs, error, last, system, zeros


def test_it_comes_to_the_least_squares_in_as_many_steps_as_unknowns(rng):
    model, _ = system(rng, n_rows=200)
    want = np.linalg.lstsq(model.A.elements, model.y.ravel(), rcond=None)[0]

    steps = list(Cgls(iterations=20).run(model, zeros(model)))

    np.testing.assert_allclose(steps[-1].image.ravel(), want, atol=1e-7)
    assert np.abs(steps[4].image.ravel() - want).max() > 1e-4


def test_from_any_image_it_comes_to_the_same(rng):
    model, _ = system(rng)
    images = [
        last(Cgls(iterations=40).run(model, x)) for x in (zeros(model), rng.random((4, 5)) + 3)
    ]

    np.testing.assert_allclose(*images, atol=1e-7)


def test_damped_it_comes_to_the_regularised_solution(rng):
    model, _ = system(rng)
    a, y, damping = model.A.elements, model.y.ravel(), 0.2
    back = a.T @ y
    tau = damping**2 * np.sum((a @ back) ** 2) / np.sum(back**2)
    want = np.linalg.solve(a.T @ a + tau * np.eye(20), a.T @ y)

    got = last(Cgls(iterations=60, damping=damping).run(model, rng.random((4, 5))))

    np.testing.assert_allclose(got.ravel(), want, atol=1e-7)


def test_the_residual_falls_with_every_step_and_is_that_of_the_image(rng):
    model, _ = discs(rng)
    steps = list(Cgls(iterations=12).run(model, zeros(model)))
    true = [np.linalg.norm(model.A(s.image) - model.y) / np.linalg.norm(model.y) for s in steps]

    assert np.all(np.diff(true) < 0)
    np.testing.assert_allclose([s.residual for s in steps], true, rtol=1e-4)  # float32 recursion


def test_the_run_ends_where_no_step_helps(rng):
    model, _ = system(rng)
    steps = list(Cgls(iterations=1000).run(model, zeros(model)))

    assert 20 <= len(steps) < 100


def test_with_an_unmatched_adjoint_no_step_is_kept_that_raises_the_residual(rng):
    model, _ = system(rng)
    a = model.A.elements
    other = a.T * rng.uniform(0.3, 1.7, a.T.shape)
    model = LinearModel(Dense(a, (4, 5), adjoint=other), model.y)

    residuals = [s.residual for s in Cgls(iterations=200).run(model, zeros(model))]

    assert len(residuals) > 3
    assert np.all(np.diff(residuals) < 0)


def test_stopping_early_smooths(rng):
    model, truth = discs(rng, noise=0.05)
    errors = [error(s.image, truth) for s in Cgls(iterations=40).run(model, zeros(model))]
    best = int(np.argmin(errors))

    assert 2 < best < 30
    assert errors[-1] > 1.5 * errors[best]


def test_the_default_gives_a_sound_picture(rng):
    model, truth = discs(rng, noise=0.01)

    assert error(last(Cgls().run(model, zeros(model))), truth) < 0.2


def test_going_on_comes_to_the_same_image(rng):
    model, _ = system(rng)
    whole = list(Cgls(iterations=60).run(model, zeros(model)))
    rest = list(Cgls(iterations=60).run(model, whole[6].image, done=7))

    assert rest[0].update == 8
    np.testing.assert_allclose(rest[-1].image, whole[-1].image, atol=1e-7)


def test_the_filter_acts_in_each_iteration_and_its_image_is_told(rng):
    model, _ = system(rng)
    steps = list(Cgls(iterations=3).run(model, zeros(model), between=lambda x: np.maximum(x, 0)))

    assert len(steps) == 3
    for step in steps:
        assert step.image.min() >= 0
        want = np.linalg.norm(model.A(step.image) - model.y) / np.linalg.norm(model.y)
        assert step.residual == pytest.approx(want, rel=1e-12)


def test_bad_pixels_are_told(rng):
    model, _ = system(rng)
    model.y[3] = np.nan

    with pytest.raises(NumericalError, match=r"iteration 1: .* bad pixels"):
        last(Cgls().run(model, zeros(model)))


def test_without_data_the_image_is_empty(rng):
    model, _ = system(rng)
    empty = LinearModel(model.A, np.zeros_like(model.y))

    assert list(Cgls().run(empty, zeros(model))) == []
