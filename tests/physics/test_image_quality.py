"""Tests of phantoms of simulated photons: found at their position, with plausible figures."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.quality import QualityReport
from engine.analysis.quality.quality_report import Placement
from tests.physics.image_quality import position_error, report_of

N_PAIRS = 1_000_000
NEAR_MM = {"body": 2.0, "mouse": 0.5}
"""Half a voxel."""


def test_position_error_of_a_phantom_is_computed() -> None:
    report = QualityReport("", "", "", "", (), at=Placement((3.0, 0.0, 4.0), 358.0))
    assert position_error(report) == (5.0, 2.0)
    other = QualityReport("", "", "", "", (), at=Placement((0.0, 0.0, 0.0), 0.0, True))
    assert position_error(other) == (np.inf, np.inf)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("name", "group"), [("body", "Contrast recovery"), ("mouse", "Recovery")])
def test_phantom_is_found_and_recovery_grows_with_size(
    name: str, group: str, tmp_path: Path
) -> None:
    report = report_of(name, N_PAIRS, tmp_path)
    millimetres, degrees = position_error(report)
    assert millimetres < NEAR_MM[name] and degrees < 2
    sizes = [figure for figure in report.figures if figure.group == group]
    for smaller, larger in pairwise(sizes):
        spread = np.hypot(smaller.error or 0, larger.error or 0)
        assert larger.value > smaller.value - 2 * spread
    assert sizes[-1].value > 2 * sizes[0].value
