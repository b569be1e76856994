"""Tests of OME-Zarr volumes: zarr reads every level at its position."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.cli.main import main
from engine.core.errors import ResourceError
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import can_save, save, save_frames, slice_files
from engine.io.volumes.ome_zarr import BLOCK, halved

zarr = pytest.importorskip("zarr", reason="the library zarr is not installed")

GRID = ImageGrid((3, 5, 2 * BLOCK + 7), (0.5, 2.0, 3.0), (4.0, -5.0, 6.0))


def volume(seed: int = 1, grid: ImageGrid = GRID) -> Volume:
    values = np.random.default_rng(seed).normal(size=grid.shape).astype(np.float32)
    return Volume(values, grid, "Bq/mL", {"axes": "LPI"})


def transforms(group: zarr.Group, k: int) -> tuple[list[float], list[float]]:
    (image,) = group.attrs["ome"]["multiscales"]
    scale, translation = image["datasets"][k]["coordinateTransformations"]
    return scale["scale"], translation["translation"]


def test_values_positions_and_units_are_those_of_the_volume(tmp_path):
    image = volume()
    save(image, tmp_path / "a.ome.zarr")
    group = zarr.open_group(tmp_path / "a.ome.zarr", mode="r")
    assert group.metadata.zarr_format == 3 and group.attrs["ome"]["version"] == "0.5"
    (multiscale,) = group.attrs["ome"]["multiscales"]
    assert [each["path"] for each in multiscale["datasets"]] == ["0", "1", "2"]
    assert multiscale["axes"] == [{"name": a, "type": "space", "unit": "millimeter"} for a in "zyx"]
    np.testing.assert_array_equal(group["0"][:], image.values)
    assert group["0"].metadata.dimension_names == ("z", "y", "x")
    scale, start = transforms(group, 0)
    assert scale == list(GRID.voxel_mm[::-1])
    assert start == [GRID.centres_mm(axis)[0] for axis in (2, 1, 0)]
    assert group.attrs["isocenter"] == {"unit": "Bq/mL", "axes": "z, y, x; LPI"}


def test_ramp_has_the_same_value_at_a_position_in_every_level(tmp_path):
    """The mean of a linear function over a block is its value at the centre."""
    grid = ImageGrid((4, 6, 4 * BLOCK), (0.5, 2.0, 3.0), (4.0, -5.0, 6.0))
    x, y, z = (grid.centres_mm(axis) for axis in range(3))
    ramp = 1000 + z[:, None, None] + 2 * y[:, None] - 3 * x
    save(Volume(ramp.astype(np.float32), grid, "1/mm"), tmp_path / "a.ome.zarr")
    group = zarr.open_group(tmp_path / "a.ome.zarr", mode="r")
    for k in range(2):  # in the third level the last block in y is incomplete
        values = group[str(k)][:]
        scale, start = transforms(group, k)
        z, y, x = (a + np.arange(n) * s for a, n, s in zip(start, values.shape, scale, strict=True))
        expected = 1000 + z[:, None, None] + 2 * y[:, None] - 3 * x
        np.testing.assert_allclose(values, expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(1, 5, 6), (4, 1, 1), (3, 3, 3)])
def test_odd_ends_are_means_of_the_remaining_voxels(shape):
    values = np.random.default_rng(2).random(shape).astype(np.float32)
    found = halved(values)
    assert found.shape == tuple((n + 1) // 2 for n in shape)
    for place in np.ndindex(found.shape):
        part = values[tuple(slice(2 * i, 2 * i + 2) for i in place)]
        assert found[place] == pytest.approx(part.mean(), rel=1e-6)


@pytest.mark.parametrize("lengths", [(2, 2, 2), (1, 2, 5)])
def test_time_frames_are_the_first_axis(tmp_path, lengths):
    ends = 1000 * np.cumsum((3, *lengths))
    times = [TimeFrame(int(a), int(b)) for a, b in itertools.pairwise(ends)]
    small = ImageGrid((2, 3, 4), (1.0, 1.0, 1.0))
    frames = [FrameVolume(each, volume(k, small)) for k, each in enumerate(times)]
    save_frames(volume(9, small), frames, tmp_path / "a.ome.zarr", {})
    group = zarr.open_group(tmp_path / "a.ome.zarr", mode="r")
    np.testing.assert_array_equal(group["0"][:], [each.volume.values for each in frames])
    (multiscale,) = group.attrs["ome"]["multiscales"]
    scale, start = transforms(group, 0)
    if len(set(lengths)) == 1:
        assert multiscale["axes"][0] == {"name": "t", "type": "time", "unit": "second"}
        assert (scale[0], start[0]) == (2.0, 3.0)
    else:  # uneven frames have no constant step
        assert multiscale["axes"][0] == {"name": "t", "type": "time"}
    assert group.attrs["isocenter"]["FrameTimesStart"] == [each.start_s for each in times]
    assert group.attrs["isocenter"]["FrameDuration"] == list(lengths)


def test_existing_folder_is_never_replaced(tmp_path):
    image = volume(3, ImageGrid((2, 3, 4), (1.0, 1.0, 1.0)))
    save(image, tmp_path / "a.h5")
    command = ["export", str(tmp_path / "a.h5"), str(tmp_path / "a.ome.zarr")]
    assert main(command) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ResourceError, match="already exists"):
        can_save(tmp_path / "a.ome.zarr")
    assert main([*command, "--force"]) != 0
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_slice_files_keep_the_complete_file_ending(tmp_path):
    assert slice_files(tmp_path / "a.b.ome.zarr", ["axial"]) == (tmp_path / "a.b-axial.ome.zarr",)
    assert slice_files(tmp_path / "a.b.nii.gz", ["axial"]) == (tmp_path / "a.b-axial.nii.gz",)
    assert slice_files(tmp_path / "a.b.png", ["axial"]) == (tmp_path / "a.b-axial.png",)
