"""Tests of regions in DICOM files of other programs, and of closed forms."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from pydicom import Dataset, dcmread
from pydicom.data import get_testdata_file
from pydicom.dataset import FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, generate_uid

from engine.analysis.regions.dicom_regions import read_dicom_regions
from engine.analysis.regions.inspection import inspect_regions
from engine.analysis.regions.region_file import read_any, write_regions
from engine.analysis.regions.region_set import RegionSet, scan_marks
from engine.core.errors import DataError, FileFormatError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

STRUCTURES = "1.2.840.10008.5.1.4.1.1.481.3"
FRAME = "1.2.3.4"


def liver(tmp_path: Path, **changed: object) -> Path:
    """Return a liver segmented by another program; two frames that the sample lacks are removed."""
    found = dcmread(get_testdata_file("liver_1frame.dcm"))
    found.PerFrameFunctionalGroupsSequence = found.PerFrameFunctionalGroupsSequence[:1]
    found.NumberOfFrames = 1
    shared = found.SharedFunctionalGroupsSequence[0]
    if "cosines" in changed:
        shared.PlaneOrientationSequence[0].ImageOrientationPatient = changed["cosines"]
    found.save_as(tmp_path / "liver.dcm")
    return tmp_path / "liver.dcm"


def test_foreign_segmentation_keeps_every_voxel_and_its_position(tmp_path):
    path = liver(tmp_path)
    source = dcmread(path)
    found = read_any(path)
    (region,) = found.regions
    assert region.name == "Liver"
    assert found.is_of(scan_marks(frame_of_reference=source.FrameOfReferenceUID))
    rows, columns = np.nonzero(source.pixel_array.reshape(512, 512))
    assert region.shape.mask.sum() == len(rows) == 36233
    place = source.PerFrameFunctionalGroupsSequence[0].PlanePositionSequence[0]
    x, y, z = (float(v) for v in place.ImagePositionPatient)
    edge = 0.810547
    lower = (x + (columns.min() - 0.5) * edge, y + (rows.min() - 0.5) * edge, z - 0.5)
    np.testing.assert_allclose(region.shape.lower_mm, lower, atol=1e-3)
    np.testing.assert_allclose(region.shape.voxel_mm, (edge, edge, 1.0), atol=1e-6)


def test_reversed_rows_are_placed_correctly(tmp_path):
    (original,) = read_dicom_regions(liver(tmp_path)).regions
    (turned,) = read_dicom_regions(liver(tmp_path, cosines=[-1, 0, 0, 0, -1, 0])).regions
    np.testing.assert_array_equal(turned.shape.mask, original.shape.mask[:, ::-1, ::-1])
    assert turned.shape.lower_mm[0] < original.shape.lower_mm[0], (
        "columns must continue to the right of x"
    )


@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_rows_along_y_are_placed_correctly(tmp_path, signs):
    """Some programs store the transposed pixels, and state it in the orientation."""
    down, across = signs
    source = dcmread(liver(tmp_path))
    pixels = source.pixel_array.reshape(512, 512)
    shared = source.SharedFunctionalGroupsSequence[0]
    height, width = 2.0, 0.5
    shared.PixelMeasuresSequence[0].PixelSpacing = [height, width]
    source.save_as(tmp_path / "plain.dcm")
    (plain,) = read_dicom_regions(tmp_path / "plain.dcm").regions
    place = source.PerFrameFunctionalGroupsSequence[0].PlanePositionSequence[0]
    first = [float(each) for each in place.ImagePositionPatient]
    # The first pixel is at the opposite corner for a negative direction
    first[0] += 511 * width * (across < 0)
    first[1] += 511 * height * (down < 0)
    # Rows are now along y, so their distance is that of the columns
    shared.PixelMeasuresSequence[0].PixelSpacing = [width, height]
    stored = pixels[::down, ::across].T
    source.PixelData = np.packbits(stored.ravel(), bitorder="little").tobytes()
    place.ImagePositionPatient = [f"{each:.6f}" for each in first]
    shared.PlaneOrientationSequence[0].ImageOrientationPatient = [0, down, 0, across, 0, 0]
    source.save_as(tmp_path / "turned.dcm")
    (turned,) = read_dicom_regions(tmp_path / "turned.dcm").regions
    np.testing.assert_array_equal(turned.shape.mask, plain.shape.mask)
    np.testing.assert_allclose(turned.shape.lower_mm, plain.shape.lower_mm, atol=1e-3)
    np.testing.assert_allclose(turned.shape.voxel_mm, (width, height, 1.0), atol=1e-6)


def test_frames_of_different_orientation_are_refused(tmp_path):
    source = dcmread(liver(tmp_path))
    other = deepcopy(source.PerFrameFunctionalGroupsSequence[0])
    other.PlaneOrientationSequence = deepcopy(
        source.SharedFunctionalGroupsSequence[0].PlaneOrientationSequence
    )
    other.PlaneOrientationSequence[0].ImageOrientationPatient = [-1, 0, 0, 0, 1, 0]
    source.PerFrameFunctionalGroupsSequence.append(other)
    source.NumberOfFrames, source.PixelData = 2, 2 * source.PixelData
    source.save_as(tmp_path / "two.dcm")
    with pytest.raises(DataError, match="the frames have different orientations"):
        read_dicom_regions(tmp_path / "two.dcm")


def test_oblique_slices_and_missing_frames_are_refused(tmp_path):
    with pytest.raises(DataError, match="are not axial"):
        read_dicom_regions(liver(tmp_path, cosines=[0.8, 0.6, 0, -0.6, 0.8, 0]))
    with pytest.raises(FileFormatError, match="has 1 frames but describes 3"):
        read_dicom_regions(Path(get_testdata_file("liver_1frame.dcm")))


def test_file_without_regions_is_refused_with_its_modality(tmp_path):
    with pytest.raises(FileFormatError, match="modality: CT"):
        read_dicom_regions(Path(get_testdata_file("CT_small.dcm")))
    (tmp_path / "a.dcm").write_bytes(b"no DICOM at all" * 20)
    with pytest.raises(FileFormatError, match=r"a\.dcm: not a DICOM object"):
        read_dicom_regions(tmp_path / "a.dcm")


def test_foreign_structure_is_within_its_corners():
    found = read_dicom_regions(Path(get_testdata_file("rtstruct.dcm")))
    (region,) = found.regions  # reference points are excluded
    source = dcmread(get_testdata_file("rtstruct.dcm"), force=True)
    drawn = source.ROIContourSequence[0].ContourSequence
    corners = np.concatenate([np.array(c.ContourData, float).reshape(-1, 3) for c in drawn])
    low, high = (np.array(each) for each in region.shape.bounds_mm)
    assert region.name == "patient"
    # A plane represents a slab, so the region ends half a slab beyond the outer planes.
    half = np.array([0, 0, region.shape.slab_mm / 2])
    np.testing.assert_allclose(low, corners.min(axis=0) - half, atol=1e-6)  # rounded to 1 nm
    np.testing.assert_allclose(high, corners.max(axis=0) + half, atol=1e-6)


def structures(path: Path, *contours: np.ndarray, name: str = "GTV") -> Path:
    found = Dataset()
    found.file_meta = FileMetaDataset()
    found.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    found.file_meta.MediaStorageSOPClassUID = found.SOPClassUID = STRUCTURES
    found.file_meta.MediaStorageSOPInstanceUID = found.SOPInstanceUID = generate_uid()
    found.Modality, found.FrameOfReferenceUID = "RTSTRUCT", FRAME
    roi, drawn = Dataset(), Dataset()
    roi.ROINumber, roi.ROIName, roi.ReferencedFrameOfReferenceUID = 7, name, FRAME
    drawn.ReferencedROINumber, drawn.ContourSequence = 7, []
    for points in contours:
        each = Dataset()
        each.ContourGeometricType, each.NumberOfContourPoints = "CLOSED_PLANAR", len(points)
        each.ContourData = [f"{v:.4f}" for v in points.ravel()]
        drawn.ContourSequence.append(each)
    found.StructureSetROISequence, found.ROIContourSequence = [roi], [drawn]
    found.save_as(path, enforce_file_format=True)
    return path


def circle(radius: float, z: float, n: int = 200) -> np.ndarray:
    angle = np.arange(n) * 2 * np.pi / n
    return np.stack([5 + radius * np.cos(angle), -3 + radius * np.sin(angle), 0 * angle + z], 1)


def test_contour_volume_equals_its_discs_minus_the_hole(tmp_path):
    heights = np.arange(10.0, 25.0, 3.0)
    contours = [circle(r, z) for z in heights for r in (30.0, 12.0)]
    (region,) = read_dicom_regions(structures(tmp_path / "a.dcm", *contours)).regions
    grid = ImageGrid((16, 70, 70), (1.1, 1.3, 1.5), (5.0, -3.0, 17.0))
    found = region.shape.coverage(Volume(np.zeros(grid.shape, np.float32), grid, ""))
    # A polygon of 200 corners on a circle has the area n/2 r² sin(2 pi/n); the file has 4 decimals.
    expected = 100 * np.sin(2 * np.pi / 200) * (30**2 - 12**2) * 3 * len(heights)
    assert found.share.sum() * np.prod(grid.voxel_mm) == pytest.approx(expected, rel=1e-5)
    assert region.shape.bounds_mm[0][2] == pytest.approx(8.5)
    middle = found.share.shape[1] // 2, found.share.shape[2] // 2
    assert not found.share[:, *middle].any() and not found.centres[:, *middle].any()


def test_patient_is_compared_and_never_written(tmp_path):
    found = read_any(liver(tmp_path))
    assert found.patient == "99000"
    assert found.is_of_other_patient("12345")
    assert not found.is_of_other_patient("99000") and not found.is_of_other_patient("")
    write_regions(found, tmp_path / "a.regions.toml")
    assert "99000" not in (tmp_path / "a.regions.toml").read_text() + repr(found)
    assert not read_any(tmp_path / "a.regions.toml").patient


@pytest.mark.parametrize(("own", "structure"), [(FRAME, "1.2.3.5"), ("", FRAME), (FRAME, "")])
def test_structures_match_an_image_named_in_either_field(tmp_path, own, structure):
    path = structures(tmp_path / "a.dcm", circle(20, 4.0))
    both = dcmread(path)
    both.FrameOfReferenceUID = own
    both.StructureSetROISequence[0].ReferencedFrameOfReferenceUID = structure
    both.save_as(path)
    found = read_any(path)
    for frame in {own, structure} - {""}:
        assert found.is_of(scan_marks(frame_of_reference=frame))
    assert not found.is_of(scan_marks(frame_of_reference="1.2.3.6"))


def test_inspect_lists_frames_of_reference_and_regions(tmp_path):
    path = structures(tmp_path / "a.dcm", circle(20, 4.0))
    both = dcmread(path)
    both.FrameOfReferenceUID = FRAME
    both.StructureSetROISequence[0].ReferencedFrameOfReferenceUID = "1.2.3.5"
    both.save_as(path)
    facts = dict(inspect_regions(path).facts)
    assert facts["Frame of reference"] == "1.2.3.4, 1.2.3.5"
    assert facts["Regions"] == "GTV"


def test_structures_of_two_frames_of_reference_are_refused(tmp_path):
    path = structures(tmp_path / "a.dcm", circle(20, 4.0))
    both = dcmread(path)
    other = deepcopy(both.StructureSetROISequence[0])
    other.ROINumber, other.ReferencedFrameOfReferenceUID = 8, "1.2.3.5"
    both.StructureSetROISequence.append(other)
    both.save_as(path)
    with pytest.raises(DataError, match="2 frames of reference"):
        read_any(path)


def test_file_without_an_extension_is_recognised_by_content(tmp_path):
    path = structures(tmp_path / "IM000123", circle(20, 4.0))
    assert [region.name for region in read_any(path).regions] == ["GTV"]


def test_formula_name_and_tilted_contour_are_handled(tmp_path):
    path = structures(tmp_path / "a.dcm", circle(20, 4.0), name="=SUM(A1)")
    assert read_dicom_regions(path).regions[0].name == "Structure 1"
    tilted = circle(20, 4.0)
    tilted[:, 2] += 0.2 * tilted[:, 0]
    with pytest.raises(DataError, match="are not axial"):
        read_dicom_regions(structures(tmp_path / "b.dcm", tilted))
    nowhere = circle(20, 4.0)
    nowhere[3, 1] = 1e9
    with pytest.raises(DataError, match="a position is infinite or beyond"):
        read_dicom_regions(structures(tmp_path / "d.dcm", nowhere))
    with pytest.raises(DataError, match="uneven"):
        heights = (0.0, 2.0, 5.0)
        read_dicom_regions(structures(tmp_path / "c.dcm", *(circle(9, z) for z in heights)))


def test_own_pseudonym_matches_any_patient():
    known = RegionSet(patient="4711")
    assert known.is_of_other_patient("4712")
    assert not known.is_of_other_patient("isocenter-0123456789ab")
    assert not known.is_of_other_patient("4711")
