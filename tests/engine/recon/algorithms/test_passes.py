"""Algorithms state the number of passes over the data that they perform."""

from __future__ import annotations

import numpy as np
import pytest

from engine.recon.algorithms import Cgls, FistaTv, Osem, Sirt
from engine.recon.algorithms.driver import solve
from engine.recon.model import LinearModel
from tests.engine.recon.algorithms.linear_toys import Dense, system, zeros

SHAPE = (2, 3, 4)


class Counted(Dense):
    """A matrix that counts the rows of all forward and back projections, also of its subsets."""

    n_rows = 0
    whole: Counted | None = None

    def forward(self, x):
        self._count()
        return super().forward(x)

    def adjoint(self, y):
        self._count()
        return super().adjoint(y)

    def subset(self, k, of):
        views = self.elements.reshape(*self.out_shape, -1)[k::of]
        rays = self.out_shape[1]
        part = Counted(views.reshape(-1, views.shape[-1]), self.in_shape, rays)
        part.whole = self
        return part

    def _count(self):
        (self.whole or self).n_rows += len(self.elements)


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
def test_conjugate_gradients_use_a_projection_and_a_back_projection_per_step(model, n):
    algorithm = Cgls(iterations=n, stop_at_noise=False)
    assert passes_of(algorithm, model) == algorithm.n_passes == 2 + 2 * n


@pytest.mark.parametrize("subsets", [2, 3])
def test_subsets_report_the_residual_of_a_pass_without_a_projection(model, subsets):
    algorithm = Sirt(iterations=4, subsets=subsets)
    for step in solve(algorithm, model, zeros(model)):
        assert step.subset < subsets or np.isfinite(step.residual)
    assert model.A.n_rows / 60 == algorithm.n_passes == 2 + 2 * 4


@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize("settings", [Sirt(subsets=1), FistaTv()], ids=str)
def test_no_algorithm_makes_more_passes_than_stated(model, settings, n):
    algorithm = settings.model_copy(update={"iterations": n})
    assert 2 * n <= passes_of(algorithm, model) <= algorithm.n_passes <= 3 * n + 14


def test_early_image_takes_the_time_of_an_iteration(model):
    algorithm = FistaTv(iterations=1)
    assert algorithm.early_image(model, zeros(model)) is not None
    early = model.A.n_rows / 60
    assert early == FistaTv.passes
    # An update from zeros needs no projection of its start.
    solved = passes_of(algorithm, model) - early
    assert early + solved <= algorithm.n_passes


def test_zero_image_is_not_projected(model):
    algorithm = FistaTv(smoothing=0)
    # compute the bound of the norm, which the model caches
    next(algorithm.run(model, zeros(model)))
    for start, passes in ((zeros(model), 2), (zeros(model) + 0.5, 3)):
        model.A.n_rows = 0
        next(algorithm.run(model, start))
        assert model.A.n_rows / 60 == passes


def test_update_of_counts_uses_a_projection_and_a_back_projection():
    assert Osem(iterations=3, subsets=4).n_passes == 6
