"""Tests of nuclide constants against published tables, and of the decay law."""

import numpy as np
import pytest

from engine.data.timing.decay import NUCLIDES, decayed, frame_factor

# Decay Data Evaluation Project (LNE-LNHB / BNM), Table of Radionuclides: half-life, positrons for
# 100 decays and their standard uncertainty. https://www.lnhb.fr/nuclear-data/nuclear-data-table/
PUBLISHED = {
    "C-11": (20.361 * 60, 99.750, 0.013),
    "N-13": (9.9670 * 60, 99.818, 0.013),
    "O-15": (2.041 * 60, 99.885, 0.006),
    "F-18": (1.82890 * 3600, 96.86, 0.19),
    "Ga-68": (67.83 * 60, 88.88, 0.41),
}


@pytest.mark.parametrize("name", sorted(NUCLIDES))
def test_nuclide_constants_equal_published_values(name: str) -> None:
    half_life_s, percent, error = PUBLISHED[name]
    known = NUCLIDES[name]
    # Vendors write half-lives of older tables, which agree to 0.3 %.
    assert known.half_life_s == pytest.approx(half_life_s, rel=3e-3)
    # Two standard uncertainties, or the last digit of a constant with three digits.
    assert known.branching == pytest.approx(percent / 100, abs=max(2 * error / 100, 6e-4))


def test_frame_factor_is_the_mean_decay_within_the_frame() -> None:
    mean = np.mean([decayed(s, 600.0) for s in np.arange(1000) * 0.9 + 0.45])
    assert frame_factor(900.0, 600.0) == pytest.approx(1 / mean, rel=1e-4)
