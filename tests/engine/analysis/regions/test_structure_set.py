"""Regions as structure sets: contours in closed form, read back, checked by dciodvfy."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from pathlib import Path

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
from engine.analysis.regions.dicom_image import dicom_source
from engine.analysis.regions.dicom_regions import read_dicom_regions
from engine.analysis.regions.polygon_area import shares_in
from engine.analysis.regions.slice_contours import borders_of, joined, slice_contours
from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.io.dicom.order import ImagingOrder
from tests.engine.analysis.regions.dicom_judges import CHECKER, errors_of

GRID = ImageGrid((9, 21, 30), (2.0, 3.0, 4.0), (5.0, -7.0, 11.0))
BOX = Region(
    name="Läsion",
    colour="#102030",
    shape=BoxRegion(centre_mm=(5.0, -7.0, 11.0), size_mm=(12, 12, 12)),
)
BOX_OF_ALL = tuple(slice(0, n) for n in GRID.shape)
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
    for height, expected_area in expected:
        (ring,) = found[height]
        assert area(ring) == pytest.approx(expected_area, rel=1e-12)


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
    saved = (BALL, BOX, Region(name="P", shape=polygon), Region(name="C", shape=pair))
    write_structure_set(saved, DicomImage.of(image(axes), {"axes": axes}), tmp_path / "a.dcm")
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
    saved, source = pydicom.dcmread(tmp_path / "p.dcm"), pydicom.dcmread(first)
    assert saved.FrameOfReferenceUID == source.FrameOfReferenceUID
    assert saved.StudyInstanceUID == source.StudyInstanceUID
    contours = saved.ROIContourSequence[0].ContourSequence
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


def voxels_with_touching_holes() -> np.ndarray:
    """Return two holes that share only a corner, and a third one across another corner."""
    inside = np.ones((7, 8), bool)
    inside[2, 4] = inside[3, 3] = inside[4, 4] = inside[4, 1] = False
    return inside


@pytest.mark.parametrize("seed", range(40))
def test_every_contour_alone_bounds_only_voxels_inside(seed):
    """Many programs fill each contour and unite them, so no hole may be a contour of its own.

    The winding number of the joined contours is an independent test of the same voxels.
    """
    inside = voxels_with_touching_holes()
    if seed:
        inside = np.random.default_rng(seed).random((9, 10)) < 0.8
    rings = joined([each.astype(float) for each in borders_of(inside)])
    union = np.max([shares_in([each], inside.shape) for each in rings], axis=0)
    np.testing.assert_allclose(union, inside, atol=1e-12)
    assert sum(map(area, rings)) == pytest.approx(inside.sum(), rel=1e-12)


def square(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + 5, y], [x + 5, y + 5], [x, y + 5]])


@pytest.mark.parametrize(
    "corners", [[(1, 1), (3, 3)], [(1, 1), (3, 3), (3, 1)], [(1, 1), (1, 1)], [(1, 1), (6, 1)]]
)
def test_contours_that_cross_or_touch_keep_their_area(corners):
    rings = [square(float(x), float(y)) for x, y in corners]
    found = joined(rings)
    shares = [shares_in(list(each), (10, 10)) for each in (rings, found)]
    np.testing.assert_allclose(shares[1], shares[0], atol=1e-12)


def test_thousands_of_holes_are_joined_in_seconds():
    inside = np.ones((121, 121), bool)
    inside[1:-1:2, 1:-1:2] = False
    borders = [each.astype(float) for each in borders_of(inside)]
    start = time.process_time()
    (ring,) = joined(borders)
    # There are 3,600 holes; comparing all pairs would need minutes.
    assert time.process_time() - start < 20
    assert area(ring) == pytest.approx(inside.sum(), rel=1e-12)


def test_contour_beyond_the_length_field_is_readable(tmp_path):
    """An explicit value of 64 KiB and more becomes UN, which many programs do not read."""
    grid = ImageGrid((1, 120, 120), (1.1, 1.3, 3.0), (-123.4567, -200.1234, 7.0))
    volume = Volume(np.ones(grid.shape, np.float32), grid, "HU")
    voxels = np.ones(grid.shape, bool)
    voxels[0, 1:-1:3, 1:-1:3] = False
    region = Region(name="Sponge", shape=MaskRegion.of(voxels, grid))
    with warnings.catch_warnings(action="error"):
        write_structure_set((region,), DicomImage.of(volume, {}), tmp_path / "a.dcm")
        found = pydicom.dcmread(tmp_path / "a.dcm")
    (ring,) = found.ROIContourSequence[0].ContourSequence
    assert (
        ring["ContourData"].VR == "DS" and len(ring.ContourData) == 3 * ring.NumberOfContourPoints
    )
    assert len("\\".join(map(str, ring.ContourData))) > 65_534
    corners = np.array(ring.ContourData, float).reshape(-1, 3)
    assert area(corners[:, :2]) == pytest.approx(voxels.sum() * 1.1 * 1.3, rel=1e-6)
    # As other programs write it.
    found.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.1"
    with warnings.catch_warnings(action="ignore"):
        found.save_as(tmp_path / "b.dcm")
    (back,) = read_dicom_regions(tmp_path / "b.dcm").facing(volume).regions
    assert measure(back, volume).figures.volume_ml == pytest.approx(
        voxels.sum() * 1.1 * 1.3 * 3 / 1000, rel=1e-6
    )


@pytest.mark.parametrize("write", [write_segmentation, write_structure_set])
@pytest.mark.parametrize("edge_mm", [0.01, 0.005, 0.001])
def test_voxels_of_micrometres_round_trip(tmp_path, write, edge_mm):
    """Positions of neighbouring slices differ by less than the rounding of clinical files."""
    grid = ImageGrid((12, 16, 20), (edge_mm,) * 3, (0.3 * edge_mm, 0, 0))
    values = np.random.default_rng(0).random(grid.shape).astype(np.float32)
    volume, voxels = Volume(values, grid, "1/mm"), np.zeros(grid.shape, bool)
    voxels[2:9, 3:12, 4:15] = True
    voxels[4, 5:8, 6:9] = voxels[7, 4, 5] = False
    region = Region(name="Grain", shape=MaskRegion.of(voxels, grid))
    write((region,), DicomImage.of(volume, {}), tmp_path / "a.dcm")
    (back,) = read_dicom_regions(tmp_path / "a.dcm").facing(volume).regions
    found = measure(back, volume).figures
    assert found.volume_ml == pytest.approx(voxels.sum() * edge_mm**3 / 1000, rel=1e-3)
    assert found.mean == pytest.approx(values[voxels].mean(dtype=float), rel=1e-3)


@pytest.mark.parametrize("write", [write_segmentation, write_structure_set])
def test_region_in_a_single_slice_keeps_its_thickness(tmp_path, write):
    box = Region(name="One", shape=BoxRegion(centre_mm=(5.0, -7.0, 11.0), size_mm=(12, 9, 4)))
    write((box,), DicomImage.of(image(), {}), tmp_path / "a.dcm")
    (back,) = read_dicom_regions(tmp_path / "a.dcm").facing(image()).regions
    assert measure(back, image()).figures.volume_ml == pytest.approx(12 * 9 * 4 / 1000, rel=1e-9)


@pytest.mark.parametrize(
    ("across", "down", "step", "n_named"),
    [
        ((1, 0, 0), (0, 1, 0), (0, 0, -3), "all"),
        ((-1, 0, 0), (0, -1, 0), (0, 0, 3), "all"),
        ((0, 1, 0), (-1, 0, 0), (0, 0, 3), "all"),
        ((0.8, 0.6, 0), (-0.6, 0.8, 0), (0, 0, 3), "all"),
        ((1, 0, 0), (0, 0.96, 0.28), (0, 0, 3), "none"),
        ((1, 0, 0), (0, 0.96, 0.28), (0, -0.84, 2.88), "none"),
        ((1, 0, 0), (0, 0, -1), (0, 3, 0), "none"),
        ((0, 1, 0), (0, 0, -1), (3, 0, 0), "none"),
    ],
)
def test_contours_name_only_slices_that_contain_them(tmp_path, across, down, step, n_named):
    """Slices of a tilted gantry, coronal and sagittal slices cross the planes of the contours."""
    places = slices_with(tmp_path / "ct.dicom", across, down, step)
    volume, source = read_volume(tmp_path / "ct.dicom"), dicom_source(tmp_path / "ct.dicom")
    low, high = (volume.grid.centre_mm[2] + sign * 100 for sign in (-1, 1))
    x, y = volume.grid.centre_mm[:2]
    ring = ((x - 4, y - 4), (x + 4, y - 4), (x, y + 4))
    prism = Region(name="P", shape=PolygonRegion(corners_mm=ring, low_mm=low, high_mm=high))
    saved = DicomImage.of(volume, volume.info, source.subject, series=source.series)
    write_structure_set((prism,), saved, tmp_path / "a.dcm")
    contours = pydicom.dcmread(tmp_path / "a.dcm").ROIContourSequence[0].ContourSequence
    named = [each for each in contours if "ContourImageSequence" in each]
    assert len(contours) == volume.grid.shape[0]
    assert len(named) == (len(contours) if n_named == "all" else 0)
    normal = np.cross(across, down)
    for each in named:
        uid = each.ContourImageSequence[0].ReferencedSOPInstanceUID
        corners = np.array(each.ContourData, float).reshape(-1, 3)
        np.testing.assert_allclose((corners - places[uid]) @ normal, 0, atol=1e-3)


def slices_with(folder: Path, across, down, step) -> dict[str, np.ndarray]:
    """Write CT slices with an orientation; return their positions by SOPInstanceUID."""
    save(Volume(np.ones((6, 12, 14), np.float32), ImageGrid((6, 12, 14), (2, 2, 3)), "HU"), folder)
    folder.with_name(f"{folder.name}.provenance.json").unlink()
    places = {}
    for k, path in enumerate(sorted(folder.glob("*.dcm"))):
        each = pydicom.dcmread(path)
        place = np.array([-10.0, 20.0, 30.0]) + k * np.array(step, float)
        each.ImagePositionPatient = [float(v) for v in place]
        each.ImageOrientationPatient = [float(v) for v in (*across, *down)]
        each.save_as(path)
        places[str(each.SOPInstanceUID)] = place
    return places


@pytest.mark.parametrize("sides", ["RPI", "RAS", "LAI", "LPS", "PLS", "ARI"])
def test_regions_of_a_stated_patient_position_come_back_to_their_voxels(tmp_path, sides):
    """Files use patient axes; an image with scanner axes uses the stated position."""
    info = {"axes": "xyz", "stated_axes": sides}
    voxels = np.zeros(GRID.shape, bool)
    voxels[2:5, 3:6, 4:11] = voxels[4, 6, 4] = True
    volume = Volume(voxels.astype(np.float32), GRID, "kBq/mL", info)
    hot = Region(name="Hot", shape=MaskRegion.of(voxels, GRID))
    write_structure_set((hot,), DicomImage.of(volume, info), tmp_path / "a.dcm")
    # The position of the first voxel in LPS, from the letters.
    first = dict(
        zip(sides, (float(GRID.centres_mm(k)[n]) for k, n in enumerate((4, 3, 2))), strict=True)
    )
    lps = [first.get(near, 0) - first.get(far, 0) for near, far in ("LR", "PA", "SI")]
    contours = pydicom.dcmread(tmp_path / "a.dcm").ROIContourSequence[0].ContourSequence
    corners = np.concatenate(
        [np.reshape(each.ContourData, (-1, 3)).astype(float) for each in contours]
    )
    assert np.abs(corners - lps).max(axis=1).min() <= 1.5
    (back,) = read_dicom_regions(tmp_path / "a.dcm").facing(volume).regions
    found = measure(back, volume).figures
    assert found.mean == pytest.approx(1, rel=1e-9)
    assert found.volume_ml == pytest.approx(voxels.sum() * 24 / 1000, rel=1e-9)
    if sides not in ("PLS", "ARI"):  # rows along y are not supported
        write_segmentation((hot,), DicomImage.of(volume, info), tmp_path / "s.dcm")
        (back,) = read_dicom_regions(tmp_path / "s.dcm").facing(volume).regions
        np.testing.assert_array_equal(back.shape.coverage(volume).within(BOX_OF_ALL), voxels)
