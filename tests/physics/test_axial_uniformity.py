"""Tests of axial uniformity of a cylinder of simulated photons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.physics.axial_uniformity import (
    CASES,
    PLACES,
    axial_profile,
    measured,
    reconstructed,
    relative,
)


def test_profile_is_relative_to_its_middle() -> None:
    z = np.linspace(-1, 1, 201)
    cells = relative(2.0 + np.abs(z), z)
    # the middle cell averages a kink of depth 0.05
    assert cells[0][0] == pytest.approx(1.0, abs=0.03)
    # cells contain entire samples of 0.01, of a slope of 1 / 2.05
    assert cells[4][0] == pytest.approx(2.8 / 2.05, abs=0.01)
    assert all(error < 0.01 for _, error in cells)


N_PAIRS = 2_000_000
"""Number of pairs for a standard error of 0.4 % in the ratio of ends and middle."""
BAR = 0.02


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["short", "long", "safir"])
def test_cylinder_ends_equal_its_middle(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    profile, z = axial_profile(reconstructed(case, N_PAIRS, tmp_path), case.radius_mm)
    ends = profile[(np.abs(z) > 0.6) & (np.abs(z) < 0.9)].mean()
    middle = profile[np.abs(z) < 0.3].mean()
    assert ends / middle == pytest.approx(1.0, abs=BAR)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_measured_normalisation_gives_a_flat_profile_to_nine_tenths(tmp_path: Path) -> None:
    case = CASES["safir"]
    lines = measured(case, N_PAIRS, tmp_path)
    volume = reconstructed(case, N_PAIRS, tmp_path, lines)
    cells = relative(*axial_profile(volume, case.radius_mm))
    flat = [value for place, (value, _) in zip(PLACES, cells, strict=True) if place <= 0.9]
    # the standard error of a cell is 1 %
    assert flat == pytest.approx([1.0] * 6, abs=0.03)
