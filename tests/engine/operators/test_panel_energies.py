"""Photons of lower energy in two panels: closed forms of absorbing crystals."""

from __future__ import annotations

import numpy as np
import pytest

from engine.operators.panel_energies import TANGENTS, layer_shares, relative_efficiency
from tests.engine.geometry.panels import panels

ABSORBING = panels(
    pitch_mm=2.0, crystal_mm=2.0, thickness_mm=10.0, attenuation_per_mm=0.05, photo_fraction=1.0,
    energy_window_kev=(300.0, 750.0), energy_fwhm=0.0,
)  # fmt: skip


def test_absorbing_crystals_stop_photons_by_their_energy() -> None:
    kev = np.array([320.0, 400.0, 450.0, 511.0])
    through = 0.05 * 10 * (kev / 511.0) ** -2.6
    stopped = sum(-np.expm1(-through * np.hypot(1, t)) for t in TANGENTS)
    found = relative_efficiency(ABSORBING, kev, n_photons=1 << 14)
    assert found == pytest.approx(stopped / stopped[-1], rel=0.03)


def test_energies_below_the_window_are_not_counted() -> None:
    assert relative_efficiency(ABSORBING, np.array([180.0, 280.0]), n_photons=64).max() == 0


def test_layers_divide_photons_by_their_stopping_power() -> None:
    """Crystals without gaps: e^(−μ d / c) at the face of a layer minus that at its back."""
    n, thickness = 1 << 12, 20.0
    scanner = panels(
        n_layers=2, thickness_mm=thickness, crystal_mm=2.0, photo_fraction=1.0, energy_fwhm=0.0,
        attenuation_per_mm=0.08,
    )  # fmt: skip
    found = layer_shares(scanner, np.array([511.0]), n_photons=n)
    per_mm = 0.08 * np.hypot(1, TANGENTS)
    faces = np.exp(-per_mm[:, None] * thickness * np.array([0.0, 0.5, 1.0]))
    stopped = (faces[:, :-1] - faces[:, 1:]).sum(axis=0)
    expected = stopped / stopped.sum()
    assert found[:, 0] == pytest.approx(expected, abs=4 * np.sqrt(expected.prod() / (3 * n)))


def test_low_energy_photons_are_detected_in_front() -> None:
    scanner = panels(n_layers=3, thickness_mm=20.0)
    shares = layer_shares(scanner, np.array([400.0, 511.0]), n_photons=1 << 12)
    assert shares.sum(axis=0) == pytest.approx(1)
    assert shares[0, 0] > shares[0, 1] + 0.02 and shares[2, 0] < shares[2, 1]
    # Layers do not change the total.
    one = panels(thickness_mm=20.0)
    kev = np.linspace(250, 500, 7)
    of_all, of_one = (relative_efficiency(s, kev, n_photons=1 << 12) for s in (scanner, one))
    np.testing.assert_array_equal(of_all, of_one)
