"""Tests of Newton's reference of MAP against a long run of SVRG, on a small exact ring."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from engine.recon.algorithms import Svrg
from engine.recon.algorithms.penalised import PenalisedLikelihood
from engine.recon.algorithms.svrg_cycle import run_cycle
from tests.engine.recon.algorithms.ring_scan import ring_scan
from tests.physics.map_scan import in_float32
from tests.physics.references.map_optimum import newton_steps, optimum_of


def few_counts():
    """Return counts with a mean of 3 in each line, because many voxels then end at 0."""
    scan = ring_scan()
    rng = np.random.default_rng(3)
    mean = scan.counts * (3 / scan.counts.mean())
    return replace(
        scan,
        counts=rng.poisson(mean).astype(float),
        background=scan.background * (3 / scan.counts.mean()),
    )


def likelihoods(scan) -> tuple[PenalisedLikelihood, PenalisedLikelihood, np.ndarray]:
    ready = Svrg(strength=0.03).prepared(scan.model(), 24)
    of = ready.likelihood
    return of, in_float32(of, scan.model("float32").objective(24)), ready.x


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("scan", [ring_scan, few_counts])
def test_newton_steps_reach_the_optimum_of_a_long_svrg_run(scan):
    scan = scan()
    of, fast, x = likelihoods(scan)
    anchor = of.anchor(x)
    for number in range(96):
        anchor = run_cycle(of, anchor, number).after
    found = optimum_of(of, fast, x)
    level = anchor.x[scan.around].mean()
    assert found.kkt < 1e-7 and of.kkt(anchor) < 1e-5
    assert np.sqrt(((found.x - anchor.x) ** 2).mean()) < 1e-3 * level
    assert of.anchor(found.x).value > anchor.value - 1e-6  # its rounding
    assert found.n_passes < 288  # those of SVRG


def test_uniform_start_reaches_the_same_optimum():
    of, fast, x = likelihoods(few_counts())
    found = optimum_of(of, fast, x)
    other = optimum_of(of, fast, np.where(of.seen, x.mean(), 0.0))
    assert other.kkt < 1e-7
    assert np.abs(other.x - found.x).max() < 1e-3 * x.max()


def test_every_step_increases_the_objective_and_doubled_passes_change_little():
    scan = few_counts()
    of, fast, x = likelihoods(scan)
    steps = list(islice(newton_steps(of, fast, x), 12))
    assert all(np.diff([step.value for step in steps]) > -1e-9 * abs(steps[0].value))
    assert steps[0].kkt > 1e-4 and min(step.kkt for step in steps) < 1e-7
    found = optimum_of(of, fast, x)
    assert found.n_passes > found.n_earlier
    assert np.sqrt(((found.x - found.earlier) ** 2).mean()) < 1e-3 * found.x[scan.around].mean()
