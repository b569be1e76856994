"""Photons of less energy that two panels count: closed forms of absorbing crystals."""

from __future__ import annotations

import numpy as np
import pytest

from engine.operators.panel_energies import TANGENTS, relative_efficiency
from tests.engine.geometry.panels import panels

ABSORBING = panels(
    pitch_mm=2.0, crystal_mm=2.0, thickness_mm=10.0, attenuation_per_mm=0.05, photo_fraction=1.0,
    energy_window_kev=(300.0, 750.0), energy_fwhm=0.0,
)  # fmt: skip


def test_crystals_that_absorb_stop_what_they_stop_at_that_energy() -> None:
    kev = np.array([320.0, 400.0, 450.0, 511.0])
    through = 0.05 * 10 * (kev / 511.0) ** -2.6
    stopped = sum(-np.expm1(-through * np.hypot(1, t)) for t in TANGENTS)
    found = relative_efficiency(ABSORBING, kev, n_photons=1 << 14)
    assert found == pytest.approx(stopped / stopped[-1], rel=0.03)


def test_what_lies_below_the_window_is_not_counted() -> None:
    assert relative_efficiency(ABSORBING, np.array([180.0, 280.0]), n_photons=64).max() == 0
