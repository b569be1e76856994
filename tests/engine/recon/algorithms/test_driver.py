"""Tests of the common driver: functions that every algorithm gets, even one of ten lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

from engine.core.errors import NumericalError
from engine.operators.algebra import Diagonal
from engine.recon.algorithms.base import Algorithm, Iterate
from engine.recon.algorithms.driver import solve
from engine.recon.model import BinnedModel, LinearModel
from tests.engine.recon.algorithms.linear_toys import Dense, system, zeros


class Landweber(Algorithm):
    """Gradient descent with a constant step length."""

    title: ClassVar[str] = "Landweber"
    kind: Literal["landweber"] = "landweber"
    iterations: int = 12
    step: float = 0.02

    def run(self, model: LinearModel, x: Any) -> Iterator[Iterate]:
        for _ in range(self.iterations):
            x = np.maximum(0, x + self.step * model.A.T(model.y - model.A(x)))
            yield Iterate(x)


def by_hand(model, x, n, step=0.02):
    for _ in range(n):
        x = np.maximum(0, x + step * model.A.T(model.y - model.A(x)))
    return x


def test_images_are_numbered_and_follow_the_formula(rng):
    model, _ = system(rng)
    steps = list(solve(Landweber(), model, zeros(model)))

    assert [(s.update, s.iteration, s.subset) for s in steps] == [(k, k, 1) for k in range(1, 13)]
    np.testing.assert_array_equal(steps[-1].image, by_hand(model, zeros(model), 12))


def test_resumed_run_gives_the_same_bits(rng):
    model, _ = system(rng)
    steps = list(solve(Landweber(), model, zeros(model)))
    rest = list(solve(Landweber(), model, steps[4].image, done=5))

    assert [s.update for s in rest] == list(range(6, 13))
    np.testing.assert_array_equal(rest[-1].image, steps[-1].image)
    assert list(solve(Landweber(), model, steps[-1].image, done=12)) == []


def test_filter_acts_after_each_iteration_and_the_next_starts_from_its_image(rng):
    model, _ = system(rng)
    steps = list(solve(Landweber(iterations=3), model, zeros(model), between=lambda x: x / 2 + 0.1))

    x = zeros(model)
    for step in steps:
        x = by_hand(model, x, 1) / 2 + 0.1
        np.testing.assert_array_equal(step.image, x)
        expected = np.linalg.norm(model.A(x) - model.y) / np.linalg.norm(model.y)
        assert step.residual == pytest.approx(expected)


def test_model_reports_the_residual(rng):
    model, _ = system(rng)
    for step in solve(Landweber(iterations=3), model, zeros(model)):
        expected = np.linalg.norm(model.A(step.image) - model.y) / np.linalg.norm(model.y)
        assert step.residual == pytest.approx(expected)
        assert step.log_likelihood is None


def test_run_ends_when_the_user_finishes_early(rng):
    model, _ = system(rng)
    requests = iter([False, False, True])
    steps = list(solve(Landweber(), model, zeros(model), finish_early=lambda: next(requests)))

    assert len(steps) == 3


def test_invalid_image_is_reported_with_its_iteration(rng):
    model, _ = system(rng)
    model.y[3] = np.nan
    steps = solve(Landweber(), model, zeros(model))

    with pytest.raises(NumericalError, match=r"iteration 1: .* bad pixels"):
        _ = next(steps).image


class Multiplied(Algorithm):
    """Maximum likelihood of counts, without the model's loop."""

    title: ClassVar[str] = "Multiplied"
    kind: Literal["multiplied"] = "multiplied"
    iterations: int = 4

    def run(self, model: Any, x: Any) -> Iterator[Iterate]:
        while True:
            x = model.em_step(x).numerator / model.sensitivity
            yield Iterate(x)


def counting_model(rng) -> BinnedModel:
    elements = rng.uniform(0.1, 1, (30, 20))
    A = Diagonal(np.ones((30, 1))) @ Dense(elements, (4, 5))
    counts = rng.poisson(A(rng.uniform(1, 9, (4, 5)))).astype(float)
    return BinnedModel.of(A, np.full((30, 1), 0.1), counts)


def test_model_reports_the_likelihood_of_counts(rng):
    model = counting_model(rng)
    steps = list(solve(Multiplied(), model, np.ones((4, 5))))

    messages = [step.log_likelihood for step in steps]
    for step in steps:
        expected = model.A(step.image) + model.background
        want = np.sum(model.counts * np.log(expected)) - np.sum(model.sensitivity * step.image)
        assert step.log_likelihood == pytest.approx(want)
    assert messages == sorted(messages)
    assert steps[0].residual is None


def test_algorithm_has_a_default_description():
    assert Landweber().describe() == "Landweber, 12 iterations"
    assert Landweber().n_passes == 3 * 12
    assert not Landweber().direct
    assert Landweber().memory.volumes > 0
