"""Tests of the DICOM reader: slice positions, slopes, one series, no missing slice."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.data import get_testdata_file
from pydicom.dataset import Dataset
from pydicom.uid import RLELossless

from engine.core.errors import EngineError, FileFormatError, GeometryError, ResourceError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import inspect, read_volume, save
from engine.io.dicom.pixels import _refuse_packed
from engine.io.input_files import files_behind
from engine.modalities.recognise import purpose_of
from tests.engine.io.dicom.dicom_files import change, plane_field, write_series

SHAPE = (6, 5, 4)
AFFINE = np.array([[2.0, 0, 0, -7], [0, 3.0, 0, 11], [0, 0, 4.0, -900], [0, 0, 0, 1]])


def points_of(grid: ImageGrid) -> np.ndarray:
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    return np.stack([x, y, z], -1)


def turned(order: tuple[int, ...], signs: tuple[int, ...]) -> np.ndarray:
    affine = AFFINE.copy()
    affine[:3, :3] = (np.eye(3)[list(order)] * signs) @ np.diag([2.0, 3.0, 4.0])
    return affine


def tilted(degrees: float) -> np.ndarray:
    """Return the affine of a tilted gantry: slices are tilted, the table moves along z."""
    affine, angle = AFFINE.copy(), np.radians(degrees)
    affine[:3, 1] = 3 * np.array([0, np.cos(angle), -np.sin(angle)])
    return affine


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 2, 0)])
@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
def test_every_voxel_is_at_the_position_of_its_slice(tmp_path, order, signs):
    write_series(tmp_path / "s", affine=turned(order, signs), shape=SHAPE)
    volume = read_volume(tmp_path / "s")
    np.testing.assert_allclose(volume.values, plane_field(points_of(volume.grid)), atol=0.51)
    assert volume.unit == "HU" and volume.values.size == 120 and not volume.notes


def test_folder_and_any_of_its_files_give_the_same_bits(tmp_path):
    write_series(tmp_path / "s", affine=AFFINE, shape=SHAPE)
    (tmp_path / "s" / "notes.txt").write_text("not an image")
    whole = read_volume(tmp_path / "s")
    for name in ("im0000", "im0014"):
        one = read_volume(tmp_path / "s" / name)
        assert one.grid == whole.grid and np.array_equal(one.values, whole.values)
    assert purpose_of(tmp_path / "s").purpose == "volume"
    assert inspect(tmp_path / "s").format == "DICOM series"
    behind = set(files_behind(tmp_path / "s" / "im0000"))
    assert len(behind) == 4, "all four slices must be protected inputs"


@pytest.mark.parametrize("degrees", [-12.0, 5.0, 20.0])
def test_tilted_gantry_is_resampled_with_a_note(tmp_path, degrees):
    def field(p: np.ndarray) -> np.ndarray:
        return plane_field(p) + 2000

    write_series(tmp_path / "s", affine=tilted(degrees), shape=(30, 30, 30), field=field)
    volume = read_volume(tmp_path / "s")
    (note,) = volume.notes
    assert f"sheared by {abs(degrees):.1f}°" in note and "resampled" in note
    # The field is linear, so values are exact if all neighbours were measured. Outside is air.
    back = points_of(volume.grid) @ np.linalg.inv(tilted(degrees))[:3, :3].T
    back = back + np.linalg.inv(tilted(degrees))[:3, 3]
    inside = ((back > 0) & (back < 29)).all(axis=-1)
    outside = ((back < -1) | (back > 30)).any(axis=-1)
    assert inside.sum() > 15_000
    expected = field(points_of(volume.grid))
    np.testing.assert_allclose(volume.values[inside], expected[inside], atol=0.6)
    assert (volume.values[outside] == -1000).all()


def test_each_slice_has_its_own_slope(tmp_path):
    affine = AFFINE.copy()
    affine[2, 3] = 0
    write_series(
        tmp_path / "s", affine=affine, shape=SHAPE, kind="PT", slopes=lambda k: 0.1 * (k + 1),
        Units="BQML", NumberOfSlices=4,
    )  # fmt: skip
    volume = read_volume(tmp_path / "s")
    np.testing.assert_allclose(volume.values, plane_field(points_of(volume.grid)), atol=0.21)
    assert volume.unit == "Bq/mL"


def test_several_series_are_named_and_a_file_selects_one(tmp_path):
    for prefix in ("soft", "bone"):
        write_series(tmp_path / "s", affine=AFFINE, shape=SHAPE, prefix=prefix)
    with pytest.raises(FileFormatError, match=r"contains 2 DICOM series: .*Test bone.*Test soft"):
        read_volume(tmp_path / "s")
    assert read_volume(tmp_path / "s" / "bone0007").grid.shape == (4, 5, 6)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"PatientID": "P2"}, "PatientID differs"),
        ({"FrameOfReferenceUID": "1.2.3"}, "FrameOfReferenceUID differs"),
        ({"KVP": "80"}, "KVP differs"),
        ({"ImagePositionPatient": [-7.0, 11, -900]}, "have the same position"),
        ({"ImagePositionPatient": [-7.0, 19, -896]}, "away from the line"),
        ({"ImagePositionPatient": None}, "has no valid ImagePositionPatient"),
        ({"ImageOrientationPatient": [1.0, 0, 0, 0, 0, -1]}, "different orientations"),
        ({"PixelData": b"12"}, "its pixels cannot be read"),
    ],
)
def test_inconsistent_slices_are_refused(tmp_path, attributes, message):
    write_series(tmp_path / "s", affine=AFFINE, shape=(6, 5, 8))
    change(tmp_path / "s" / "im0007", **attributes)
    with pytest.raises(EngineError, match=message) as found:
        read_volume(tmp_path / "s" / "im0000")
    assert "im0007" in str(found.value)


def test_missing_slice_is_named(tmp_path):
    write_series(tmp_path / "s", affine=AFFINE, shape=(6, 5, 9))
    (tmp_path / "s" / "im0021").unlink()
    with pytest.raises(GeometryError, match="missing slices: 1 between im0014 and im0028"):
        read_volume(tmp_path / "s")
    (tmp_path / "s" / "im0028").unlink()
    with pytest.raises(GeometryError, match="missing slices: 2 between im0014 and im0035"):
        read_volume(tmp_path / "s")


def uneven(folder: Path, heights: list[float], numbers: list[int] | None = None) -> None:
    """Write slices at these z positions, numbered in order or as given."""
    write_series(folder, affine=AFFINE, shape=(6, 5, len(heights)))
    for k, height in enumerate(heights):
        number = {} if numbers is None else {"InstanceNumber": numbers[k]}
        path = folder / f"im{7 * k:04}"
        x, y = np.meshgrid(-7 + 2.0 * np.arange(6), 11 + 3.0 * np.arange(5))
        values = plane_field(np.stack([x, y, np.full_like(x, height)], -1))
        pixels = np.rint(values + 1024).astype("<i2").tobytes()
        change(path, ImagePositionPatient=[-7.0, 11, height], PixelData=pixels, **number)


THIN_THICK = [*np.arange(0, 20, 2.5), *np.arange(20.0, 51, 7.5)]


@pytest.mark.parametrize("numbers", [None, [*range(len(THIN_THICK), 0, -1)]])
def test_uneven_slices_are_resampled_with_a_note(tmp_path, numbers):
    """Steps of 2.5 mm, then 7.5 mm: no slice is missing, and a linear field keeps its values."""
    uneven(tmp_path / "s", THIN_THICK, numbers)
    volume = read_volume(tmp_path / "s")
    assert volume.grid.voxel_mm[2] == 2.5 and volume.grid.shape[0] == 21
    np.testing.assert_allclose(volume.values, plane_field(points_of(volume.grid)), atol=0.51)
    (note,) = volume.notes
    assert "slices are 2.5 to 7.5 mm apart; they were resampled to a spacing of 2.5 mm" in note


def test_displaced_slice_is_resampled(tmp_path):
    uneven(tmp_path / "s", [0.0, 5.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0])
    volume = read_volume(tmp_path / "s")
    np.testing.assert_allclose(volume.values, plane_field(points_of(volume.grid)), atol=0.51)
    assert "3 to 5 mm apart" in volume.notes[0]


def test_instance_numbers_distinguish_missing_from_uneven_slices(tmp_path):
    heights = [0.0, 2.5, 5.0, 7.5, 15.0, 17.5, 20.0]
    uneven(tmp_path / "whole", heights, [1, 2, 3, 4, 5, 6, 7])
    assert read_volume(tmp_path / "whole").notes
    uneven(tmp_path / "lost", heights, [1, 2, 3, 4, 7, 8, 9])
    with pytest.raises(GeometryError, match="missing slices: 2 between im0021 and im0028"):
        read_volume(tmp_path / "lost")
    uneven(tmp_path / "ends", [0.0, 5.0, 10.0, 15.0, 22.5, 30.0], [2, 4, 6, 8, 10, 12])
    assert "5 to 7.5 mm apart" in read_volume(tmp_path / "ends").notes[0]


def test_too_uneven_slices_are_refused(tmp_path):
    uneven(tmp_path / "s", [0.0, 0.1, 8.0, 20.0, 33.0])
    with pytest.raises(GeometryError, match=r"0.1 to 13 mm, too uneven"):
        read_volume(tmp_path / "s")


def test_dicomdir_opens_its_folder(tmp_path):
    folder = Path(str(get_testdata_file("DICOMDIR"))).parent
    with pytest.raises(FileFormatError, match="contains 10 scans or images"):
        read_volume(folder / "DICOMDIR")
    shutil.copy(folder / "DICOMDIR", tmp_path)
    write_series(tmp_path / "A", affine=AFFINE, shape=SHAPE)
    assert read_volume(tmp_path / "DICOMDIR").grid.shape == (4, 5, 6)


def test_slices_missing_at_the_end_are_found_if_the_series_states_their_number(tmp_path):
    write_series(tmp_path / "s", affine=AFFINE, shape=SHAPE, kind="PT", NumberOfSlices=4)
    (tmp_path / "s" / "im0021").unlink()
    with pytest.raises(
        FileFormatError, match="the number of slices is 3, but the series should have 4"
    ):
        read_volume(tmp_path / "s")


def test_padding_is_air(tmp_path):
    write_series(tmp_path / "s", affine=AFFINE, shape=SHAPE, PixelPaddingValue=-2000,
                 field=lambda p: np.where(p[..., 0] < -6, -3024.0, 40.0))  # fmt: skip
    assert sorted(np.unique(read_volume(tmp_path / "s").values)) == [-1000, 40]


@pytest.mark.parametrize(("unit", "axes"), [("HU", "xyz"), ("1/mm", "LPI"), ("Bq/mL", "LPS")])
def test_own_series_are_restored(tmp_path, unit, axes):
    values = np.random.default_rng(1).normal(0, 500, (4, 5, 6)).astype(np.float32)
    grid = ImageGrid((4, 5, 6), (2.0, 2.5, 3.0), (1.0, -2.0, 30.0))
    save(Volume(values, grid, unit, {"axes": axes}), tmp_path / "a.dicom")
    back = read_volume(tmp_path / "a.dicom")
    assert back.unit == unit and back.axes == axes
    np.testing.assert_allclose(back.grid.centre_mm, grid.centre_mm)
    step = 0.101 if unit == "HU" else np.abs(values).max() / 32767
    assert np.abs(back.values - values).max() <= step / 2 * 1.01
    change(tmp_path / "a.dicom" / "00002.dcm", PatientComments="other")
    with pytest.raises(FileFormatError, match="so it has been changed"):
        read_volume(tmp_path / "a.dicom")


def enhanced(path: Path, n: int = 4) -> None:
    """Write an Enhanced MR of one file with frames in random order."""
    (one, *_) = write_series(path.parent / "tmp", affine=AFFINE, shape=SHAPE, kind="MR")
    shutil.rmtree(path.parent / "tmp")
    numbers = np.arange(n * 30, dtype="<i2").reshape(n, 5, 6)
    shared, frames = Dataset(), []
    plane, measures = Dataset(), Dataset()
    plane.ImageOrientationPatient = one.ImageOrientationPatient
    measures.PixelSpacing, measures.SliceThickness = one.PixelSpacing, 4.0
    shared.PlaneOrientationSequence, shared.PixelMeasuresSequence = [plane], [measures]
    for k in range(n):
        frame, position, scale = Dataset(), Dataset(), Dataset()
        position.ImagePositionPatient = [0.0, 0, 4.0 * (n - k)]
        scale.RescaleSlope, scale.RescaleIntercept = k + 1, 5
        frame.PlanePositionSequence, frame.PixelValueTransformationSequence = [position], [scale]
        frames.append(frame)
    for keyword in ("ImagePositionPatient", "ImageOrientationPatient", "PixelSpacing"):
        delattr(one, keyword)
    for keyword in ("RescaleSlope", "RescaleIntercept", "SliceThickness"):
        delattr(one, keyword)
    one.SOPClassUID, one.NumberOfFrames = "1.2.840.10008.5.1.4.1.1.4.1", n
    one.SharedFunctionalGroupsSequence, one.PerFrameFunctionalGroupsSequence = [shared], frames
    one.PixelData = numbers.tobytes()
    one.save_as(path, enforce_file_format=True)


def test_enhanced_file_is_a_volume(tmp_path):
    enhanced(tmp_path / "mr.dcm")
    volume = read_volume(tmp_path / "mr.dcm")
    numbers = np.arange(120).reshape(4, 5, 6)
    slopes = np.arange(1, 5)[:, None, None]
    assert np.array_equal(volume.values, (numbers * slopes + 5)[::-1])
    assert volume.grid.voxel_mm == (2.0, 3.0, 4.0) and volume.grid.centre_mm[2] == 10


def test_compressed_pixels_are_the_same(tmp_path):
    write_series(tmp_path / "s", affine=AFFINE, shape=SHAPE)
    uncompressed = read_volume(tmp_path / "s").values
    for path in (tmp_path / "s").iterdir():
        dataset = pydicom.dcmread(path)
        dataset.compress(RLELossless)
        dataset.save_as(path)
    assert np.array_equal(read_volume(tmp_path / "s").values, uncompressed)


def test_unsupported_compression_names_the_remedy():
    with pytest.raises(ResourceError, match=r"MPEG.*pip install 'isocenter\[dicom\]'"):
        _refuse_packed("1.2.840.10008.1.2.4.100", "a.dcm")


@pytest.mark.parametrize("name", ["rtplan.dcm", "SC_rgb_rle.dcm", "test-SR.dcm"])
def test_other_kinds_of_objects_are_named(tmp_path, name):
    shutil.copy(str(get_testdata_file(name)), tmp_path)
    with pytest.raises(
        FileFormatError,
        match=r"Format: (RT plan|DICOM report|DICOM screenshot \(secondary capture\))\. ",
    ):
        read_volume(tmp_path / name)


@pytest.mark.parametrize("name", ["CT_small.dcm", "MR_small.dcm"])
def test_samples_of_scanners_open(tmp_path, name):
    shutil.copy(str(get_testdata_file(name)), tmp_path)
    expected = pydicom.dcmread(tmp_path / name)
    volume = read_volume(tmp_path / name)
    x, y, _ = (float(v) for v in expected.ImagePositionPatient)
    corner = [volume.grid.centres_mm(axis)[0] for axis in (0, 1)]
    np.testing.assert_allclose(corner, [x, y], atol=1e-6)
    slope, intercept = (float(expected.get(k, d)) for k, d in
                        (("RescaleSlope", 1), ("RescaleIntercept", 0)))  # fmt: skip
    assert np.array_equal(volume.values[0], expected.pixel_array * slope + intercept)


def test_truncated_file_gives_one_sentence(tmp_path):
    write_series(tmp_path / "s", affine=AFFINE, shape=SHAPE)
    path = tmp_path / "s" / "im0000"
    whole = path.read_bytes()
    for n in range(132, len(whole), 37):
        path.write_bytes(whole[:n])
        with pytest.raises(EngineError, match="im0000"):
            read_volume(path)
