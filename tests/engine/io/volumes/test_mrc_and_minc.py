"""Tests of MRC maps of microscopes and of MINC volumes, written by other libraries."""

from __future__ import annotations

from pathlib import Path

import mrcfile
import nibabel
import numpy as np
import pytest

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.io import read_frames, read_volume

SAMPLES = Path(nibabel.__file__).parent / "tests" / "data"
LPS = np.diag([-1.0, -1.0, 1.0, 1.0])


def mrc(path: Path, values: np.ndarray, along: tuple[int, ...] = (1, 2, 3)) -> Path:
    """Write a map with voxels of 10, 20 and 30 nm along x, y and z."""
    with mrcfile.new(path) as file:
        file.set_data(values)
        file.header.mapc, file.header.mapr, file.header.maps = along
        counts = dict(zip(along, reversed(values.shape), strict=True))
        for number, axis in enumerate("xyz", 1):
            file.header[f"m{axis}"] = counts[number]
            file.header.cella[axis] = counts[number] * 100.0 * number
    return path


@pytest.mark.parametrize("kind", ["i1", "i2", "u2", "f4"])
@pytest.mark.parametrize("along", [(1, 2, 3), (3, 1, 2), (2, 1, 3)])
def test_map_has_its_values_along_its_axes(
    tmp_path: Path, kind: str, along: tuple[int, ...]
) -> None:
    expected = np.arange(24).reshape(2, 3, 4).astype(kind)  # [z, y, x]
    stored = expected.transpose([3 - axis for axis in reversed(along)])
    volume = read_volume(mrc(tmp_path / "a.mrc", np.ascontiguousarray(stored), along))
    np.testing.assert_array_equal(volume.values, expected)
    np.testing.assert_allclose(volume.grid.voxel_mm, (1e-5, 2e-5, 3e-5), rtol=1e-5)
    assert volume.axes == "xyz"


def test_truncated_map_or_map_without_sizes_is_refused(tmp_path: Path) -> None:
    path = mrc(tmp_path / "a.mrc", np.ones((4, 4, 4), np.float32))
    (tmp_path / "b.mrc").write_bytes(path.read_bytes()[:-8])
    with pytest.raises(FileFormatError, match="bytes; copy it again"):
        read_volume(tmp_path / "b.mrc")
    with mrcfile.open(path, mode="r+") as file:
        file.header.cella = (0, 0, 0)
    with pytest.raises(GeometryError, match="states no voxel size"):
        read_volume(path)


@pytest.mark.parametrize(
    "name", ["tiny.mnc", "minc1_1_scale.mnc", "small.mnc", "minc2_1_scale.mnc", "minc2-no-att.mnc"]
)
def test_minc_samples_equal_those_of_nibabel(name: str) -> None:
    sample = SAMPLES / name
    if not sample.exists():
        pytest.skip("this version of nibabel has no sample files")
    image, volume = nibabel.load(sample), read_volume(sample)
    values = image.get_fdata()
    rng = np.random.default_rng(3)
    for _ in range(20):
        index = tuple(int(rng.integers(n)) for n in values.shape)
        place = (LPS @ image.affine @ [*index, 1])[:3]
        found = volume.grid.index_of(tuple(place))
        assert found is not None
        assert volume.values[found] == np.float32(values[index])


@pytest.mark.parametrize("name", ["minc1_4d.mnc", "minc2_4d.mnc"])
def test_minc_frames_equal_those_of_nibabel(name: str) -> None:
    if not (SAMPLES / name).exists():
        pytest.skip("this version of nibabel has no sample files")
    values = nibabel.load(SAMPLES / name).get_fdata(dtype=np.float32)  # time is the first axis
    frames = read_frames(SAMPLES / name)
    assert len(frames) == len(values)
    for each, expected in zip(frames, values, strict=True):
        assert each.volume.values.size == expected.size
        np.testing.assert_array_equal(
            np.sort(each.volume.values.ravel()), np.sort(expected.ravel())
        )


@pytest.mark.parametrize("name", ["tiny.mnc", "small.mnc"])
def test_truncated_minc_is_refused(tmp_path: Path, name: str) -> None:
    if not (SAMPLES / name).exists():
        pytest.skip("this version of nibabel has no sample files")
    data = (SAMPLES / name).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(EngineError):
        read_volume(tmp_path / name)
