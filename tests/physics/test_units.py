"""A scanner that was calibrated on one phantom reads another one right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.data.timing.decay import frame_factor
from tests.physics.units import WANTED_BQ_ML, mean_decays_factor, read
from tests.tolerances import FLOAT64_SUMS

N_PAIRS = 4_000_000
"""So many that calibration and reading have a standard error of half a percent together."""
BAR_BQ_ML = 200.0


def test_the_curve_is_summed_up_as_the_formula_says() -> None:
    summed = mean_decays_factor(1800.0, 4062.6)
    assert summed * frame_factor(1800.0, 4062.6) == pytest.approx(1, rel=FLOAT64_SUMS)
    assert np.isclose(mean_decays_factor(1.0, 1e9), 1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_kilobecquerel_per_ml_are_read(tmp_path: Path) -> None:
    found = read(N_PAIRS, tmp_path)
    assert found.unit == "Bq/mL"
    assert found.bq_ml == pytest.approx(WANTED_BQ_ML, abs=BAR_BQ_ML)
