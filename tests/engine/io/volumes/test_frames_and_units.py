"""Tests of foreign volumes: units of length and time, frames, tilt.

Tilted volumes contain a linear function of position, because linear interpolation reproduces it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nibabel
import nrrd
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_frames, read_volume, save_frames

LPS = np.diag([-1.0, -1.0, 1.0, 1.0])
VALUES = np.random.default_rng(5).normal(size=(4, 5, 6)).astype(np.float32)
STACK = np.stack([VALUES, 3 * VALUES + 1], -1)
AFFINE = np.array([[2.0, 0, 0, -10], [0, 2.5, 0, 5], [0, 0, 3, 7], [0, 0, 0, 1]])
"""Affine from (i, j, k) to LPS."""
MM_PER_UNIT = {"micron": 1e-3, "mm": 1.0, "meter": 1000.0}


def nifti(
    path: Path, values: NDArray[np.float32], *, length: str = "mm", time: str = "sec"
) -> Path:
    affine = LPS @ AFFINE
    affine[:3] /= MM_PER_UNIT.get(length, 1.0)
    image = nibabel.Nifti1Image(values, affine)
    image.header.set_xyzt_units(length, time)
    nibabel.save(image, path)
    return path


def pair(path: Path, values: NDArray[np.float32]) -> Path:
    nibabel.save(nibabel.Nifti1Pair(values, LPS @ AFFINE), path.with_suffix(".hdr"))
    return path.with_suffix(".hdr")


def analyze(path: Path, values: NDArray[np.float32]) -> Path:
    nibabel.save(
        nibabel.Spm99AnalyzeImage(values, np.diag([2, 2.5, 3, 1])), path.with_suffix(".img")
    )
    path.with_suffix(".mat").unlink(missing_ok=True)
    return path.with_suffix(".hdr")


def nrrd_of(
    path: Path, values: NDArray[np.float32], *, unit: str = "mm", first: bool = False
) -> Path:
    scale = {"mm": 1.0, "cm": 0.1, "um": 1000.0}[unit]
    steps, kinds = scale * AFFINE[:3, :3].T, ["domain"] * 3
    if values.ndim == 4:
        none, at = np.full((1, 3), np.nan), 0 if first else 3
        steps = np.insert(steps, at, none, axis=0)
        kinds = ["list", *kinds] if first else [*kinds, "list"]
        values = np.moveaxis(values, 3, at)
    header = {"space": "LPS", "space directions": steps, "kinds": kinds}
    header |= {"space origin": scale * AFFINE[:3, 3], "space units": [unit] * 3}
    nrrd.write(str(path.with_suffix(".nrrd")), values, header)
    return path.with_suffix(".nrrd")


def mha(path: Path, values: NDArray[np.float32], *, unit: str = "") -> Path:
    per_mm = {"": 1.0, "mm": 1.0, "cm": 0.1, "um": 1000.0}[unit]
    extra = [1.0] * (values.ndim - 3)
    edges, origin = [2.0, 2.5, 3.0], [-10.0, 5.0, 7.0]
    fields = {
        "ObjectType": "Image",
        "NDims": values.ndim,
        "Offset": " ".join(f"{per_mm * n:g}" for n in origin) + " 0" * len(extra),
        "ElementSpacing": " ".join(f"{n:g}" for n in [*(per_mm * n for n in edges), *extra]),
        **({"DistanceUnits": unit} if unit else {}),
        "DimSize": " ".join(map(str, values.shape)),
        "ElementType": "MET_FLOAT",
        "ElementDataFile": "LOCAL",
    }
    head = "".join(f"{key} = {value}\n" for key, value in fields.items())
    path = path.with_suffix(".mha")
    path.write_bytes(head.encode() + values.astype("<f4").tobytes(order="F"))
    return path


def assert_placed(found: Volume) -> None:
    first = [found.grid.centres_mm(axis)[0] for axis in range(3)]
    np.testing.assert_allclose(first, AFFINE[:3, 3], rtol=1e-6)  # NIfTI stores float32
    np.testing.assert_allclose(found.grid.voxel_mm, np.diag(AFFINE)[:3], rtol=1e-6)


@pytest.mark.parametrize("unit", MM_PER_UNIT)
def test_units_of_length_of_nifti_are_converted(tmp_path: Path, unit: str) -> None:
    found = read_volume(nifti(tmp_path / "a.nii.gz", VALUES, length=unit))
    assert_placed(found)
    assert found.notes == ()


def test_nifti_without_a_unit_is_in_mm_with_a_note(tmp_path: Path) -> None:
    found = read_volume(nifti(tmp_path / "a.nii", VALUES, length="unknown"))
    assert_placed(found)
    assert found.notes == ("a.nii: states no unit of length; mm is assumed.",)


@pytest.mark.parametrize("unit", ["mm", "cm", "um"])
@pytest.mark.parametrize("write", [nrrd_of, mha])
def test_units_of_length_of_other_formats_are_converted(
    tmp_path: Path, write: Callable[..., Path], unit: str
) -> None:
    assert_placed(read_volume(write(tmp_path / "a", VALUES, unit=unit)))


WRITERS: dict[str, Callable[[Path], Path]] = {
    "nifti": lambda folder: nifti(folder / "a.nii.gz", STACK),
    "pair": lambda folder: pair(folder / "a", STACK),
    "analyze": lambda folder: analyze(folder / "a", STACK),
    "nrrd-last": lambda folder: nrrd_of(folder / "a", STACK),
    "nrrd-first": lambda folder: nrrd_of(folder / "a", STACK, first=True),
    "mha": lambda folder: mha(folder / "a", STACK),
}


@pytest.mark.parametrize("name", WRITERS)
def test_four_dimensional_file_opens_as_frames(tmp_path: Path, name: str) -> None:
    path = WRITERS[name](tmp_path)
    frames, whole = read_frames(path), read_volume(path)
    assert len(frames) == 2
    for each, expected in zip(frames, np.moveaxis(STACK, 3, 0), strict=True):
        np.testing.assert_array_equal(each.volume.values, expected.T)
        if name != "analyze":  # Analyze does not store a position
            assert_placed(each.volume)
    # rounding of float32
    np.testing.assert_allclose(whole.values, STACK.mean(-1).T, rtol=0, atol=1e-6)
    assert any("the summed image is their mean" in note for note in whole.notes)


@pytest.mark.parametrize(("unit", "step", "seconds"), [("sec", 3, 3), ("msec", 500, 0.5)])
def test_frame_times_are_those_of_the_header(
    tmp_path: Path, unit: str, step: float, seconds: float
) -> None:
    image = nibabel.Nifti1Image(STACK, LPS @ AFFINE)
    image.header.set_xyzt_units("mm", unit)
    image.header["pixdim"][4], image.header["toffset"] = step, 2 * step
    nibabel.save(image, tmp_path / "a.nii")
    times = [each.frame for each in read_frames(tmp_path / "a.nii")]
    assert [each.start_s for each in times] == [2 * seconds, 3 * seconds]
    assert [each.duration_s for each in times] == [seconds, seconds]
    assert read_volume(tmp_path / "a.nii").notes[0].startswith("2 time frames")


def test_frame_times_are_those_of_the_bids_json_file(tmp_path: Path) -> None:
    path = nifti(tmp_path / "sub-1_pet.nii.gz", STACK)
    reported = {"FrameTimesStart": [0, 60], "FrameDuration": [60, 240]}
    (tmp_path / "sub-1_pet.json").write_text(json.dumps(reported))
    times = [each.frame for each in read_frames(path)]
    assert [(each.start_s, each.duration_s) for each in times] == [(0, 60), (60, 240)]
    mean = (60 * STACK[..., 0] + 240 * STACK[..., 1]) / 300
    # rounding of float32
    np.testing.assert_allclose(read_volume(path).values, mean.T, rtol=0, atol=1e-6)


def test_frames_without_times_count_as_one_second_with_a_note(tmp_path: Path) -> None:
    path = nifti(tmp_path / "a.nii", STACK, time="unknown")
    assert [each.frame.start_s for each in read_frames(path)] == [0, 1]
    assert any("the times of its 2 frames are unknown" in n for n in read_volume(path).notes)


def test_counts_of_frames_are_summed(tmp_path: Path) -> None:
    grid = ImageGrid((2, 3, 4), (1, 1, 2))
    parts = [
        FrameVolume(TimeFrame(a, b), Volume(np.full(grid.shape, n, np.float32), grid, "counts/mm"))
        for a, b, n in ((0, 1000, 2), (1000, 9000, 5))
    ]
    save_frames(parts[0].volume, parts, tmp_path / "a.nii.gz", {})
    assert set(read_volume(tmp_path / "a.nii.gz").values.flat) == {7}


# Commands that the error messages suggest.


def test_curve_and_export_accept_frames_of_nifti(tmp_path: Path) -> None:
    path, table = nifti(tmp_path / "a.nii.gz", STACK), tmp_path / "c.csv"
    centre = ",".join(f"{n:g}" for n in (AFFINE @ [2, 2, 3, 1])[:3])
    assert main(["curve", str(path), str(table), f"--at={centre}", "--diameter", "0.5"]) == 0
    means = [float(row.split(",")[2]) for row in table.read_text().splitlines()[1:]]
    np.testing.assert_allclose(means, STACK[2, 2, 3], rtol=1e-4)  # rounding in the table
    out = tmp_path / "second.nii"
    assert main(["export", str(path), str(out), "--frame", "2"]) == 0
    np.testing.assert_array_equal(read_volume(out).values, STACK[..., 1].T)
    again = tmp_path / "frames.h5"
    assert main(["export", str(path), str(again)]) == 0
    assert len(read_frames(again)) == 2
    assert main(["export", str(path), str(out), "--frame", "3", "--force"]) == 2


# Tilt and NaN.


def turned(degrees: float, shear: float = 0.0) -> NDArray[np.float64]:
    """Return an affine to LPS: rotated about x, with sheared slices and the spacing of AFFINE."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c + shear]])
    affine = AFFINE.copy()
    affine[:3, :3] = turn @ AFFINE[:3, :3]
    return affine


def ramp(affine: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return a linear function of position at the centre of each voxel."""
    index = np.moveaxis(np.indices(shape), 0, -1)
    points = index @ affine[:3, :3].T + affine[:3, 3]
    return np.asarray(100 + points @ [1.0, 2.0, -3.0], np.float32)


@pytest.mark.parametrize(("degrees", "shear"), [(12.0, 0.0), (22.0, 0.0), (10.0, 0.2)])
@pytest.mark.parametrize("kind", ["nifti", "nrrd"])
def test_tilted_volume_is_resampled_with_a_note(
    tmp_path: Path, degrees: float, shear: float, kind: str
) -> None:
    affine = turned(degrees, shear)
    values = ramp(affine, (8, 10, 9))
    if kind == "nifti":
        nibabel.save(nibabel.Nifti1Image(values, LPS @ affine), tmp_path / "a.nii")
        path = tmp_path / "a.nii"
    else:
        header = {
            "space": "LPS",
            "space directions": affine[:3, :3].T,
            "space origin": affine[:3, 3],
        }
        nrrd.write(str(tmp_path / "a.nrrd"), values, header)
        path = tmp_path / "a.nrrd"
    found = read_volume(path)
    assert any("resampled onto straight voxels" in note for note in found.notes)
    back = np.linalg.inv(affine)
    z, y, x = np.meshgrid(*(found.grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    points = np.stack([x, y, z, np.ones_like(x)], -1)
    index = points @ back.T
    inside = ((index[..., :3] >= 0) & (index[..., :3] <= np.array(values.shape) - 1)).all(-1)
    assert inside.sum() > 100
    expected = 100 + points[..., :3] @ [1.0, 2.0, -3.0]
    # rounding of float32
    np.testing.assert_allclose(found.values[inside], expected[inside], rtol=0, atol=1e-3)


def test_nan_outside_the_body_is_read_as_0_with_a_note(tmp_path: Path) -> None:
    values = VALUES.copy()
    values[0] = np.nan
    found = read_volume(nifti(tmp_path / "a.nii", values))
    np.testing.assert_array_equal(found.values, np.nan_to_num(values).T)
    assert found.notes == ("a.nii: 30 voxels (25 %) are NaN (no number). They are read as 0.",)
    values[:] = np.nan
    with pytest.raises(DataError, match="120 of 120 values are not numbers"):
        read_volume(nifti(tmp_path / "b.nii", values))


def test_samples_of_the_cases_are_read(shared_data: Path) -> None:
    cases = shared_data / "cases-3"
    micron = read_volume(cases / "8-micron.nii.gz")
    assert micron.grid.voxel_mm == pytest.approx((0.009, 0.009, 0.009))
    first, second = read_frames(cases / "9-two-frames.nii.gz")
    assert (first.volume.values.max(), second.volume.values.max()) == (100, 200)
    detached = read_volume(cases / "12-detached.nhdr")
    assert detached.grid.shape == (14, 12, 10)
    assert detached.grid.index_of((4, 12.5, 34)) == tuple(
        int(n) for n in np.unravel_index(detached.values.argmax(), detached.grid.shape)
    )
    assert detached.values.max() == 100


@pytest.mark.parametrize("how", ["LIST", "numbered", "skipped"])
def test_detached_nrrd_of_several_files_or_with_a_header_is_read(tmp_path: Path, how: str) -> None:
    head = (
        "NRRD0004\ntype: float\ndimension: 3\nspace: LPS\nsizes: 4 5 6\nendian: little\n"
        "space directions: (2,0,0) (0,2.5,0) (0,0,3)\nspace origin: (-10,5,7)\nencoding: raw\n"
    )
    slices = [VALUES[..., k].astype("<f4").tobytes(order="F") for k in range(6)]
    if how == "skipped":
        (tmp_path / "all.bin").write_bytes(b"two\nlines\n" + bytes(16) + b"".join(slices))
        head += "line skip: 2\nbyte skip: 16\ndata file: all.bin\n"
    else:
        for k, data in enumerate(slices, 1):
            (tmp_path / f"s{k:02d}.bin").write_bytes(data)
        names = "\n".join(f"s{k:02d}.bin" for k in range(1, 7))
        head += f"data file: LIST\n{names}\n" if how == "LIST" else "data file: s%02d.bin 1 6 1\n"
    (tmp_path / "a.nhdr").write_text(head)
    found = read_volume(tmp_path / "a.nhdr")
    np.testing.assert_array_equal(found.values, VALUES.T)
    assert_placed(found)
