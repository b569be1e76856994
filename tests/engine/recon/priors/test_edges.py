"""Tests of the edge-preserving prior: closed forms, and a penalised likelihood that never falls."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.operators.matrix.projector import MatrixProjector
from engine.recon.algorithms import Mlem, Osem, solve
from engine.recon.model import HistogramModel
from engine.recon.priors.edges import EdgePenalty, EdgePrior
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import random_response

RESPONSE = random_response(panels(n_rows=6, n_columns=4, n_planes=5), seed=8)


def penalty_on(shape, *, strength=1.0, delta=1.0, weights=(1.0, 1.0, 1.0)):
    return EdgePenalty(strength, delta, weights, np.ones(shape, bool))


def scan(rng, *, strength):
    A = MatrixProjector(RESPONSE, on=cpu(1))
    counts = rng.poisson(300 * A(rng.random(A.in_shape))).astype(np.float32)
    model = HistogramModel.of(A, np.full((), 0.01, np.float32), counts)
    return replace(model, prior=EdgePrior(strength, (0.5, 1.0, 0.5), float(counts.sum())))


def test_two_voxels_cost_the_hyperbola_of_their_difference():
    x = np.array([[[1.0, 4.0]]])
    found = penalty_on(x.shape, strength=0.5, delta=1.5).value(x)
    assert found == pytest.approx(0.5 * (sqrt(1 + (3 / 1.5) ** 2) - 1))


def test_equal_neighbours_pull_a_voxel_to_the_root_of_their_parabola():
    """For two voxels of 2, nothing changes if e = s x; e = 0 gives the solution without counts."""
    x, s = np.full((1, 1, 2), 2.0, np.float32), np.full((1, 1, 2), 0.5, np.float32)
    penalty = penalty_on(x.shape, strength=0.3)  # Ω = 0.3, M = 1.2
    np.testing.assert_allclose(penalty.updated(x, s * x, s), 2.0, rtol=1e-6)
    np.testing.assert_allclose(penalty.updated(x, 0 * x, s), (1.2 - 0.5) / 0.6, rtol=1e-6)
    weak = penalty_on(x.shape, strength=0.1)  # M is below s, so the voxels become 0
    np.testing.assert_allclose(weak.updated(x, 0 * x, s), 0.0, atol=1e-7)


def test_update_without_strength_is_expectation_maximisation(rng):
    x, e, s = (rng.uniform(0.1, 1, (3, 4, 5)).astype(np.float32) for _ in range(3))
    np.testing.assert_allclose(penalty_on(x.shape, strength=0).updated(x, e, s), e / s, rtol=1e-6)


def test_noise_is_that_of_a_voxel_with_its_share_of_the_counts():
    inside, s = np.ones((2, 3, 4), bool), np.full((2, 3, 4), 0.25)
    penalty = EdgePrior(0.01, (0.5, 1.0, 0.5), 24 * 9.0).within(inside, s)
    assert penalty.delta == pytest.approx(sqrt(36 / 0.25))  # 9 counts are 36 decays
    assert penalty.weights == (1.0, 0.25, 1.0)


@pytest.mark.parametrize("strength", [0.02, 2.0])
def test_penalised_likelihood_never_falls_with_one_subset(rng, strength):
    model = scan(rng, strength=strength)
    start = np.ones(model.A.in_shape, np.float32)
    penalty = model.prior.within(model.sensitivity > 0, model.sensitivity)
    images = [start] + [step.image for step in solve(Mlem(iterations=12), model, start)]
    worth = [model.log_likelihood(x)[0] - penalty.value(x) for x in images]
    rises = np.diff(worth)
    assert (rises >= -1e-6 * np.abs(worth[-1])).all()  # images are float32
    assert rises[0] > 10 * abs(rises[-1])


def test_strong_prior_gives_less_roughness(rng):
    rough = []
    for strength in (0.0, 0.1, 10.0):
        model = scan(rng, strength=strength)
        *_, last = solve(Osem(iterations=4, subsets=4), model, np.ones(model.A.in_shape, "f4"))
        rough.append(np.abs(np.diff(last.image, axis=0)).mean() / last.image.mean())
    assert rough[0] > 1.2 * rough[1] > 1.44 * rough[2]


def test_empty_voxels_stay_empty_and_have_no_effect(rng):
    """Voxels outside the support do not count as neighbours."""
    model = scan(rng, strength=0.5)
    start = np.ones(model.A.in_shape, np.float32)
    start[:, :, :6] = 0
    model = replace(model, prior=replace(model.prior, inside=start > 0))
    *_, last = solve(Osem(iterations=2, subsets=4), model, start)
    assert not last.image[:, :, :6].any()
    assert EdgePenalty(1.0, 1.0, (1, 1, 1), start > 0).value(start * 3.0) == 0
