"""Tests of structured reports: closed forms, the tree of TID 1500, foreign readers."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import numpy as np
import pydicom
import pytest

from engine.analysis.regions import (
    BoxRegion,
    DicomImage,
    Region,
    RegionSet,
    SphereRegion,
    marks_of,
    measure,
    segmentation_path,
    write_measurement_report,
    write_regions,
)
from engine.analysis.regions.measurement_codes import QUANTITIES, total_unit_code, unit_code
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.error_map import ErrorMap
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom.order import ImagingOrder
from engine.io.safety.ranges import UNITS
from tests.engine.analysis.regions.dicom_judges import (
    CHECKER,
    REPORT_READER,
    concept,
    errors_of,
    groups_of,
    numbers,
)

GRID = ImageGrid((9, 21, 30), (2.0, 3.0, 4.0), (5.0, -7.0, 11.0))
BOX = Region(name="Läsion", shape=BoxRegion(centre_mm=(5.0, -7.0, 11.0), size_mm=(20, 27, 20)))
BALL = Region(name="Ball", shape=SphereRegion(centre_mm=(9.0, -4.0, 13.0), diameter_mm=20))
SLOPE, LEVEL = 3.0, 100.0


def ramp(unit: str = "Bq/mL", axes: str = "LPS") -> Volume:
    """Return an image that rises along x; the mean in a box equals the value at its centre."""
    along = SLOPE * GRID.centres_mm(0) + LEVEL
    values = np.broadcast_to(along, GRID.shape).astype(np.float32)
    return Volume(values.copy(), GRID, unit, {"axes": axes})


def written(tmp_path, regions=(BOX, BALL), volume=None, **options):
    path = tmp_path / "a.sr.dcm"
    write_measurement_report(regions, DicomImage.of(volume or ramp(), {}, **options), path)
    return pydicom.dcmread(path), pydicom.dcmread(segmentation_path(path))


@pytest.mark.parametrize(
    ("unit", "code"), [("Bq/mL", "Bq/ml"), ("HU", "[hnsf'U]"), ("g/mL", "g/ml{SUVbw}")]
)
def test_figures_of_a_box_in_a_ramp_equal_the_closed_form(tmp_path, unit, code):
    """Faces of the box are faces of voxels: 10 x 9 x 5 voxels, from x = -5 to 15."""
    report, _ = written(tmp_path, (BOX,), ramp(unit))
    (group,) = groups_of(report)
    found = numbers(group)
    n, edge = 10, 2.0
    mean = SLOPE * 5.0 + LEVEL
    assert found["Mean"] == (pytest.approx(mean, rel=1e-6), code)
    spread = SLOPE * edge * np.sqrt((n**2 - 1) / 12)
    assert found["Standard Deviation"] == (pytest.approx(spread, rel=1e-6), code)
    reach = SLOPE * edge * (n - 1) / 2
    assert found["Minimum"] == (pytest.approx(mean - reach), code)
    assert found["Maximum"] == (pytest.approx(mean + reach), code)
    ml = 20 * 27 * 20 / 1000
    assert found["Volume"] == (pytest.approx(ml, rel=1e-9), "cm3")
    assert found["Total"][0] == pytest.approx(mean * ml, rel=1e-6)


def test_regions_refer_to_their_segment_and_the_image_series(tmp_path):
    volume = ramp()
    save(volume, tmp_path / "a.dicom")
    slices = [pydicom.dcmread(each) for each in sorted((tmp_path / "a.dicom").glob("*.dcm"))]
    path = tmp_path / "a.sr.dcm"
    write_measurement_report((BOX, BALL), DicomImage.of(volume, volume.info), path)
    report, segments = pydicom.dcmread(path), pydicom.dcmread(tmp_path / "a.seg.dcm")
    for key in ("PatientName", "PatientID", "StudyInstanceUID"):
        assert report[key].value == segments[key].value == slices[0][key].value
    assert segments.FrameOfReferenceUID == slices[0].FrameOfReferenceUID
    for number, (group, label) in enumerate(
        zip(groups_of(report), ("Läsion", "Ball"), strict=True), 1
    ):
        items = {concept(each): each for each in group.ContentSequence if each.ValueType != "NUM"}
        (segment,) = items["121191"].ReferencedSOPSequence
        assert segment.ReferencedSOPClassUID == segments.SOPClassUID
        assert segment.ReferencedSOPInstanceUID == segments.SOPInstanceUID
        assert segment.ReferencedSegmentNumber == number
        assert segments.SegmentSequence[number - 1].SegmentLabel == label
        assert items["112039"].TextValue == label
        assert slices[0].SeriesInstanceUID == items["121232"].UID
    (evidence,) = report.CurrentRequestedProcedureEvidenceSequence
    assert evidence.StudyInstanceUID == report.StudyInstanceUID
    named = {
        each.SeriesInstanceUID: {i.ReferencedSOPInstanceUID for i in each.ReferencedSOPSequence}
        for each in evidence.ReferencedSeriesSequence
    }
    assert named == {
        segments.SeriesInstanceUID: {segments.SOPInstanceUID},
        slices[0].SeriesInstanceUID: {each.SOPInstanceUID for each in slices},
    }


@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
@pytest.mark.parametrize("unit", ["Bq/mL", "HU", "g/mL", "counts/mm", ""])
def test_dicom3tools_reports_no_error(tmp_path, unit):
    written(tmp_path, volume=ramp(unit))
    assert errors_of(tmp_path / "a.sr.dcm") == errors_of(tmp_path / "a.seg.dcm") == []


@pytest.mark.skipif(REPORT_READER is None, reason="dsrdump of dcmtk is not installed")
def test_dcmtk_reads_the_whole_tree(tmp_path):
    written(tmp_path)
    done = subprocess.run(
        [REPORT_READER, "+Pu", tmp_path / "a.sr.dcm"], capture_output=True, check=False
    )
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0 and b"E:" not in done.stderr
    assert text.count('"Measurement Group"') == 2 and "cm3" in text and "Bq/ml" in text


def test_highdicom_finds_the_same_regions_and_figures(tmp_path):
    highdicom = pytest.importorskip("highdicom", reason="highdicom has no wheels for this Python")
    written(tmp_path)
    report = highdicom.sr.srread(tmp_path / "a.sr.dcm")
    groups = report.content.get_volumetric_roi_measurement_groups()
    assert [each.tracking_identifier for each in groups] == ["Läsion", "Ball"]
    segments = pydicom.dcmread(tmp_path / "a.seg.dcm")
    for number, (group, region) in enumerate(zip(groups, (BOX, BALL), strict=True), 1):
        expected = measure(region, ramp()).figures
        assert group.reference_type.meaning == "Referenced Segment"
        by_derivation = {
            each.derivation.meaning if each.derivation else each.name.meaning: each
            for each in group.get_measurements()
        }
        assert by_derivation["Mean"].value == pytest.approx(expected.mean, rel=1e-12)
        assert by_derivation["Mean"].unit.value == "Bq/ml"
        assert by_derivation["Volume"].value == pytest.approx(expected.volume_ml, rel=1e-12)
        assert segments.SegmentSequence[number - 1].SegmentNumber == number
    seg = highdicom.seg.segread(tmp_path / "a.seg.dcm")
    assert seg.number_of_segments == 2
    volume = seg.get_volume(segment_numbers=[1])
    inside = np.argwhere(volume.array.squeeze() > 0)
    centre = volume.map_indices_to_reference(inside).mean(axis=0)
    np.testing.assert_allclose(centre, BOX.shape.centre_mm, atol=1e-9)


def test_errors_become_the_uncertainty_of_a_figure(tmp_path):
    without_error = ramp()
    image = without_error.values
    rng = np.random.default_rng(3)
    replicates = [image + rng.normal(0, 5, image.shape).astype(np.float32) for _ in range(6)]
    volume = replace(without_error, error=ErrorMap.of(image, replicates, seed=1))
    report, _ = written(tmp_path, (BOX,), volume)
    (group,) = groups_of(report)
    expected = measure(BOX, volume).errors.mean.sd
    (mean,) = [
        each
        for each in group.ContentSequence
        if each.ValueType == "NUM" and "373098007" in str(each.get("ContentSequence"))
    ]
    bounds = [each for each in mean.ContentSequence if each.ValueType == "NUM"]
    assert [concept(each) for each in bounds] == ["371886008", "371885007"]
    for each in bounds:
        (value,) = each.MeasuredValueSequence
        assert value.FloatingPointValue == pytest.approx(expected)
        assert value.MeasurementUnitsCodeSequence[0].CodeValue == "Bq/ml"


def test_every_image_unit_has_a_code():
    for unit in UNITS:
        for code in (unit_code(unit), total_unit_code(unit)):
            assert code.scheme == "UCUM" and code.value.isascii() and " " not in code.value
            assert 0 < len(code.value) <= 16 and 0 < len(code.meaning) <= 64
    assert set(QUANTITIES) <= set(UNITS)
    assert total_unit_code("kBq/mL").value == "kBq"


def test_equal_figures_have_equal_uids_and_others_differ(tmp_path):
    uids = [written(tmp_path)[0].SOPInstanceUID for _ in range(2)]
    other = written(tmp_path, volume=replace(ramp(), values=ramp().values + 1))[0].SOPInstanceUID
    assert uids[0] == uids[1] != other


def test_report_has_the_patient_of_the_order(tmp_path):
    order = ImagingOrder(patient_name="Müller^Ida", patient_id="4711")
    report, segments = written(tmp_path, order=order)
    assert report.PatientID == segments.PatientID == "4711"
    assert str(report.PatientName) == "Müller^Ida"


def test_unwritable_report_is_refused_and_leaves_no_file(tmp_path):
    far = Region(name="Far", shape=SphereRegion(centre_mm=(900.0, 0, 0), diameter_mm=5))
    with pytest.raises(DataError, match="Far: no voxel"):
        written(tmp_path, (BOX, far))
    with pytest.raises(DataError, match="There is no region"):
        written(tmp_path, ())
    with pytest.raises(DataError, match=r"ends with \.dcm"):
        write_measurement_report((BOX,), DicomImage.of(ramp(), {}), tmp_path / "a.sr")
    assert not list(tmp_path.iterdir())


def test_command_writes_report_and_segmentation_of_a_series(tmp_path, capsys):
    volume = ramp()
    save(volume, tmp_path / "s.dicom")
    write_regions(RegionSet(regions=(BOX,), scans=marks_of(volume)), tmp_path / "r.toml")
    first = sorted((tmp_path / "s.dicom").glob("*.dcm"))[0]
    words = ["--regions", str(tmp_path / "r.toml"), "--other-scan", "--like", str(first)]
    target = str(tmp_path / "o.sr.dcm")
    assert main(["regions", str(tmp_path / "s.dicom"), *words, "--sr", target]) == 0
    output = capsys.readouterr().out
    assert "Structured report: " in output and "o.seg.dcm" in output
    report, source = pydicom.dcmread(target), pydicom.dcmread(first)
    assert report.StudyInstanceUID == source.StudyInstanceUID
    (group,) = groups_of(report)
    assert numbers(group)["Volume"][0] == pytest.approx(10.8)
    # A second run replaces neither file without --force.
    assert main(["regions", str(tmp_path / "s.dicom"), *words, "--sr", target]) != 0
