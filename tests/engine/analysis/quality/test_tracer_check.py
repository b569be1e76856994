"""Tests of a tracer file: its conclusions for a scan, and a cylinder of known activity."""

from __future__ import annotations

import math
from datetime import datetime

import numpy as np
import pytest

from engine.analysis.quality import CylinderActivity, calibrate_with, check_tracer
from engine.analysis.quality.suv import SUV_TITLES
from engine.core.errors import DataError, SettingsError
from engine.data.timing.tracer import Tracer
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

START = datetime.fromisoformat("2026-11-22T11:00:00+01:00")


def test_complete_facts_allow_everything() -> None:
    full = Tracer(
        nuclide="F-18", dose_mbq=370, injected_at=datetime.fromisoformat("2026-11-22T09:00:00Z"),
        scan_start=START, weight_kg=70, height_cm=175, sex="M",
    )  # fmt: skip
    found = check_tracer(full, {"duration_s": 600.0})
    assert (found.concentration, found.notes) == ("", ())
    assert found.suv == dict.fromkeys(SUV_TITLES, ())
    assert found.given == "370 MBq of F-18, injected 60 min before the scan began"


def test_scan_facts_take_precedence_and_differences_are_reported() -> None:
    reported = {
        "isotope": "F-18", "duration_s": 600.0, "weight_kg": 70.0, "injected_bq": 370e6,
        "scan_start": "2026-11-22T10:00:00+00:00", "injected_at": "2026-11-22T09:00:00+00:00",
    }  # fmt: skip
    found = check_tracer(Tracer(scan_start=START), reported)
    assert found.suv["bw"] == () and found.notes == ()  # the same time in another time zone
    (note,) = check_tracer(Tracer(weight_kg=7.0), reported).notes
    assert "weight [kg]: the scan states 70.0. The tracer file states 7.0" in note
    (note,) = check_tracer(Tracer(nuclide="F18"), {"duration_s": 1.0}).notes
    assert note.startswith("F18 is not one of C-11")


def test_volume_follows_from_the_size() -> None:
    of_size = CylinderActivity(activity_mbq=1, diameter_mm=200, length_mm=100)
    assert of_size.ml == pytest.approx(1000 * math.pi)
    for wrong in ({}, {"volume_ml": 1, "diameter_mm": 2, "length_mm": 3}, {"diameter_mm": 2}):
        with pytest.raises(SettingsError, match="volume"):
            CylinderActivity(activity_mbq=1, **wrong)


def test_form_contradicting_the_scan_is_refused() -> None:
    scan = {"isotope": "F-18", "scanner_sha256": "0"}
    grid = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
    volume = Volume(np.ones(grid.shape, np.float32), grid, "counts/mm", info={"scan": scan})
    with pytest.raises(
        DataError, match="nuclide: you entered Ga-68, but the scan states F-18; leave"
    ):
        calibrate_with(volume, CylinderActivity(activity_mbq=1, volume_ml=9, nuclide="Ga-68"))
