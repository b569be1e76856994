"""Tests of Compton scattering and energy windows against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.corrections.scatter_estimation.detection import counted
from engine.corrections.scatter_estimation.klein_nishina import differential, energy_ratio, total
from engine.corrections.scatter_estimation.multiple import over_single
from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.line_efficiency import LSO
from tests.tolerances import FLOAT64_SUMS

COSINES, WEIGHTS = np.polynomial.legendre.leggauss(60)


@pytest.mark.parametrize("kev", [1.0, 100.0, 425.0, ELECTRON_KEV])
def test_all_directions_add_up_to_the_total_cross_section(kev: float) -> None:
    found = 2 * np.pi * np.sum(WEIGHTS * differential(COSINES, kev))
    assert found == pytest.approx(float(total(np.array(kev))), rel=1e-8)


def test_low_energy_photons_follow_thomson_scattering() -> None:
    cosines = np.array([-1.0, 0.0, 1.0])
    np.testing.assert_allclose(differential(cosines, 1e-6), (1 + cosines**2) / 2, rtol=1e-6)
    assert float(total(np.array(1.0))) == pytest.approx(8 * math.pi / 3, rel=5e-3)


def test_backscattered_annihilation_photon_keeps_a_third_of_its_energy() -> None:
    assert energy_ratio(np.array([1.0, 0.0, -1.0])) == pytest.approx([1, 1 / 2, 1 / 3])


def test_window_accepts_half_at_its_edge_and_a_sharp_one_is_a_step() -> None:
    window = EnergyWindow(425.0, 650.0, 0.11)
    below, edge, inside = window.accepted(np.array([300.0, 425.0, 540.0]))
    assert edge == pytest.approx(0.5, abs=FLOAT64_SUMS)
    assert below < 1e-6
    assert inside > 0.9999
    sharp = EnergyWindow(425.0, 650.0, 0.0)
    assert sharp.accepted(np.array([424.9, 425.1, 649.9, 650.1])).tolist() == [0, 1, 1, 0]


def test_resolution_is_a_fwhm_and_scales_with_the_root_of_the_energy() -> None:
    window = EnergyWindow(425.0, 650.0, 0.1)
    fwhm = 2 * math.sqrt(2 * math.log(2))
    assert fwhm * window.sigma_kev(ELECTRON_KEV) == pytest.approx(0.1 * ELECTRON_KEV)
    assert window.sigma_kev(ELECTRON_KEV / 4) == pytest.approx(window.sigma_kev(ELECTRON_KEV) / 2)


def test_crystals_stop_more_photons_of_lower_energy() -> None:
    wide = EnergyWindow(1.0, 2000.0, 0.0)
    shares = counted(np.array([300.0, 400.0, ELECTRON_KEV]), wide, LSO)
    assert shares[0] > shares[1] > shares[2] == 1


def test_multiple_scatter_follows_poisson() -> None:
    x = 0.4
    of_two_and_more = sum(x**n / math.factorial(n) for n in range(2, 20))
    assert over_single(x) == pytest.approx((x + of_two_and_more) / x)
    assert over_single(1e-9) == pytest.approx(1)
    assert over_single(0.0) == 1
