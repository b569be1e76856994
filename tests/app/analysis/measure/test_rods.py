"""Tests of the Derenzo table, which states the rods that the displayed image resolves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from app.analysis.measure.rods_panel import RodsBox, csv_of, table_of
from app.state.models.device_choice import DeviceChoice
from app.state.models.inputs import Input
from app.state.models.session import Session
from engine.data.histogram import Histogram
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_scanner
from engine.modalities.dual_head_pet.histogram_summary import HistogramSummary
from engine.simulate.phantoms import derenzo

GRID = ImageGrid((144, 6, 144), (0.25, 4.0, 0.25))
RADIUS_MM = 17.0


@pytest.fixture(scope="module")
def sharp() -> Volume:
    return derenzo(radius_mm=RADIUS_MM, along="y").rasterise(GRID)


def blurred(volume: Volume, fwhm_mm: float) -> Volume:
    sigma = fwhm_mm / 2.355 / 0.25
    values = ndimage.gaussian_filter(volume.values, (sigma, 0, sigma))
    return replace(volume, values=values.astype(np.float32))


@pytest.fixture
def box(qtbot, qapp, sharp) -> RodsBox:
    session = Session(DeviceChoice("auto", ()))
    saved = []
    new_box = RodsBox(session, lambda *message: saved.append(message))
    new_box.saved, new_box.session = saved, session
    qtbot.addWidget(new_box)
    session.view.set_volume(sharp)
    new_box.show()
    return new_box


def test_smallest_rods_are_unresolved_first_as_blur_grows(sharp):
    resolved = [
        [row.resolved for row in table_of(blurred(sharp, fwhm), RADIUS_MM, "y")]
        for fwhm in (0.3, 2.0, 12.0)
    ]
    assert all(resolved[0]) and not any(resolved[2])
    assert resolved[1] == sorted(resolved[1], reverse=True)
    assert 0 < sum(resolved[1]) < len(resolved[1])


def test_rods_are_listed_only_if_the_user_confirms_the_phantom(box):
    assert box.rows == [] and not box.is_derenzo.isChecked()
    box.is_derenzo.setChecked(True)
    box.axis.setCurrentIndex(box.axis.findData("y"))
    box.radius.show_value(RADIUS_MM)
    box.refresh()
    assert [row.diameter_mm for row in box.rows] == [2.4, 2.0, 1.7, 1.35, 1.0, 0.75]
    assert all(row.resolved for row in box.rows)


def test_simulated_scan_states_the_positions_of_its_rods(box):
    scanner = read_scanner("test-panels")
    counts = np.ones(scanner.n_lors, np.float32)
    info = {"rods": {"radius_mm": RADIUS_MM, "along": "y"}}
    scan = HistogramSummary.of(Histogram(scanner, counts, info=info))
    box.session.study.set_input("data", Input("rods.h5", "a histogram", content=scan))
    assert box.is_derenzo.isChecked()
    assert (box.radius.value, box.axis.currentData()) == (RADIUS_MM, "y")


def test_rods_are_measured_only_while_the_table_is_visible(box):
    box.hide()
    box.is_derenzo.setChecked(True)
    assert box.rows == []
    box.show()
    assert len(box.rows) == 6


def test_rod_table_is_saved(box):
    box.is_derenzo.setChecked(True)
    box.csv.click()
    ((name, text),) = box.saved
    assert name == "derenzo-rods.csv" and text == csv_of(box.rows)
    assert text.splitlines()[0] == "rod diameter [mm],valley / peak,resolved"


def test_image_without_contrast_resolves_no_rods(sharp):
    flat = replace(sharp, values=np.zeros_like(sharp.values))
    rows = table_of(flat, RADIUS_MM, "y")
    assert all(row.valley is None and not row.resolved for row in rows)
