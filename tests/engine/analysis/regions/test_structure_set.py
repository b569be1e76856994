"""Regions as structure sets: contours in closed form, read back, and held to the standard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pydicom
import pytest

from engine.analysis.regions import (
    BoxRegion,
    CombinedRegion,
    CylinderRegion,
    DicomImage,
    MaskRegion,
    PolygonRegion,
    Region,
    RegionSet,
    SphereRegion,
    marks_of,
    measure,
    write_regions,
    write_segmentation,
    write_structure_set,
)
from engine.analysis.regions.dicom_regions import read_dicom_regions
from engine.analysis.regions.polygon_area import shares_in
from engine.analysis.regions.slice_contours import borders_of, joined, slice_contours
from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom.order import ImagingOrder
from tests.engine.analysis.regions.dicom_judges import CHECKER, errors_of

GRID = ImageGrid((9, 21, 30), (2.0, 3.0, 4.0), (5.0, -7.0, 11.0))
BOX = Region(
    name="Läsion",
    colour="#102030",
    shape=BoxRegion(centre_mm=(5.0, -7.0, 11.0), size_mm=(12, 12, 12)),
)
BALL = Region(name="Ball", shape=SphereRegion(centre_mm=(9.0, -4.0, 13.0), diameter_mm=20))


def image(axes: str = "LPS") -> Volume:
    values = np.random.default_rng(5).random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, "kBq/mL", {"axes": axes})


def area(ring: np.ndarray) -> float:
    x, y = ring.T
    return abs(float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))) / 2


@pytest.mark.parametrize("axes", ["LPS", "LPI"])
def test_box_has_the_corners_and_heights_of_its_closed_form(tmp_path, axes):
    path = tmp_path / "a.dcm"
    assert write_structure_set((BOX,), DicomImage.of(image(axes), {"axes": axes}), path) == 3
    (contours,) = pydicom.dcmread(path).ROIContourSequence
    assert list(contours.ROIDisplayColor) == [0x10, 0x20, 0x30]
    sign = 1 if axes == "LPS" else -1
    heights = []
    for each in contours.ContourSequence:
        points = np.array(each.ContourData, float).reshape(-1, 3)
        assert each.ContourGeometricType == "CLOSED_PLANAR"
        assert each.NumberOfContourPoints == len(points) == 4
        corners = {(x, y) for x in (-1.0, 11.0) for y in (-13.0, -1.0)}
        assert {tuple(point) for point in points[:, :2]} == corners
        assert len(set(points[:, 2])) == 1
        heights.append(points[0, 2])
    assert sorted(heights) == sorted(sign * z for z in (7.0, 11.0, 15.0))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (SphereRegion(centre_mm=(5, -7, 11), diameter_mm=20), [(11.0, np.pi * 100)]),
        (CylinderRegion.upright((5, -7, 11), 20, 6), [(11.0, np.pi * 100)]),
        (
            CylinderRegion(centre_mm=(5, -7, 11), size_mm=(30, 20, 20), axis=0),
            [(11.0, 30 * 20), (15.0, 30 * 20 * np.sqrt(1 - 0.4**2))],
        ),
        (
            CylinderRegion(centre_mm=(5, -7, 11), size_mm=(20, 30, 20), axis=1),
            [(7.0, 30 * 20 * np.sqrt(1 - 0.4**2))],
        ),
    ],
)
def test_contours_of_solids_have_the_area_of_their_closed_form(shape, expected):
    found = {plane.height_mm: plane.rings for plane in slice_contours(shape, image())}
    for height, wanted in expected:
        (ring,) = found[height]
        assert area(ring) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_borders_enclose_exactly_their_voxels(seed):
    """Random voxels have holes, islands in holes, and voxels that share only a corner."""
    inside = np.random.default_rng(seed).random((13, 17)) < 0.55
    rings = borders_of(inside)
    for found in (rings, joined([each.astype(float) for each in rings])):
        share = shares_in([np.asarray(each, float) for each in found], inside.shape)
        np.testing.assert_allclose(share, inside, atol=1e-12)


def test_hole_is_joined_with_its_outer_contour():
    inside = np.ones((9, 9), bool)
    inside[2:4, 2:7] = inside[6, 5] = False
    rings = joined([each.astype(float) for each in borders_of(inside)])
    assert len(rings) == 1 and area(rings[0]) == inside.sum()


def test_voxels_round_trip(tmp_path):
    volume = image()
    voxels = np.zeros(GRID.shape, bool)
    voxels[2:7, 3:18, 4:25] = True
    voxels[3:5, 6:9, 10:15] = voxels[4, 12, 7] = False
    voxels[5, 18, 25] = True
    hollow = Region(name="Hollow", shape=MaskRegion.of(voxels, GRID))
    path = tmp_path / "a.dcm"
    write_structure_set((hollow,), DicomImage.of(volume, {}), path)
    (back,) = read_dicom_regions(path).facing(volume).regions
    first, second = (measure(each, volume).figures for each in (hollow, back))
    assert second.volume_ml == pytest.approx(first.volume_ml, rel=1e-9)
    assert second.mean == pytest.approx(first.mean, rel=1e-9)


def test_imported_contours_are_exported_unchanged(tmp_path):
    volume = image()
    write_structure_set((BALL,), DicomImage.of(volume, {}), tmp_path / "a.dcm")
    (read,) = read_dicom_regions(tmp_path / "a.dcm").facing(volume).regions
    write_structure_set((read,), DicomImage.of(volume, {}), tmp_path / "b.dcm")
    one, other = (pydicom.dcmread(tmp_path / name) for name in ("a.dcm", "b.dcm"))
    contours = [
        [list(each.ContourData) for each in found.ROIContourSequence[0].ContourSequence]
        for found in (one, other)
    ]
    assert contours[0] == contours[1]


def test_structure_set_refers_to_the_exported_slices(tmp_path):
    volume = image()
    save(volume, tmp_path / "a.dicom")
    write_structure_set((BALL,), DicomImage.of(volume, volume.info), tmp_path / "a.dcm")
    found = pydicom.dcmread(tmp_path / "a.dcm")
    slices = [pydicom.dcmread(each) for each in sorted((tmp_path / "a.dicom").glob("*.dcm"))]
    first = slices[0]
    for key in ("StudyInstanceUID", "FrameOfReferenceUID", "PatientID", "PatientName"):
        assert found[key].value == first[key].value
    (frame,) = found.ReferencedFrameOfReferenceSequence
    assert frame.FrameOfReferenceUID == first.FrameOfReferenceUID
    (study,) = frame.RTReferencedStudySequence
    assert study.ReferencedSOPInstanceUID == first.StudyInstanceUID
    (series,) = study.RTReferencedSeriesSequence
    assert series.SeriesInstanceUID == first.SeriesInstanceUID
    named = {each.ReferencedSOPInstanceUID for each in series.ContourImageSequence}
    assert named == {each.SOPInstanceUID for each in slices}
    at = {each.SOPInstanceUID: float(each.ImagePositionPatient[2]) for each in slices}
    for contour in found.ROIContourSequence[0].ContourSequence:
        (source,) = contour.ContourImageSequence
        assert at[source.ReferencedSOPInstanceUID] == pytest.approx(contour.ContourData[2])


@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
@pytest.mark.parametrize("axes", ["LPS", "LPI", "xyz"])
def test_dicom3tools_reports_no_error(tmp_path, axes):
    polygon = PolygonRegion(corners_mm=((0, -9), (9, -9), (4, 0)), low_mm=3, high_mm=19)
    pair = CombinedRegion(operation="minus", parts=(BALL.shape, BOX.shape))
    made = (BALL, BOX, Region(name="P", shape=polygon), Region(name="C", shape=pair))
    write_structure_set(made, DicomImage.of(image(axes), {"axes": axes}), tmp_path / "a.dcm")
    assert errors_of(tmp_path / "a.dcm") == []


def test_equal_regions_have_equal_uids_and_others_differ(tmp_path):
    moved = BALL.model_copy(update={"shape": BALL.shape.moved((2.0, 0.0, 0.0))})
    uids = []
    for k, region in enumerate((BALL, BALL, moved)):
        write_structure_set((region,), DicomImage.of(image(), {}), tmp_path / f"{k}.dcm")
        uids.append(pydicom.dcmread(tmp_path / f"{k}.dcm").SOPInstanceUID)
    assert uids[0] == uids[1] != uids[2]


def test_unwritable_regions_are_refused(tmp_path):
    small = Region(name="Dust", shape=SphereRegion(centre_mm=(5.0, -7.0, 13.0), diameter_mm=0.5))
    with pytest.raises(DataError, match="Dust: the region has no contour"):
        write_structure_set((BALL, small), DicomImage.of(image(), {}), tmp_path / "a.dcm")
    with pytest.raises(DataError, match="There is no region"):
        write_structure_set((), DicomImage.of(image(), {}), tmp_path / "a.dcm")
    with pytest.raises(DataError, match=r"ends with \.dcm"):
        write_structure_set((BALL,), DicomImage.of(image(), {}), tmp_path / "a.rt")
    with pytest.raises(DataError, match="not known any more"):
        other = replace(image(), patient="1")
        write_structure_set((BALL,), DicomImage.of(other, {}), tmp_path / "a.dcm")
    order = ImagingOrder(patient_name="Müller^Ida", patient_id="4711")
    with pytest.raises(DataError, match="a different patient"):
        other = replace(image(), patient="4712")
        write_structure_set((BALL,), DicomImage.of(other, {}, order=order), tmp_path / "a.dcm")
    assert not list(tmp_path.iterdir())


def test_command_writes_a_structure_set_for_an_image_and_a_series(tmp_path, capsys):
    volume = image()
    save(volume, tmp_path / "a.nii")
    write_regions(RegionSet(regions=(BALL,), scans=marks_of(volume)), tmp_path / "r.toml")
    words = ["--regions", str(tmp_path / "r.toml"), "--other-scan", "--rtstruct"]
    assert main(["regions", str(tmp_path / "a.nii"), *words, str(tmp_path / "o.dcm")]) == 0
    assert "contours)" in capsys.readouterr().out
    assert pydicom.dcmread(tmp_path / "o.dcm").Modality == "RTSTRUCT"
    save(volume, tmp_path / "s.dicom")
    series = str(tmp_path / "s.dicom")
    assert main(["regions", series, *words, str(tmp_path / "p.dcm")]) == USER_FAULT
    first = sorted((tmp_path / "s.dicom").glob("*.dcm"))[0]
    like = ["--like", str(first)]
    assert main(["regions", series, *words, str(tmp_path / "p.dcm"), *like]) == 0
    made, source = pydicom.dcmread(tmp_path / "p.dcm"), pydicom.dcmread(first)
    assert made.FrameOfReferenceUID == source.FrameOfReferenceUID
    assert made.StudyInstanceUID == source.StudyInstanceUID
    contours = made.ROIContourSequence[0].ContourSequence
    known = {
        str(pydicom.dcmread(each).SOPInstanceUID): float(
            pydicom.dcmread(each).ImagePositionPatient[2]
        )
        for each in first.parent.glob("*.dcm")
    }
    assert len(contours) > 2
    for each in contours:
        (named,) = each.ContourImageSequence
        assert known[named.ReferencedSOPInstanceUID] == pytest.approx(each.ContourData[2])


def test_segmentation_and_structure_set_of_a_mask_agree(tmp_path):
    volume, voxels = image(), np.zeros(GRID.shape, bool)
    voxels[3:5, 4:9, 5:12] = True
    region = Region(name="M", shape=MaskRegion.of(voxels, GRID))
    write_segmentation((region,), DicomImage.of(volume, {}), tmp_path / "s.dcm")
    write_structure_set((region,), DicomImage.of(volume, {}), tmp_path / "r.dcm")
    one, other = (
        read_dicom_regions(tmp_path / name).facing(volume).regions[0] for name in ("s.dcm", "r.dcm")
    )
    assert measure(one, volume).figures.mean == pytest.approx(measure(other, volume).figures.mean)
