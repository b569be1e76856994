"""Test of MAP on simulated photons: the limits of PETRIC, and a proven optimum."""

from __future__ import annotations

import numpy as np
import pytest

from tests.physics.map_scan import CASES, MapScan, convergence

LIMITS = (0.01, 0.01, 0.005)
"""Whole object, background and regions, relative to the background."""
SEEDS = {name: range(1, 21) if name == "small-animal" else range(1, 4) for name in CASES}

OWN_STRENGTH = {"small-animal": None}
"""None: that of *standard*, chosen by the program."""
REFERENCE = 8
"""Cycles of SVRG before the Newton steps of the reference."""


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("name", "seed"), [(n, seed) for n, some in SEEDS.items() for seed in some]
)
def test_petric_limits_hold_from_pass_12_on(name: str, seed: int) -> None:
    found = convergence(MapScan(CASES[name], seed=seed), OWN_STRENGTH.get(name, 0.03), 6, REFERENCE)
    assert found.kkt < 1e-5 and found.change < 1e-3
    late = [errors for passes, errors in found.errors if passes >= 11.5]
    assert len(late) == 4 and all((np.array(errors) < LIMITS).all() for errors in late), late
