"""Regions saved as DICOM objects from the window, for runs and for opened series."""

from __future__ import annotations

import numpy as np
import pydicom
import pytest

from app.analysis.regions import region_files
from app.analysis.regions.regions_tab import RegionsTab
from engine.analysis.regions import SphereRegion
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.io import read_volume, save
from tests.app.conftest import PATIENCE_MS

GRID = ImageGrid((8, 20, 24), (2.0, 2.0, 2.0))
BALL = SphereRegion(centre_mm=(1, 0, 1), diameter_mm=11)


def image() -> Volume:
    values = np.random.default_rng(2).random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, "kBq/mL", {"axes": "LPS"})


@pytest.fixture
def tab(qtbot, controls) -> RegionsTab:
    made = RegionsTab(controls.context)
    qtbot.addWidget(made)
    return made


def choose(qtbot, monkeypatch, tab: RegionsTab, title: str, target) -> None:
    """Choose an entry of the menu *Save*, and wait for its file."""
    monkeypatch.setattr(region_files, "ask_save", lambda *_: target)
    (action,) = [each for each in tab.csv.menu().actions() if each.text().startswith(title)]
    action.trigger()
    qtbot.waitUntil(target.exists, timeout=PATIENCE_MS)


@pytest.mark.parametrize(
    ("title", "modality"), [("Structure set", "RTSTRUCT"), ("Structured report", "SR")]
)
def test_menu_writes_the_regions_of_an_image(
    qtbot, monkeypatch, tmp_path, controls, tab, title, modality
):
    controls.session.show_file(image(), "a.h5")
    controls.session.regions.add(BALL, "Lesion")
    choose(qtbot, monkeypatch, tab, title, tmp_path / "a.sr.dcm")
    assert pydicom.dcmread(tmp_path / "a.sr.dcm").Modality == modality
    assert (tmp_path / "a.seg.dcm").exists() == (modality == "SR")


@pytest.mark.parametrize("title", ["Segmentation", "Structure set", "Structured report"])
@pytest.mark.parametrize("way", ["opened", "added"])
def test_regions_of_an_opened_series_have_its_patient_study_and_frame(
    qtbot, monkeypatch, tmp_path, controls, tab, title, way
):
    save(image(), tmp_path / "s.dicom")
    first = sorted((tmp_path / "s.dicom").glob("*.dcm"))[0]
    if way == "opened":
        controls.session.show_file(read_volume(first), first.name, path=first)
    else:
        controls.context.volumes.open_file(first, "base")
        qtbot.waitUntil(lambda: controls.session.view.volume is not None, timeout=PATIENCE_MS)
    controls.session.regions.add(BALL, "Lesion")
    choose(qtbot, monkeypatch, tab, title, tmp_path / "a.dcm")
    made, source = pydicom.dcmread(tmp_path / "a.dcm"), pydicom.dcmread(first)
    for key in ("PatientName", "PatientID", "StudyInstanceUID"):
        assert made[key].value == source[key].value
    if title != "Structured report":
        assert made.FrameOfReferenceUID == source.FrameOfReferenceUID
    assert source.SeriesInstanceUID in str(made)
