"""Tests of region means over stored images: unit of the view, displayed scan only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from app.analysis.regions.regions_tab import RegionsTab
from app.state.models.images.open_volume import IMAGE, OpenVolume
from engine.analysis.regions import SphereRegion
from engine.data import FrameVolume, TimeFrame, Volume
from engine.geometry import ImageGrid

GRID = ImageGrid((9, 9, 9), (4.0, 4.0, 4.0))
BALL = SphereRegion(centre_mm=(0.0, 0.0, 0.0), diameter_mm=16.0)
PER_SUV = 370e6 / 70e3
"""Bq/mL of SUV 1 in the scan of `FACTS`, at its start."""
FACTS = {
    "scan": {
        "injected_bq": 370e6,
        "half_life_s": 6586.2,
        "injected_at": "2026-11-22T10:00:00+01:00",
        "scan_start": "2026-11-22T10:00:00+01:00",
        "weight_kg": 70.0,
        "concentration": {"decay": "start"},
    }
}


def image(value: float) -> Volume:
    return Volume(np.full(GRID.shape, value, np.float32), GRID, "Bq/mL", FACTS)


@pytest.fixture
def tab(qtbot, controls) -> RegionsTab:
    new_tab = RegionsTab(controls.context)
    qtbot.addWidget(new_tab)
    frames = [
        FrameVolume(TimeFrame(1000 * k, 1000 * k + 1000), image(PER_SUV * (k + 1)))
        for k in range(2)
    ]
    controls.session.show_file(image(PER_SUV), "frames.h5", frames=frames)
    controls.session.regions.add(BALL, "Ball")
    new_tab.show()
    return new_tab


def measured_again(qtbot, tab, controls, change: Callable[[], None]) -> None:
    """Apply a change, and wait until the regions are measured again."""
    with qtbot.waitSignal(tab.live.measured):
        change()
    qtbot.waitUntil(lambda: not controls.commands.is_busy and not tab.live._is_stale)


def curve(tab) -> list[float]:
    return [mean for _, mean, _ in tab.live.found.curves.get("Ball", [])]


def test_means_of_frames_have_the_unit_of_the_plot(qtbot, tab, controls) -> None:
    qtbot.waitUntil(lambda: bool(curve(tab)))
    assert controls.session.view.unit == "g/mL" and "g/mL" in tab.curves.head.text()
    assert curve(tab) == pytest.approx([1.0, 2.0], rel=1e-5)
    measured_again(qtbot, tab, controls, lambda: controls.session.volumes.set_suv(False))
    assert controls.session.view.unit == "Bq/mL" and "Bq/mL" in tab.curves.head.text()
    assert curve(tab) == pytest.approx([PER_SUV, 2 * PER_SUV], rel=1e-5)


def test_regions_of_another_volume_have_no_curve_over_the_frames(qtbot, tab, controls) -> None:
    volumes = controls.session.volumes
    qtbot.waitUntil(lambda: bool(curve(tab)))
    ct = Volume(np.full(GRID.shape, 40.0, np.float32), GRID, "HU")
    volumes.add(OpenVolume("file:ct", "CT", "file", ct))
    volumes.set_base("file:ct")
    measured_again(qtbot, tab, controls, lambda: controls.session.regions.add(BALL, "Ball"))
    assert [each.figures.mean for each in tab.live.found.measured] == pytest.approx([40.0])
    assert curve(tab) == [] and not tab.curves.isVisible()
    measured_again(qtbot, tab, controls, lambda: volumes.set_base(IMAGE))
    qtbot.waitUntil(lambda: len(curve(tab)) == 2)
