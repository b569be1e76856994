"""Tests of a scanner calibrated with one phantom and used to measure another one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.data.timing.decay import frame_factor
from tests.physics.units import WANTED_BQ_ML, mean_decays_factor, read
from tests.tolerances import FLOAT64_SUMS

N_PAIRS = 4_000_000
"""Number of pairs for a total standard error of 0.5 % of calibration and reading."""
BAR_BQ_ML = 200.0


def test_numerical_decay_integral_equals_the_formula() -> None:
    summed = mean_decays_factor(1800.0, 4062.6)
    assert summed * frame_factor(1800.0, 4062.6) == pytest.approx(1, rel=FLOAT64_SUMS)
    assert np.isclose(mean_decays_factor(1.0, 1e9), 1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_phantom_of_ten_kilobecquerel_per_ml_is_measured_correctly(tmp_path: Path) -> None:
    found = read(N_PAIRS, tmp_path)
    assert found.unit == "Bq/mL"
    assert found.bq_ml == pytest.approx(WANTED_BQ_ML, abs=BAR_BQ_ML)
