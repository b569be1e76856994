"""Tests of ECAT 7: nibabel reads the same, frames are sorted by time, faults are refused."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import nibabel
import numpy as np
import pytest
from nibabel.ecat import EcatImage

from engine.core.errors import EngineError
from engine.io import inspect, read_frames, read_volume
from tests.engine.io.siemens import ecat_files as files

SAMPLE = Path(nibabel.__file__).parent / "tests/data/tinypet.v"
SHAPE = (3, 4, 5)


def stored(k: int) -> np.ndarray:
    return np.random.default_rng(k).integers(-30, 3000, SHAPE).astype(np.int16)


def nibabel_image(path: Path) -> EcatImage:
    """Return the file as nibabel reads it, from memory, because nibabel leaves files open."""
    content = path.read_bytes()
    names = ("header", "image")
    holders = {name: nibabel.FileHolder(fileobj=BytesIO(content)) for name in names}
    return EcatImage.from_file_map(holders)


def test_scanner_file_equals_that_of_nibabel():
    volume, other = read_volume(SAMPLE), nibabel_image(SAMPLE)
    np.testing.assert_allclose(volume.values, other.get_frame(0).T, rtol=1e-6)
    np.testing.assert_allclose(volume.grid.voxel_mm, np.diag(other.affine)[:3], rtol=1e-6)
    assert (volume.unit, volume.axes) == ("Bq/mL", "xyz")
    assert volume.info["isotope"] == "F-18"
    assert read_frames(SAMPLE) == ()


def test_frames_are_sorted_by_their_times(tmp_path: Path):
    path = files.write(tmp_path / "a.v", [stored(0), stored(1), stored(2)], [3000, 0, 1500])
    frames = read_frames(path)
    assert [each.frame.start_ms for each in frames] == [0, 1500, 3000]
    for each, k in zip(frames, (1, 2, 0), strict=True):
        np.testing.assert_allclose(each.volume.values, 1.25 * stored(k), rtol=1e-6)
    assert frames[0].volume.grid.voxel_mm == pytest.approx((2, 3, 4))
    mean = np.mean([each.volume.values for each in frames], axis=0, dtype=float)
    whole = read_volume(path)
    np.testing.assert_allclose(whole.values, mean, rtol=1e-6)
    assert any("3 time frames" in note for note in whole.notes)
    other = nibabel_image(path)
    for k in range(3):
        np.testing.assert_allclose(other.get_frame(k).T, 1.25 * stored(k), rtol=1e-6)


def test_many_frames_use_several_directories(tmp_path: Path):
    path = files.write(
        tmp_path / "a.v", [stored(k) for k in range(40)], list(range(0, 40_000, 1000))
    )
    frames = read_frames(path)
    assert len(frames) == 40
    np.testing.assert_allclose(frames[35].volume.values, 1.25 * stored(35), rtol=1e-6)


def test_values_of_unknown_unit_have_none(tmp_path: Path):
    main = {"data_units": b"ECAT counts/sec", "ecat_calibration_factor": 0.0}
    volume = read_volume(files.write(tmp_path / "a.v", [stored(0)], [0], main=main))
    assert volume.unit == "" and any("unit of its values is unknown" in n for n in volume.notes)
    np.testing.assert_allclose(volume.values, 0.5 * stored(0), rtol=1e-6)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"main": {"file_type": 11}}, "type 11 contains no volume"),
        ({"numbers": [files.number(1), files.number(1, bed=1)]}, "several bed positions"),
        (
            {"numbers": [files.number(1), files.number(1, gate=2)]},
            "or gates; export a single bed position",
        ),
        ({"starts_ms": [0, 500]}, "overlap or have different voxel grids"),
        ({"sub": {"frame_duration": 0}}, "lasts 0 ms"),
        ({"sub": {"data_type": 2}}, "data type is 2, expected 5, 6 or 7"),
        ({"sub": {"x_dimension": 600}}, "bytes of values, but found 512"),
        ({"sub": {"x_pixel_size": 0.0}}, "voxel size"),
        ({"sub": {"x_pixel_size": np.nan}}, "voxel size"),
        ({"sub": {"scale_factor": np.nan}}, "not numbers"),
    ],
)
def test_invalid_volume_is_refused(tmp_path: Path, how: dict, why: str):
    how = {"starts_ms": [0, 1000], **how}
    path = files.write(tmp_path / "a.v", [stored(0), stored(1)], **how)
    with pytest.raises(EngineError, match=why):
        read_volume(path)


def test_invalid_directory_is_refused(tmp_path: Path):
    path = files.write(tmp_path / "a.v", [stored(0)], [0])
    content = bytearray(path.read_bytes())
    for following, why in (
        (999, "its list of images ends too early"),
        (-3, "its list of images ends too early"),
    ):
        content[516:520] = np.array(following, ">i4").tobytes()
        path.write_bytes(content)
        with pytest.raises(EngineError, match=why):
            read_volume(path)
    content[516:520], content[524:528] = bytes(4), np.array(99, ">i4").tobytes()
    path.write_bytes(content)
    assert inspect(path).faults[0].startswith("a.v: states 99 images in one directory")


@pytest.mark.parametrize("n_bytes", [100, 600, 1200, 1600])
def test_truncated_file_gives_one_sentence(tmp_path: Path, n_bytes: int):
    path = files.write(tmp_path / "a.v", [stored(0)], [0])
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(EngineError, match=r"ends (within|too early)|bytes of values|voxels"):
        read_volume(path)
