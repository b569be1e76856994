"""MAP of photons that share no code with the engine: PETRIC's limits, and a proven optimum."""

from __future__ import annotations

import numpy as np
import pytest

from tests.physics.map_scan import MouseScan, passes_and_errors

BARS = (0.01, 0.01, 0.005)
"""Whole object, background and regions, relative to the background."""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_limits_of_petric_are_met_by_pass_12_and_then_hold() -> None:
    kkt, change, found = passes_and_errors(MouseScan(), 0.03, 6, 16)
    assert kkt < 1e-5 and change < 1e-3
    late = [errors for passes, errors in found if passes >= 11.5]
    assert len(late) == 4 and all((np.array(errors) < BARS).all() for errors in late), late
