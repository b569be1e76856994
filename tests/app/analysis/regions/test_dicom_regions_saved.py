"""Tests of regions that the window saves as DICOM objects, for runs and for opened series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pydicom
import pytest

from app.analysis.regions import region_files
from app.analysis.regions.regions_tab import RegionsTab
from app.output.export.writing import write
from app.state.models.run_images import ALL_FRAMES
from app.state.models.run_record import RunRecord
from app.state.services.written_frames import frames_of
from engine.analysis.quality import in_suv, why_no_suv
from engine.analysis.regions import SphereRegion
from engine.data import FrameVolume, TimeFrame, Volume
from engine.geometry import ImageGrid
from engine.io import read_volume, save, save_frames
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results
from tests.app.conftest import PATIENCE_MS

GRID = ImageGrid((8, 20, 24), (2.0, 2.0, 2.0))
BALL = SphereRegion(centre_mm=(1, 0, 1), diameter_mm=11)


def image() -> Volume:
    values = np.random.default_rng(2).random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, "kBq/mL", {"axes": "LPS"})


@pytest.fixture
def tab(qtbot, controls) -> RegionsTab:
    new_tab = RegionsTab(controls.context)
    qtbot.addWidget(new_tab)
    return new_tab


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


def named_in(path) -> set[str]:
    found = pydicom.dcmread(path).iterall()
    return {str(each.value) for each in found if each.keyword == "ReferencedSOPInstanceUID"}


FRAMES = (TimeFrame(0, 60_000), TimeFrame(60_000, 180_000))
DOSE = {
    "scan": {
        "weight_kg": 70.0, "injected_bq": 3e8, "half_life_s": 6586.2, "duration_s": 180,
        "injected_at": "2026-01-02T10:00:00", "scan_start": "2026-01-02T11:00:00",
    },
    "decay": "start",
}  # fmt: skip


def frames_of_image(volume: Volume) -> list[FrameVolume]:
    images = [replace(volume, values=volume.values + k) for k in range(len(FRAMES))]
    return [FrameVolume(*each) for each in zip(FRAMES, images, strict=True)]


@pytest.mark.parametrize("way", ["run", "opened", "added", "added result"])
def test_regions_of_a_dynamic_image_refer_to_its_exported_frames(
    qtbot, monkeypatch, tmp_path, controls, tab, way
):
    session, volume = controls.session, replace(image(), unit="Bq/mL")
    parts = [
        FrameVolume(f, replace(volume, values=volume.values + k)) for k, f in enumerate(FRAMES)
    ]
    save_frames(volume, parts, tmp_path / "d.h5", volume.info)
    if way == "opened":
        session.show_file(volume, "d.h5", frames=parts, path=tmp_path / "d.h5")
    elif way == "added":
        controls.context.volumes.open_file(tmp_path / "d.h5", "base")
    elif way == "added result":
        study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol(name="Brain"))
        result = Results().keep(NewResult(study, volume, volume.info, frames=tuple(parts)))
        controls.context.volumes.open_result(result, "base")
    else:
        record = RunRecord(title="run", provenance=volume.info)
        session.show_result(record, ALL_FRAMES, volume, parts)
    qtbot.waitUntil(lambda: session.view.volume is not None, timeout=PATIENCE_MS)
    session.regions.add(BALL, "Lesion")
    choose(qtbot, monkeypatch, tab, "Segmentation", tmp_path / "a.dcm")
    save_frames(volume, parts, tmp_path / "d.dicom", volume.info)
    slices = [pydicom.dcmread(each) for each in (tmp_path / "d.dicom").glob("*.dcm")]
    assert named_in(tmp_path / "a.dcm") == {str(each.SOPInstanceUID) for each in slices}
    assert len(slices) == 2 * GRID.shape[0]


def test_regions_of_an_image_in_suv_refer_to_the_series_exported_in_suv(
    qtbot, monkeypatch, tmp_path, controls, tab
):
    volume = replace(image(), unit="Bq/mL", info={"axes": "LPS", **DOSE})
    parts = [
        FrameVolume(f, replace(volume, values=volume.values + k)) for k, f in enumerate(FRAMES)
    ]
    session = controls.session
    session.show_result(RunRecord(title="run", provenance=volume.info), ALL_FRAMES, volume, parts)
    assert session.view.volume.unit == "g/mL", why_no_suv(volume)
    session.regions.add(BALL, "Lesion")
    choose(qtbot, monkeypatch, tab, "Segmentation", tmp_path / "a.dcm")
    (stored,) = [e for e in session.run.record.images.items if e.label == ALL_FRAMES]
    target = tmp_path / "s.dicom"
    write(in_suv(volume), target, volume.info, frames_of(session.run.record, stored, target, "bw"))
    slices = [pydicom.dcmread(each) for each in target.glob("*.dcm")]
    assert slices[0].Units == "GML" and len(slices) == 2 * GRID.shape[0]
    assert named_in(tmp_path / "a.dcm") == {str(each.SOPInstanceUID) for each in slices}


def test_stated_patient_position_is_that_of_the_exported_series(
    qtbot, monkeypatch, tmp_path, controls, tab
):
    session, volume = controls.session, replace(image(), info={"axes": "xyz"})
    session.show_file(volume, "a.h5")
    session.view.state_axes("RPI")
    session.regions.add(BALL, "Lesion")
    choose(qtbot, monkeypatch, tab, "Segmentation", tmp_path / "a.dcm")
    write(session.view.positioned(volume), tmp_path / "s.dicom", None)
    slices = [pydicom.dcmread(each) for each in (tmp_path / "s.dicom").glob("*.dcm")]
    assert named_in(tmp_path / "a.dcm") == {str(each.SOPInstanceUID) for each in slices}
    made = pydicom.dcmread(tmp_path / "a.dcm")
    assert made.FrameOfReferenceUID == slices[0].FrameOfReferenceUID
    places = {tuple(each.ImagePositionPatient) for each in slices}
    for group in made.PerFrameFunctionalGroupsSequence:
        assert tuple(group.PlanePositionSequence[0].ImagePositionPatient) in places


@pytest.mark.parametrize("title", ["Segmentation", "Structure set", "Structured report"])
@pytest.mark.parametrize("opened_as", ["opened", "added"])
def test_regions_of_an_opened_series_have_its_patient_study_and_frame(
    qtbot, monkeypatch, tmp_path, controls, tab, title, opened_as
):
    save(image(), tmp_path / "s.dicom")
    first = sorted((tmp_path / "s.dicom").glob("*.dcm"))[0]
    if opened_as == "opened":
        controls.session.show_file(read_volume(first), first.name, path=first)
    else:
        controls.context.volumes.open_file(first, "base")
        qtbot.waitUntil(lambda: controls.session.view.volume is not None, timeout=PATIENCE_MS)
    controls.session.regions.add(BALL, "Lesion")
    choose(qtbot, monkeypatch, tab, title, tmp_path / "a.dcm")
    written, source = pydicom.dcmread(tmp_path / "a.dcm"), pydicom.dcmread(first)
    for key in ("PatientName", "PatientID", "StudyInstanceUID"):
        assert written[key].value == source[key].value
    if title != "Structured report":
        assert written.FrameOfReferenceUID == source.FrameOfReferenceUID
    assert source.SeriesInstanceUID in str(written)
