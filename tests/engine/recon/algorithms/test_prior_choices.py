"""Choice of a prior: equal strength, one optimum each, and unchanged digests of protocols."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import engine
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.stored_protocol import digest_of, digest_of_values
from engine.recon.algorithms import Bsrem, Svrg
from engine.recon.algorithms.prior_choices import (
    PRIORS,
    HuberChoice,
    QuadraticChoice,
    RelativeDifferenceChoice,
)
from engine.recon.algorithms.svrg_cycle import run_cycle
from engine.recon.priors.scale import PriorScale
from tests.engine.recon.algorithms.ring_scan import ring_scan

SHAPE, ACTIVITY = (4, 5, 6), 3.0
OTHERS = (QuadraticChoice(), HuberChoice(edge=0.1))


@pytest.mark.parametrize("kind", PRIORS)
def test_all_priors_have_one_curvature_at_the_typical_activity(kind, rng):
    kappa = rng.uniform(0.5, 2, SHAPE)
    scale = PriorScale((2.0, 1.0, 1.0), ACTIVITY, strength=0.3, kappa=kappa)
    x, v = np.full(SHAPE, ACTIVITY), rng.normal(size=SHAPE)
    usual = QuadraticChoice().prior_for(scale).hessian_times(x, v)
    found = kind().prior_for(scale).hessian_times(x, v)
    np.testing.assert_allclose(found, usual, rtol=0.003)  # ε is 0.5 % of the activity


@pytest.mark.parametrize("prior", OTHERS, ids=lambda prior: prior.kind)
def test_map_reaches_the_optimum_of_each_prior(prior):
    scan = ring_scan()
    algorithm = Svrg(strength=0.03, prior=prior)
    ready = algorithm.prepared(scan.model(), 24)
    anchor = ready.likelihood.anchor(ready.x)
    for number in range(60):
        anchor = run_cycle(ready.likelihood, anchor, number).after
    assert ready.likelihood.kkt(anchor) < 1e-4
    # Φ(c x) is largest at c = 1, hence Σ s x = Σ y A x / (A x + b) − x · ∇R.
    x = anchor.x
    lines = scan.factors * (scan.lengths @ x.ravel())
    sensitivity = (scan.lengths.T @ scan.factors).reshape(x.shape)
    explained = (scan.counts * lines / (lines + scan.background)).sum()
    pull = ready.likelihood.pull(anchor)
    assert pull > 0.001 * explained
    assert (sensitivity * x).sum() == pytest.approx(explained - pull, rel=1e-4)
    # A run stops near the optimum by its own rule.
    last = list(islice(algorithm.run(scan.model("float32"), scan.model().start), 20))[-1]
    assert max(scan.errors(last.image, x)) < 0.01


def test_gradient_of_the_relative_difference_agrees_with_its_value():
    ready = Svrg(strength=0.1).prepared(ring_scan().model(), 8)
    anchor = ready.likelihood.anchor(ready.x)
    slope = float((anchor.x * ready.likelihood.prior_gradient(anchor.x)).sum())
    assert ready.likelihood.pull(anchor) == anchor.penalty == pytest.approx(slope, rel=0.01)


def test_bsrem_uses_the_chosen_prior():
    ready = Bsrem(prior=QuadraticChoice()).prepared(ring_scan().model(), 12)
    assert isinstance(ready.likelihood.prior, engine.priors.Quadratic)


@pytest.mark.parametrize("kind", ["map", "bsrem"])
def test_protocol_without_a_choice_has_the_relative_difference_and_its_digest(kind):
    protocol = engine.ListModeProtocol(algorithm={"kind": kind})
    assert protocol.algorithm.prior == RelativeDifferenceChoice()
    values = protocol.model_dump(mode="json", exclude_none=True)
    del values["algorithm"]["prior"]  # as older versions wrote it
    assert digest_of(protocol) == digest_of_values(values)
    huber = with_settings(protocol, ("algorithm.prior.kind=huber", "algorithm.prior.edge=0.5"))
    assert huber.algorithm.prior == HuberChoice(edge=0.5)
    assert digest_of(huber) != digest_of(protocol)


def test_algorithm_and_its_prior_can_be_set_in_one_step():
    osem = engine.ListModeProtocol(algorithm={"kind": "osem"})
    found = with_settings(osem, ("algorithm.kind=map", "algorithm.prior.kind=quadratic"))
    assert found.algorithm.prior == QuadraticChoice()
    assert "prior: Quadratic" in found.algorithm.describe()
    usual = with_settings(osem, ("algorithm=map", "algorithm.prior=huber"))
    assert usual.algorithm.prior == HuberChoice()
