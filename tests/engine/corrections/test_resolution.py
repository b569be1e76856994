"""The resolution model: its widths, and the text of its row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import engine
from engine.corrections.bin_resolution import BinResolution
from engine.corrections.resolution import MODELLED, OVERSHOOT, POINT_SPREAD, RIM, Resolution
from engine.data.input_role import with_auxiliary
from engine.data.listmode import ListMode
from engine.data.sinogram import Sinogram
from engine.geometry.point_spread import PointSpread, spread_of, uniform_spread
from engine.geometry.sinogram_layout import SinogramLayout

MEASURED = PointSpread(np.array([0.0, 50.0]), np.array([3.0, 5.0]), np.array([3.0, 4.0]), 2.0)


@pytest.fixture
def prompts() -> ListMode:
    ring = engine.RingScanner(
        engine.RingSettings(
            name="tiny", n_rings=1, n_crystals_per_ring=8, radius_mm=50, ring_pitch_mm=4,
            max_ring_difference=0, n_tangential=4, fov_mm=(40, 4),
        )
    )  # fmt: skip
    scan = ListMode(ring, np.zeros((1, 2), np.int32))
    return with_auxiliary(scan, POINT_SPREAD.key, MEASURED)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, MEASURED.scaled(MODELLED)),
        ({"with_filter": True}, MEASURED),
        ({"fwhm_mm": 4.0}, uniform_spread(4.0)),
    ],
)
def test_model_uses_a_fraction_of_the_measured_widths(
    prompts: ListMode, settings: dict[str, object], expected: PointSpread
) -> None:
    found = Resolution.model_validate(settings).apply(prompts, on=engine.cpu()).point_spread
    assert found is not None
    assert found.radial_mm == pytest.approx(expected.radial_mm)
    assert found.tangential_mm == pytest.approx(expected.tangential_mm)
    assert found.axial_at(np.zeros(1)) == pytest.approx(expected.axial_at(np.zeros(1)))


def test_row_states_the_edge_overshoot(prompts: ListMode) -> None:
    summary = Resolution().summary(prompts, prompts)
    assert "(measured), modelled 15 % narrower" in summary and summary.endswith(OVERSHOOT)
    assert Resolution(with_filter=True).summary(prompts, prompts).endswith(RIM)


def test_sinogram_uses_the_same_widths_and_reports_summed_views() -> None:
    ring = engine.RingScanner(
        engine.RingSettings(
            name="tiny", n_rings=1, n_crystals_per_ring=16, radius_mm=50, ring_pitch_mm=4,
            max_ring_difference=0, n_tangential=5, fov_mm=(40, 4),
        )
    )  # fmt: skip
    layout = SinogramLayout.of(ring, mashed=2)
    scan = Sinogram(layout, np.ones(layout.n_bins, np.float32))
    model = BinResolution()
    found = model.apply(scan, on=engine.cpu()).point_spread
    expected = spread_of(ring, float(np.hypot(40, 40)) / 2).scaled(MODELLED)
    assert found is not None and found.radial_mm == pytest.approx(expected.radial_mm)
    assert "without the width of 2 summed views" in model.summary(scan, scan)
    measured = replace(scan, auxiliary={POINT_SPREAD.key: MEASURED})
    assert "(measured), modelled 15 % narrower" in model.summary(measured, measured)
