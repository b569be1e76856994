"""Time-of-flight bins: millimetres from picoseconds, and the sign."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.tof import TofBins
from tests.tolerances import FLOAT64, FLOAT64_SUMS


@pytest.mark.parametrize(("fwhm_ps", "sigma_mm"), [(385, 24.507), (200, 12.731)])
def test_resolution_is_converted_to_mm(fwhm_ps: float, sigma_mm: float) -> None:
    """385 ps is 57.710 mm FWHM, 200 ps 29.979 mm."""
    # The expected values have three decimals.
    assert TofBins(fwhm_ps, 100, 1).sigma_mm == pytest.approx(sigma_mm, abs=5e-4)


@pytest.mark.parametrize("n_bins", [1, 2, 13, 400])
def test_bins_are_equal_and_centred(n_bins: int) -> None:
    bins = TofBins(300, 200, n_bins)
    assert len(bins.edges_mm) == n_bins + 1
    np.testing.assert_allclose(np.diff(bins.edges_mm), bins.bin_mm)
    np.testing.assert_allclose(bins.edges_mm, -bins.edges_mm[::-1], atol=FLOAT64_SUMS)
    np.testing.assert_allclose(bins.centres_mm, (bins.edges_mm[1:] + bins.edges_mm[:-1]) / 2)


def test_swapped_crystals_mirror_the_bin() -> None:
    """s = c (t1 − t2) / 2 changes its sign, so bin t becomes n_bins − 1 − t."""
    bins = TofBins(300, 150, 9)
    for s in (-80.0, -1.0, 0.0, 3.0, 77.0):
        t, swapped = (int(np.searchsorted(bins.edges_mm, q, side="right")) - 1 for q in (s, -s))
        assert swapped == bins.n_bins - 1 - t


def test_later_first_photon_is_nearer_the_second_crystal() -> None:
    """A source is 30 mm from the midpoint towards crystal 2, so photon 1 flies 60 mm longer."""
    t1_minus_t2_ps = 60 / 0.299792458
    bins = TofBins(300, 100, 9)
    s = t1_minus_t2_ps / bins.bin_ps * bins.bin_mm
    assert s == pytest.approx(30, rel=FLOAT64)
