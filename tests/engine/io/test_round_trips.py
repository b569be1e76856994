"""Every written volume opens again with the same values at the same positions.

Libraries that read the format agree: nibabel, pydicom, tifffile and zarr.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import nibabel
import numpy as np
import pydicom
import pytest
import tifffile
from numpy.typing import NDArray

from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane
from engine.io import (
    WRITERS,
    frame_suffixes,
    read_frames,
    read_volume,
    save,
    save_frames,
    scan_file,
    thin_volume,
)
from engine.io.bids.dataset import BidsWriter
from engine.io.dicom.capture import DicomCaptureWriter
from engine.io.dicom.series import DicomSeriesWriter
from engine.io.raster.cine import CineWriter
from engine.io.raster.png import PngWriter
from engine.io.tiff.volume import TiffWriter
from engine.io.volumes.nifti import NiftiWriter
from engine.io.volumes.straight_axes import in_scanner_frame
from engine.protocols.run_context.provenance import FORMAT

DISPLAY_ONLY = (PngWriter, CineWriter, DicomCaptureWriter)
"""Writers of images for display, which store no values."""
VOLUMES = [writer for writer in WRITERS if writer not in DISPLAY_ONLY]
SCALED = (DicomSeriesWriter, TiffWriter)
"""Formats of integers with a slope: the error is at most half a step, range / 65535."""
GRIDS = {
    "odd": ImageGrid((3, 4, 5), (1.5, 2.0, 2.5), (10.0, -20.0, 30.0)),
    "beyond": ImageGrid((2, 3, 4), (0.05, 0.07, 0.3), (-250.125, 333.3, -1.7)),
    "one-slice": ImageGrid((1, 4, 3), (1.0, 1.0, 4.0), (0.5, 0.0, -7.25)),
}
EMISSION = {"format": FORMAT, "protocol": {"modality": "pet"}}
PLACE_MM = 1e-4
"""Tolerance for positions in text of 9 digits and in float32 of NIfTI, 250 mm from the origin."""


def volume(grid: ImageGrid, axes: str, unit: str = "Bq/mL") -> Volume:
    values = np.random.default_rng(3).gamma(2.0, 40.0, grid.shape).astype(np.float32)
    return Volume(values, grid, unit, {**EMISSION, "axes": axes})


def tolerance(writer: type, values: NDArray[np.float32]) -> float:
    return float(values.max() - min(values.min(), 0)) / 65535 if writer in SCALED else 0.0


def as_read(volume: Volume, ending: str) -> Volume:
    """Return the volume in the axes of its format: BIDS supports only patient axes (LPS)."""
    if ending not in BidsWriter.suffixes or volume.axes == "LPS":
        return volume
    turned = in_scanner_frame(volume)  # z is reversed, but positions stay
    return replace(turned, info={**turned.info, "axes": "LPS"})


def assert_same(found: Volume, saved: Volume, step: float) -> None:
    np.testing.assert_allclose(found.values, saved.values, rtol=0, atol=step)
    assert found.grid.shape == saved.grid.shape
    for axis in range(3):
        ends = [volume.grid.centres_mm(axis)[[0, -1]] for volume in (found, saved)]
        np.testing.assert_allclose(*ends, rtol=0, atol=PLACE_MM)
    assert found.axes == saved.axes
    assert found.unit == saved.unit


@pytest.mark.parametrize("axes", ["LPS", "LPI"])
@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("writer", VOLUMES, ids=lambda w: w.suffixes[0])
def test_volume_is_restored(tmp_path: Path, writer: type, name: str, axes: str) -> None:
    saved = volume(GRIDS[name], axes)
    path = tmp_path / f"a{writer.suffixes[0]}"
    save(saved, path, saved.info)
    expected = as_read(saved, writer.suffixes[0])
    assert_same(read_volume(path), expected, tolerance(writer, saved.values))
    assert read_frames(scan_file(path)) == ()


def framed(grid: ImageGrid, axes: str, times: list[TimeFrame]) -> list[FrameVolume]:
    base = volume(grid, axes)
    return [
        FrameVolume(time, replace(base, values=base.values * np.float32(k)))
        for k, time in enumerate(times, 1)
    ]


EVEN = [TimeFrame(0, 20_000), TimeFrame(20_000, 40_000), TimeFrame(40_000, 60_000)]
UNEVEN = [TimeFrame(0, 10_000), TimeFrame(10_000, 40_000), TimeFrame(45_000, 145_000)]
GATES = [TimeFrame(0, 60_000, Gate(k, 3, 20_000)) for k in (1, 2, 3)]


@pytest.mark.parametrize("axes", ["LPS", "LPI"])
@pytest.mark.parametrize("times", [EVEN, UNEVEN, GATES], ids=["even", "uneven", "gates"])
@pytest.mark.parametrize("ending", sorted({*frame_suffixes(), *frame_suffixes(gated=True)}))
def test_frames_are_restored_with_their_times(
    tmp_path: Path, ending: str, times: list[TimeFrame], axes: str
) -> None:
    if times is GATES and ending not in frame_suffixes(gated=True):
        pytest.skip("this format cannot store gates")
    expected = framed(GRIDS["odd"], axes, times)
    whole = volume(GRIDS["odd"], axes)
    path = tmp_path / f"a{ending}"
    save_frames(whole, expected, path, whole.info)
    found = read_frames(scan_file(path))
    assert [each.frame.duration_s for each in found] == [each.duration_s for each in times]
    assert [bool(each.frame.gate) for each in found] == [bool(each.gate) for each in times]
    if times is not GATES:
        assert [each.frame.start_s for each in found] == [each.start_s for each in times]
    writer = DicomSeriesWriter if ending in DicomSeriesWriter.suffixes else NiftiWriter
    for one, other in zip(found, expected, strict=True):
        step = tolerance(writer, other.volume.values)
        assert_same(one.volume, as_read(other.volume, ending), step)
    assert read_volume(path).grid.shape == whole.grid.shape


@pytest.mark.parametrize("ending", [".nii.gz", ".nii", ".mha"])
def test_oblique_slice_is_restored_in_its_own_axes(tmp_path: Path, ending: str) -> None:
    c, s = np.cos(0.4), np.sin(0.4)
    plane = Plane((4, 6), 1.5, (10.0, -20.0, 30.0), (c, s, 0.0), (0.0, 0.0, 1.0))
    values = np.random.default_rng(1).normal(size=(4, 6)).astype(np.float32)
    expected = thin_volume(values, plane, "Bq/mL", EMISSION)
    save(expected, tmp_path / f"a{ending}", expected.info)
    found = read_volume(tmp_path / f"a{ending}")
    np.testing.assert_array_equal(found.values, expected.values)
    frame, expected_frame = found.info["slice_frame"], expected.info["slice_frame"]
    for key in ("centre_mm", "across", "down"):
        # NIfTI stores float32
        np.testing.assert_allclose(frame[key], expected_frame[key], atol=1e-5)
    assert any("tilted slice" in note for note in found.notes)
    save(found, tmp_path / f"b{ending}")
    again = read_volume(tmp_path / f"b{ending}")
    np.testing.assert_array_equal(again.values, expected.values)


# Readers of other programs.


def by_nibabel(path: Path) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return values [x, y, z, ...] and the position of the first voxel in LPS."""
    image = nibabel.load(path)
    return image.get_fdata(dtype=np.float32), (np.diag([-1, -1, 1, 1]) @ image.affine)[:3, 3]


@pytest.mark.parametrize("ending", [".nii.gz", ".nii"])
def test_nibabel_reads_frames_and_their_step(tmp_path: Path, ending: str) -> None:
    frames, whole = framed(GRIDS["odd"], "LPS", EVEN), volume(GRIDS["odd"], "LPS")
    save_frames(whole, frames, tmp_path / f"a{ending}", whole.info)
    values, first = by_nibabel(tmp_path / f"a{ending}")
    np.testing.assert_array_equal(values, np.stack([e.volume.values.T for e in frames], -1))
    np.testing.assert_allclose(first, [whole.grid.centres_mm(axis)[0] for axis in range(3)])
    image = nibabel.load(tmp_path / f"a{ending}")
    assert image.header.get_zooms()[3] == 20
    assert image.header.get_xyzt_units() == ("mm", "sec")


def test_pydicom_reads_values_and_positions(tmp_path: Path) -> None:
    expected = volume(GRIDS["odd"], "LPS")
    save(expected, tmp_path / "a.dicom", expected.info)
    slices = [pydicom.dcmread(path) for path in sorted((tmp_path / "a.dicom").iterdir())]
    slices.sort(key=lambda each: each.ImagePositionPatient[2])
    values = np.stack([float(e.RescaleSlope) * e.pixel_array for e in slices])
    step = tolerance(DicomSeriesWriter, expected.values)
    np.testing.assert_allclose(values, expected.values, rtol=0, atol=step)
    first = [expected.grid.centres_mm(axis)[0] for axis in range(3)]
    np.testing.assert_allclose(slices[0].ImagePositionPatient, first, atol=PLACE_MM)


@pytest.mark.parametrize("ending", [".ome.tif", ".tif"])
def test_tifffile_reads_values(tmp_path: Path, ending: str) -> None:
    expected = volume(GRIDS["odd"], "LPS")
    save(expected, tmp_path / f"a{ending}", expected.info)
    found = read_volume(tmp_path / f"a{ending}")
    stored = tifffile.imread(tmp_path / f"a{ending}")
    assert stored.shape == expected.values.shape
    # Fit a line from stored to read values; the file states its slope as text.
    assert np.corrcoef(stored.ravel(), found.values.ravel())[0, 1] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("times", [None, UNEVEN])
def test_zarr_reads_the_same_as_our_reader(tmp_path: Path, times: list[TimeFrame] | None) -> None:
    zarr = pytest.importorskip("zarr", reason="the library zarr is not installed")
    whole, path = volume(GRIDS["odd"], "LPS"), tmp_path / "a.ome.zarr"
    frames = framed(GRIDS["odd"], "LPS", times) if times else []
    if frames:
        save_frames(whole, frames, path, whole.info)
        ours = np.stack([each.volume.values for each in read_frames(scan_file(path))])
    else:
        save(whole, path, whole.info)
        ours = read_volume(path).values
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["0"][:], ours)
