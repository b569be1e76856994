"""Errors from the Hessian, compared with dense matrices and with the spread of reconstructions."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.kernels.rays.event_weights import draws_of, weights_of
from engine.operators.rays import RayProjector
from engine.recon.algorithms import linear_errors
from engine.recon.algorithms.linear_errors import linear_replicates
from engine.recon.algorithms.penalised import PenalisedLikelihood
from engine.recon.algorithms.svrg_cycle import run_cycle
from engine.recon.model import BinnedModel
from engine.recon.priors.quadratic import Quadratic
from engine.recon.priors.relative import RelativeDifference
from tests.engine.operators.ray_oracles import GRID, octant_rays

SPACING = GRID.voxel_mm[::-1]
DRAWS = draws_of(10, seed=3)
PRIORS = [
    Quadratic(SPACING, strength=0.5),
    RelativeDifference(SPACING, epsilon=1e-2, strength=2.0),
]


def likelihood_of(rng, prior, *, reproducible=False, dtype="float32", counts=20.0):
    """Return the likelihood of counts along random rays through a warm object."""
    rays = octant_rays(rng, 3_000, GRID)
    A = RayProjector(rays, GRID, on=cpu(2), reproducible=reproducible, dtype=dtype)
    truth = np.ones(GRID.shape, dtype)
    truth[1:3, 1:3, 1:3] = 3
    truth *= counts / A(truth).mean()
    background = np.full(A.out_shape, 0.5, dtype)
    y = rng.poisson(A(truth) + background).astype(dtype)
    model = BinnedModel.of(A, background, y)
    scaled = type(prior)(**{**vars(prior), "strength": prior.strength * truth.mean()})
    of = PenalisedLikelihood(model.objective(2), scaled, 1e-3 * float(truth.mean()))
    return of, model, truth


def optimum(of, x):
    # More momentum than for a ring, because two subsets with many counts agree.
    of = replace(of, momentum=0.8)
    anchor = of.anchor(x)
    for number in range(20):
        anchor = run_cycle(of, anchor, number).after
    return anchor.x


def replicates(of, x, draws, truth):
    data = of.objective.linearised(x)
    return linear_replicates(of, data, x, data.noise(draws), float(truth.mean()))


def dense(times, shape, dtype):
    """Return the matrix of a linear function of images."""
    units = np.eye(np.prod(shape), dtype=dtype).reshape(-1, *shape)
    return np.stack([times(unit).ravel() for unit in units], axis=1)


@pytest.mark.parametrize("prior", PRIORS, ids=["quadratic", "relative"])
@pytest.mark.parametrize("reproducible", [False, True])
def test_hessian_error_equals_the_solution_with_dense_matrices(
    rng, monkeypatch, prior, reproducible
):
    monkeypatch.setattr(linear_errors, "RESIDUAL", 1e-4)
    monkeypatch.setattr(linear_errors, "MAX_ITERATIONS", 200)
    of, model, truth = likelihood_of(rng, prior, reproducible=reproducible)
    x = optimum(of, truth)

    found = replicates(of, x, DRAWS, truth)

    matrix = dense(model.A.forward, GRID.shape, x.dtype).astype(np.float64)
    q = matrix @ x.ravel() + model.background
    prior_hessian = dense(lambda v: of.prior.hessian_times(x, v), GRID.shape, x.dtype)
    hessian = matrix.T @ (matrix * (model.counts / q**2)[:, np.newaxis]) + prior_hessian
    for c, image in enumerate(found):
        y = weights_of(DRAWS, c, len(q), model.counts)
        change = np.linalg.solve(hessian, matrix.T @ ((y - model.counts) / q))
        expected = np.maximum(x + change.reshape(x.shape), 0)
        np.testing.assert_allclose(image, expected, rtol=0, atol=2e-3 * abs(change).max())


def test_hessian_error_equals_the_spread_of_reconstructions(rng):
    """With a quadratic prior and many counts, the problem is nearly linear."""
    of, model, truth = likelihood_of(rng, Quadratic(SPACING, strength=0.5), counts=400.0)
    x = optimum(of, truth)
    draws = draws_of(60, seed=5)

    spread = replicates(of, x, draws, truth).std(axis=0, ddof=1)

    others = []
    for _ in range(60):
        y = rng.poisson(model.counts).astype(np.float32)
        again = BinnedModel.of(model.A, model.background, y)
        others.append(optimum(PenalisedLikelihood(again.objective(2), of.prior, of.delta), x))
    # Both standard deviations are known to 9 %, and their mean over the voxels is more precise.
    ratio = spread / np.std(others, axis=0, ddof=1)
    assert np.median(ratio) == pytest.approx(1, abs=0.05)
    assert (abs(ratio - 1) < 0.35).mean() > 0.9


def test_voxels_near_zero_have_no_error(rng):
    of, _, truth = likelihood_of(rng, PRIORS[0])
    x = optimum(of, truth)
    x[0, 0, 0] = 0

    found = replicates(of, x, DRAWS, truth)

    assert not found[:, 0, 0, 0].any()
    assert found.std(axis=0)[1:].min() > 0
