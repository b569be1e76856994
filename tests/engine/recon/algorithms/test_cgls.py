"""Tests of CGLS: exact after as many steps as unknowns, damping, effect of a bad adjoint."""

import numpy as np
import pytest

from engine.core.errors import NumericalError
from engine.recon.algorithms.cgls import AT_NOISE, Cgls
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.strength import noise_of
from engine.recon.model import LinearModel
from tests.engine.recon.algorithms.linear_toys import Dense, discs, error, last, system, zeros


def test_least_squares_solution_is_reached_in_as_many_steps_as_unknowns(rng):
    model, _ = system(rng, n_rows=200)
    expected = np.linalg.lstsq(model.A.elements, model.y.ravel(), rcond=None)[0]

    steps = list(solve(Cgls(iterations=20), model, zeros(model)))

    np.testing.assert_allclose(steps[-1].image.ravel(), expected, atol=1e-7)
    assert np.abs(steps[4].image.ravel() - expected).max() > 1e-4


def test_solution_does_not_depend_on_the_start(rng):
    model, _ = system(rng)
    images = [
        last(solve(Cgls(iterations=40), model, x)) for x in (zeros(model), rng.random((4, 5)) + 3)
    ]

    np.testing.assert_allclose(*images, atol=1e-7)


def test_damped_run_reaches_the_regularised_solution(rng):
    model, _ = system(rng)
    a, y, damping = model.A.elements, model.y.ravel(), 0.2
    back = a.T @ y
    tau = damping**2 * np.sum((a @ back) ** 2) / np.sum(back**2)
    expected = np.linalg.solve(a.T @ a + tau * np.eye(20), a.T @ y)

    actual = last(solve(Cgls(iterations=60, damping=damping), model, rng.random((4, 5))))

    np.testing.assert_allclose(actual.ravel(), expected, atol=1e-7)


def test_residual_decreases_with_every_step_and_is_that_of_the_image(rng):
    model, _ = discs(rng)
    steps = list(solve(Cgls(iterations=12), model, zeros(model)))
    true = [np.linalg.norm(model.A(s.image) - model.y) / np.linalg.norm(model.y) for s in steps]

    assert np.all(np.diff(true) < 0)
    # the recursion is in float32
    np.testing.assert_allclose([s.residual for s in steps], true, rtol=1e-4)


def test_run_ends_when_no_step_improves_the_residual(rng):
    model, _ = system(rng)
    steps = list(solve(Cgls(iterations=1000), model, zeros(model)))

    assert 20 <= len(steps) < 100


def test_step_that_raises_the_residual_is_rejected_with_an_unmatched_adjoint(rng):
    model, _ = system(rng)
    a = model.A.elements
    other = a.T * rng.uniform(0.3, 1.7, a.T.shape)
    model = LinearModel(Dense(a, (4, 5), adjoint=other), model.y)

    residuals = [s.residual for s in solve(Cgls(iterations=200), model, zeros(model))]

    assert len(residuals) > 3
    assert np.all(np.diff(residuals) < 0)


def test_early_stop_gives_a_smoother_image(rng):
    model, truth = discs(rng, noise=0.05)
    settings = Cgls(iterations=40, stop_at_noise=False)
    errors = [error(s.image, truth) for s in solve(settings, model, zeros(model))]
    best = int(np.argmin(errors))

    assert 2 < best < 30
    assert errors[-1] > 1.5 * errors[best]


@pytest.mark.parametrize("noise", [0.01, 0.05])
@pytest.mark.parametrize("n_views", [30, 120])
def test_run_ends_when_the_residual_reaches_the_noise(rng, noise, n_views):
    model, truth = discs(rng, noise=noise, n_views=n_views)
    steps = list(solve(Cgls(), model, zeros(model)))
    all_steps = list(solve(Cgls(iterations=40, stop_at_noise=False), model, zeros(model)))
    level = noise_of(model.y) * model.y.size**0.5 / np.linalg.norm(model.y)
    errors = [error(step.image, truth) for step in all_steps]

    assert steps[-1].residual < level <= steps[-2].residual
    assert [step.ends for step in steps] == [""] * (len(steps) - 1) + [AT_NOISE]
    assert errors[len(steps) - 1] < 1.15 * min(errors)
    assert error(steps[-1].image, truth) < 0.75 * errors[19]


def test_noise_free_data_use_all_iterations(rng):
    model, _ = discs(rng, noise=0.0)
    steps = list(solve(Cgls(iterations=60), model, zeros(model)))

    assert [step.ends for step in steps] == [""] * 60


def test_run_that_needs_all_its_iterations_does_not_end_early(rng):
    model, _ = discs(rng)
    n = len(list(solve(Cgls(), model, zeros(model))))
    steps = list(solve(Cgls(iterations=n), model, zeros(model)))

    assert n < 20
    assert [step.ends for step in steps] == [""] * n


def test_ended_run_does_not_continue(rng):
    model, _ = discs(rng)
    steps = list(solve(Cgls(), model, zeros(model)))
    early, ended = steps[-3], steps[-1]

    assert list(solve(Cgls(), model, ended.image, done=ended.update)) == []
    rest = list(solve(Cgls(), model, early.image, done=early.update))
    assert rest[-1].ends == AT_NOISE


def test_description_states_the_maximum_of_iterations():
    assert Cgls().describe() == "CGLS, at most 20 iterations"
    assert Cgls(stop_at_noise=False).describe() == "CGLS, 20 iterations"


def test_default_settings_give_an_accurate_image(rng):
    model, truth = discs(rng, noise=0.01)

    assert error(last(solve(Cgls(), model, zeros(model))), truth) < 0.2


def test_resumed_run_gives_the_same_image(rng):
    model, _ = system(rng)
    whole = list(solve(Cgls(iterations=60), model, zeros(model)))
    rest = list(solve(Cgls(iterations=60), model, whole[6].image, done=7))

    assert rest[0].update == 8
    np.testing.assert_allclose(rest[-1].image, whole[-1].image, atol=1e-7)


def test_filter_acts_in_each_iteration_and_its_image_is_returned(rng):
    model, _ = system(rng)
    steps = list(solve(Cgls(iterations=3), model, zeros(model), between=lambda x: np.maximum(x, 0)))

    assert len(steps) == 3
    for step in steps:
        assert step.image.min() >= 0
        expected = np.linalg.norm(model.A(step.image) - model.y) / np.linalg.norm(model.y)
        assert step.residual == pytest.approx(expected, rel=1e-12)


def test_bad_pixels_are_reported(rng):
    model, _ = system(rng)
    model.y[3] = np.nan

    with pytest.raises(NumericalError, match=r"iteration 1: .* bad pixels"):
        last(solve(Cgls(), model, zeros(model)))


def test_image_without_data_is_empty(rng):
    model, _ = system(rng)
    empty = LinearModel(model.A, np.zeros_like(model.y))

    assert list(solve(Cgls(), empty, zeros(model))) == []
