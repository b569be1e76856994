"""Tests of the regions of a report as DICOM objects."""

from __future__ import annotations

import numpy as np
import pydicom
import pytest

from engine.analysis.regions import Region, RegionSet, SphereRegion, marks_of, write_regions
from engine.core import paths
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results
from engine.results.reports.building import report_of
from engine.results.reports.sending import send_report
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.verification import verify_path
from engine.results.reports.writing import write_report
from tests.engine.analysis.regions.dicom_judges import groups_of, numbers

pytestmark = pytest.mark.essential

GRID = ImageGrid((12, 14, 16), (2.0, 2.0, 2.0))
BALL = Region(name="Lesion", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=12))
SITE = Site(name="Site", node="archive:104")


@pytest.fixture
def result(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol(name="Brain"))
    volume = Volume(np.full(GRID.shape, 7.0, np.float32), GRID, "Bq/mL", {"axes": "LPS"})
    return Results().keep(NewResult(study, volume, {"axes": "LPS"}))


@pytest.fixture
def subject(result, tmp_path) -> ReportSubject:
    marks = marks_of(result.volume())
    write_regions(RegionSet(regions=(BALL,), scans=marks), tmp_path / "r.toml")
    return ReportSubject.read(result, SITE, regions=tmp_path / "r.toml")


def sent(subject: ReportSubject, **options) -> dict[str, pydicom.Dataset]:
    """Return the objects sent to the node, by file name."""
    found = {}

    def sender(files, node):
        assert (node.host, node.port) == ("archive", 104)
        found.update({path.name: pydicom.dcmread(path) for path in files})

    send_report(report_of(subject), subject, sender, **options)
    return found


def test_regions_are_sent_only_on_request_and_in_the_same_study(subject):
    assert sorted(sent(subject)) == ["report.capture.dcm", "report.dcm"]
    found = sent(subject, with_regions=True)
    modalities = {name: each.Modality for name, each in found.items()}
    assert modalities == {
        "report.capture.dcm": "OT",
        "report.dcm": "DOC",
        "report.rtstruct.dcm": "RTSTRUCT",
        "report.seg.dcm": "SEG",
        "report.sr.dcm": "SR",
    }
    for key in ("StudyInstanceUID", "PatientID", "PatientName"):
        assert len({str(each[key].value) for each in found.values()}) == 1
    assert len({each.SeriesInstanceUID for each in found.values()}) == len(found)
    (group,) = groups_of(found["report.sr.dcm"])
    assert numbers(group)["Mean"] == (pytest.approx(7.0), "Bq/ml")
    (segment,) = [e for e in group.ContentSequence if e.ValueType == "IMAGE"]
    named = segment.ReferencedSOPSequence[0].ReferencedSOPInstanceUID
    assert named == found["report.seg.dcm"].SOPInstanceUID


@pytest.mark.parametrize("name", ["a.sr.dcm", "a.rtstruct.dcm"])
def test_written_object_verifies_and_changed_object_does_not(subject, tmp_path, name):
    path = tmp_path / name
    write_report(report_of(subject), subject, path)
    (before,) = verify_path(path)
    path.write_bytes(path.read_bytes().replace(b"Lesion", b"Region"))
    (after,) = verify_path(path)
    assert (before.state, after.state) == ("valid", "changed")


def test_region_objects_of_a_result_without_regions_are_refused(result, tmp_path):
    subject = ReportSubject.read(result, SITE)
    for name in ("a.sr.dcm", "a.rtstruct.dcm"):
        with pytest.raises(DataError, match="has no regions"):
            write_report(report_of(subject), subject, tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(DataError, match="has no regions"):
        sent(subject, with_regions=True)
