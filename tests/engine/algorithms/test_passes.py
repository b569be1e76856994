"""The passes over the data that an algorithm foretells are those that it makes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.algorithms import Cgls, FistaTv, Osem, Sirt
from engine.algorithms.driver import solve
from engine.model import LinearModel
from tests.engine.algorithms.linear_toys import Dense, system, zeros

SHAPE = (2, 3, 4)


class Counted(Dense):
    """A matrix that counts the rows it is applied to, forward and back."""

    n_rows = 0

    def forward(self, x):
        self.n_rows += len(self.elements)
        return super().forward(x)

    def adjoint(self, y):
        self.n_rows += len(self.elements)
        return super().adjoint(y)


@pytest.fixture
def model(rng) -> LinearModel:
    given, _ = system(rng, n_rows=60, shape=SHAPE, noise=0.1, rays=10)
    return LinearModel(Counted(given.A.elements, SHAPE, 10), given.y, spacing_mm=(1.0, 1.0, 1.0))


def passes_of(algorithm, model) -> float:
    steps = list(solve(algorithm, model, zeros(model)))
    assert len(steps) == algorithm.n_iterations * algorithm.n_subsets and np.isfinite(
        steps[-1].residual
    )
    return model.A.n_rows / 60


@pytest.mark.parametrize("n", [1, 4, 9])
def test_conjugate_gradients_go_forward_and_back_each_time(model, n):
    algorithm = Cgls(iterations=n, stop_at_noise=False)
    assert passes_of(algorithm, model) == algorithm.n_passes == 2 + 2 * n


@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize("settings", [Sirt(subsets=1), FistaTv()], ids=str)
def test_no_algorithm_makes_more_passes_than_it_foretold(model, settings, n):
    algorithm = settings.model_copy(update={"iterations": n})
    assert 2 * n <= passes_of(algorithm, model) <= algorithm.n_passes <= 3 * n + 14


def test_an_update_of_counts_goes_forward_and_back():
    assert Osem(iterations=3, subsets=4).n_passes == 6
