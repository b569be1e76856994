"""Scatter that the product simulates is that of photons."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.physics.scatter import by_plane, estimated, judged, middle

N_PAIRS = 600_000
"""So many that the scatter of a plane has a standard error of 0.7 %, the middle of 1 %."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("with_tof", [False, True])
@pytest.mark.parametrize(("radius_mm", "bar"), [(100.0, 0.05), (150.0, 0.08)])
def test_scatter_is_that_of_photons_and_the_middle_true(
    radius_mm: float, bar: float, with_tof: bool, tmp_path: Path
) -> None:
    """Photons scatter more often in the middle of 30 cm than the lines beside it can tell."""
    case = judged(radius_mm, N_PAIRS, with_tof=with_tof)
    estimate = estimated(case)
    assert estimate.fraction == pytest.approx(case.pairs.scatter_fraction, rel=0.05)
    assert estimate.fit.is_plausible
    simulated, counted = by_plane(case, estimate)
    assert simulated == pytest.approx(counted, rel=0.1)
    truth, _ = middle(case, case.pairs.trues, "off", tmp_path)
    corrected, _ = middle(case, case.pairs, "on", tmp_path)
    assert corrected == pytest.approx(truth, rel=bar)
