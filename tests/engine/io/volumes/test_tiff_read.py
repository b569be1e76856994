"""Tests of TIFF stacks with voxel sizes: ours, and those of ImageJ and OME, written by tifffile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tifffile

from engine.core.errors import EngineError, FileFormatError, UnknownFormatError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.io.tiff.volume import ome_tiff_bytes

STACK = np.arange(60, dtype=np.uint16).reshape(3, 4, 5)
NAMES = ("PhysicalSizeX", "PhysicalSizeY", "PhysicalSizeZ")


def volume() -> Volume:
    grid = ImageGrid((3, 4, 5), (0.5, 0.25, 2.0), (10.0, -20.0, 30.0))
    return Volume(np.random.default_rng(1).normal(size=grid.shape).astype("f4"), grid, "1/mm")


def test_imagej_stack_has_its_voxel_sizes(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    tifffile.imwrite(
        path,
        STACK,
        imagej=True,
        resolution=(1 / 12.0, 1 / 6.0),  # pixels per micrometre
        metadata={"spacing": 30.0, "unit": "micron", "axes": "ZYX"},
    )
    again = read_volume(path)
    np.testing.assert_array_equal(again.values, STACK)
    np.testing.assert_allclose(again.grid.voxel_mm, (0.012, 0.006, 0.03), rtol=1e-6)
    assert again.axes == "xyz"


@pytest.mark.parametrize(("unit", "mm"), [(None, 1e-3), ("nm", 1e-6), ("mm", 1.0), ("cm", 10.0)])
def test_ome_tiff_has_its_voxel_sizes(tmp_path: Path, unit: str | None, mm: float) -> None:
    path = tmp_path / "a.ome.tif"
    sizes = dict(zip(NAMES, (20.0, 30.0, 40.0), strict=True))
    units = {f"{name}Unit": unit for name in NAMES if unit is not None}
    tifffile.imwrite(path, STACK, ome=True, metadata={"axes": "ZYX", **sizes, **units})
    again = read_volume(path)
    np.testing.assert_array_equal(again.values, STACK)
    np.testing.assert_allclose(again.grid.voxel_mm, np.array([20, 30, 40]) * mm)


def test_several_channels_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.ome.tif"
    sizes = dict.fromkeys(NAMES, 1.0)
    tifffile.imwrite(path, STACK, ome=True, metadata={"axes": "CYX", **sizes})
    with pytest.raises(FileFormatError, match="single volume"):
        read_volume(path)


@pytest.mark.parametrize(
    "how",
    [{"photometric": "minisblack"}, {"imagej": True}, {"ome": True, "metadata": {"axes": "ZYX"}}],
)
def test_stack_without_sizes_is_not_a_volume(tmp_path: Path, how: dict[str, object]) -> None:
    tifffile.imwrite(tmp_path / "a.tif", STACK, **how)
    with pytest.raises(UnknownFormatError, match="TIFF image without a voxel size"):
        read_volume(tmp_path / "a.tif")


@pytest.mark.parametrize("axes", ["LPS", "LPI", "xyz"])
def test_own_integers_are_restored_within_half_a_step(tmp_path: Path, axes: str) -> None:
    one = Volume(volume().values, volume().grid, "1/mm", {"axes": axes})
    save(one, tmp_path / "a.tif")
    again = read_volume(tmp_path / "a.tif")
    step = float(np.ptp(one.values)) / (2**16 - 1)
    assert np.abs(again.values - one.values).max() <= 0.51 * step
    assert (again.grid, again.unit, again.axes) == (one.grid, one.unit, axes)


def test_own_ome_tiff_is_read_without_its_provenance(tmp_path: Path) -> None:
    one = Volume(volume().values, volume().grid, "1/mm", {"axes": "LPI"})
    (tmp_path / "a.ome.tif").write_bytes(ome_tiff_bytes(one))
    again = read_volume(tmp_path / "a.ome.tif")
    np.testing.assert_array_equal(again.values, one.values)
    assert (again.grid, again.unit, again.axes) == (one.grid, one.unit, "LPI")


def test_damaged_stack_is_refused(tmp_path: Path) -> None:
    data = ome_tiff_bytes(volume())
    (tmp_path / "a.ome.tif").write_bytes(data[: len(data) // 2])
    with pytest.raises(EngineError):
        read_volume(tmp_path / "a.ome.tif")
