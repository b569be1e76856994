"""Tests that archived images and reports share a patient, a study and a frame of reference.

Cases: a worklist order; a DICOM scan; a scan without a patient; an order of another patient;
regions, which refer to the sent slices; a real node.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pydicom
import pytest

import engine
from engine.analysis.regions import Region, RegionSet, SphereRegion, marks_of, write_regions
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core import paths
from engine.core.errors import DataError, SettingsError
from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.dicom.order import ImagingOrder
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import VOLUME, NewResult, Results
from engine.results.reports import ReportSubject, Site, report_of, send_to_archive
from tests.engine.io.dicom.test_dicom_network import node

pytestmark = pytest.mark.essential

GRID = ImageGrid((5, 8, 9), (2.0, 2.0, 2.0))
SITE = Site(name="Site", node="archive:104")
IDA = ImagingOrder(
    patient_name="Müller^Ida", patient_id="4711", accession="A1", study_uid="1.2.3.4.5"
)
SAME = ("PatientName", "PatientID", "StudyInstanceUID", "AccessionNumber")


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


def result_of(data: Path):
    values = np.random.default_rng(2).random(GRID.shape).astype(np.float32)
    digest = sha256(data.read_bytes()).hexdigest() if data.exists() else ""
    info = {"axes": "LPS", "inputs": {"data": {"sha256": digest}}}
    study = Study(data=data, protocol=ListModeProtocol(name="Brain"))
    return Results().keep(NewResult(study, Volume(values, GRID, "Bq/mL", info), info))


def sent(result, site: Site = SITE) -> dict[str, pydicom.Dataset]:
    """Return the objects sent to the node, by file name."""
    found: dict[str, pydicom.Dataset] = {}

    def sender(files, there):
        assert (there.host, there.port) == ("archive", 104)
        found.update({path.name: pydicom.dcmread(path) for path in files})

    subject = ReportSubject.read(result, site)
    assert send_to_archive(report_of(subject), subject, sender) == "ANY-SCP at archive:104"
    return found


def the_only_value(found: dict[str, pydicom.Dataset], key: str) -> str:
    values = {str(each[key].value) for each in found.values() if key in each}
    assert len(values) == 1, (key, values)
    return values.pop()


def test_all_objects_have_patient_and_study_of_the_order(tmp_path):
    result = result_of(tmp_path / "scan.l")
    result.assign_order(IDA)
    found = sent(result)
    slices = [each for each in found.values() if each.Modality == "PT"]
    assert len(slices) == GRID.shape[0]
    assert {each.Modality for each in found.values()} == {"PT", "DOC", "OT"}
    assert [the_only_value(found, key) for key in SAME] == ["Müller^Ida", "4711", "1.2.3.4.5", "A1"]
    the_only_value({str(n): each for n, each in enumerate(slices)}, "FrameOfReferenceUID")
    values = result.volume().values
    shown = sorted(slices, key=lambda each: each.ImagePositionPatient[2])
    stack = np.stack([each.pixel_array * each.RescaleSlope for each in shown])
    assert np.abs(stack - values).max() < 1e-4 * values.max()


def test_regions_are_sent_and_refer_to_the_slices(tmp_path):
    result = result_of(tmp_path / "scan.l")
    result.assign_order(IDA)
    ball = Region(name="Lesion", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=8))
    marks = marks_of(result.volume())
    path = result.folder / VOLUME
    from engine.analysis.regions import regions_file_of

    write_regions(RegionSet(regions=(ball,), scans=marks), regions_file_of(path), private=True)
    found = sent(result)
    kinds = {each.Modality for each in found.values()}
    assert kinds == {"PT", "DOC", "OT", "SR", "SEG", "RTSTRUCT"}
    for key in SAME:
        the_only_value(found, key)
    the_only_value(found, "FrameOfReferenceUID")
    slices = {each.SOPInstanceUID for each in found.values() if each.Modality == "PT"}
    (mask,) = [each for each in found.values() if each.Modality == "SEG"]
    named = {
        item.ReferencedSOPInstanceUID
        for series in mask.ReferencedSeriesSequence
        for item in series.ReferencedInstanceSequence
    }
    assert named and named <= slices


@pytest.mark.parametrize("gated", [False, True])
def test_regions_of_a_dynamic_result_refer_to_the_slices_that_are_sent(tmp_path, gated):
    """The frames are sent in place of their sum; of gates the sum is sent."""
    from engine.analysis.regions import regions_file_of

    gates = [Gate(k, 2, 150_000) if gated else None for k in (1, 2)]
    frames = [TimeFrame(60_000 * k, 60_000 * (k + 1), gate) for k, gate in enumerate(gates)]
    values = np.random.default_rng(2).random(GRID.shape).astype(np.float32)
    info = {"axes": "LPS", "scan": {"frames": [frame.facts() for frame in frames]}}
    volume = Volume(values, GRID, "Bq/mL", info)
    parts = tuple(FrameVolume(frame, volume) for frame in frames)
    study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol(name="Brain"))
    result = Results().keep(NewResult(study, volume, info, frames=parts))
    result.assign_order(IDA)
    ball = Region(name="Lesion", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=8))
    chosen = RegionSet(regions=(ball,), scans=marks_of(result.volume()))
    write_regions(chosen, regions_file_of(result.folder / VOLUME), private=True)
    found = sent(result)
    slices = {each.SOPInstanceUID for each in found.values() if each.Modality == "PT"}
    assert len(slices) == GRID.shape[0] * (1 if gated else 2)
    own = {each.SOPInstanceUID for each in found.values()} | {IDA.study_uid}
    for each in found.values():
        named = {str(e.value) for e in each.iterall() if e.keyword == "ReferencedSOPInstanceUID"}
        assert named <= own, each.Modality
        assert named >= slices or each.Modality in ("PT", "DOC")
    the_only_value(found, "FrameOfReferenceUID")


def dicom_scan(folder: Path) -> Path:
    """Write a DICOM file of a patient, like a scanner."""
    values = np.ones(GRID.shape, np.float32)
    engine.save(Volume(values, GRID, "Bq/mL", {"axes": "LPS"}), folder / "scan.dicom")
    path = sorted((folder / "scan.dicom").iterdir())[0]
    scan = pydicom.dcmread(path)
    scan.PatientName, scan.PatientID = "Doe^John", "4712"
    scan.StudyInstanceUID, scan.FrameOfReferenceUID = "1.2.3.9", "1.2.3.8"
    scan.AccessionNumber = "B2"
    scan.PatientIdentityRemoved = "NO"
    del scan.DeidentificationMethod
    scan.save_as(folder / "scan.dcm")
    return folder / "scan.dcm"


def test_dicom_scan_provides_patient_study_and_frame_of_reference(tmp_path):
    found = sent(result_of(dicom_scan(tmp_path)))
    assert [the_only_value(found, key) for key in SAME] == ["Doe^John", "4712", "1.2.3.9", "B2"]
    assert the_only_value(found, "FrameOfReferenceUID") == "1.2.3.8"


def test_file_of_another_patient_with_the_same_name_is_refused(tmp_path):
    path = dicom_scan(tmp_path)
    result = result_of(path)
    other = pydicom.dcmread(path)
    other.PatientName, other.PatientID = "Roe^Jane", "4713"
    other.save_as(path)
    with pytest.raises(DataError, match="has changed since the run"):
        sent(result)


def test_order_has_priority_over_the_file(tmp_path):
    result = result_of(dicom_scan(tmp_path))
    result.assign_order(IDA)
    assert the_only_value(sent(result), "PatientID") == "4711"


def test_scan_without_patient_is_not_sent(tmp_path):
    (tmp_path / "scan.l").write_bytes(b"events")
    for path in (tmp_path / "scan.l", tmp_path / "missing.l"):
        with pytest.raises(DataError, match="The scan names no patient"):
            sent(result_of(path))


def test_order_of_another_patient_is_refused(tmp_path):
    result = result_of(tmp_path / "scan.l")
    result.assign_order(IDA)
    subject = ReportSubject.read(result, SITE)
    other = replace(subject, volume=replace(subject.volume, patient="4712"))
    with pytest.raises(DataError, match="a different patient than the order"):
        send_to_archive(report_of(other), other, lambda files, there: None)


def test_site_without_node_is_refused(tmp_path):
    result = result_of(tmp_path / "scan.l")
    result.assign_order(IDA)
    with pytest.raises(SettingsError, match="No DICOM node is configured"):
        sent(result, Site())


def test_real_dicom_node_receives_all_objects(tmp_path):
    result = result_of(tmp_path / "scan.l")
    result.assign_order(IDA)
    received = []

    def answer(event):
        received.append(event.dataset.PatientID)
        return 0x0000

    with node(answer) as there:
        site = Site(node=f"{there.host}:{there.port}", called="ARCHIVE")
        subject = ReportSubject.read(result, site)
        send_to_archive(report_of(subject), subject)
    assert received == ["4711"] * (GRID.shape[0] + 2)


@pytest.mark.parametrize("kind", ["order", "image"])
def test_report_is_not_written_for_another_patient_than_the_order(tmp_path, capsys, kind):
    result = result_of(tmp_path / "scan.l")
    result.assign_order(IDA)
    if kind == "order":
        like = tmp_path / "other.json"
        ImagingOrder(patient_name="Doe^John", patient_id="4712").write(like)
    else:
        like = dicom_scan(tmp_path)
    target = tmp_path / "r.dcm"
    asked = ["report", result.id, "-o", str(target), "--like", str(like)]
    assert main(asked) == USER_FAULT
    assert "belongs to a different patient than the order" in capsys.readouterr().err
    assert not target.exists()
    IDA.write(tmp_path / "own.json")
    assert main([*asked[:-1], str(tmp_path / "own.json")]) == DONE
    assert pydicom.dcmread(target).PatientID == "4711"
