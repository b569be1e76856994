"""Tests of the finishing filter in the model: widths of filter and scanner add in quadrature."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import engine
from engine.data.listmode import ListMode
from engine.geometry.point_spread import PointSpread
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sieve import sieved
from engine.recon.postprocess import Gaussian, Median

VOXEL_MM = (2.0, 2.0, 2.0)
SPREAD = PointSpread(np.array([0.0, 50.0]), np.array([3.0, 5.0]), np.array([3.0, 4.0]), 2.0)


@pytest.fixture
def prompts() -> ListMode:
    ring = engine.RingScanner(
        engine.RingSettings(
            name="tiny", n_rings=1, n_crystals_per_ring=8, radius_mm=50, ring_pitch_mm=4,
            max_ring_difference=0, n_tangential=4, fov_mm=(40, 4),
        )
    )  # fmt: skip
    return ListMode(ring, np.zeros((1, 2), np.int32), point_spread=SPREAD)


def protocol(*, known: bool, finishing: tuple[object, ...]) -> ListModeProtocol:
    corrections = {"resolution": {"use": "on", "with_filter": known}}
    return ListModeProtocol(corrections=corrections, finishing=finishing)


def test_widths_of_filter_and_scanner_add_in_quadrature(prompts: ListMode) -> None:
    expected = protocol(known=True, finishing=(Median(), Gaussian(fwhm_mm=4.0)))
    found = sieved(expected, prompts, VOXEL_MM).point_spread
    assert found is not None
    np.testing.assert_allclose(found.radial_mm, np.hypot(SPREAD.radial_mm, 4.0))
    np.testing.assert_allclose(found.tangential_mm, np.hypot(SPREAD.tangential_mm, 4.0))
    assert found.axial_at(np.zeros(1)) == pytest.approx(np.hypot(2.0, 4.0))


def test_nothing_changes_without_the_option_a_filter_or_the_resolution(prompts: ListMode) -> None:
    gaussian = (Gaussian(fwhm_mm=4.0),)
    without_option = sieved(protocol(known=False, finishing=gaussian), prompts, VOXEL_MM)
    assert without_option.point_spread is SPREAD
    assert sieved(protocol(known=True, finishing=()), prompts, VOXEL_MM) is prompts
    assert sieved(protocol(known=True, finishing=(Median(),)), prompts, VOXEL_MM) is prompts
    thin = replace(prompts, point_spread=None)
    assert sieved(protocol(known=True, finishing=gaussian), thin, VOXEL_MM).point_spread is None
