"""Attenuation maps: in 1/mm, of a body, inside the scanner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.data.volume import Volume
from engine.errors import DataError, EngineError, GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.io import read_mu_map, save

WATER = 0.0096


def cylinder(
    radius_mm: float = 15, centre_mm: tuple[float, float, float] = (0, 0, 0), voxel_mm: float = 2
) -> Volume:
    """Water in air; the scanner `ring` has a bore of 40 mm and z from −5 to 5 mm."""
    n = int(2 * radius_mm / voxel_mm) + 4
    grid = ImageGrid((4, n, n), (voxel_mm, voxel_mm, voxel_mm), centre_mm)
    x, y = grid.centres_mm(0) - centre_mm[0], grid.centres_mm(1) - centre_mm[1]
    disc = np.hypot(x[None, :], y[:, None]) < radius_mm
    values = np.where(disc, WATER, 0).astype(np.float32)
    return Volume(np.broadcast_to(values, grid.shape).copy(), grid, "")


def test_a_map_in_per_mm_is_taken_as_it_is(tmp_path: Path, ring: RingScanner) -> None:
    save(cylinder(), tmp_path / "mu.nii.gz")
    volume = read_mu_map(tmp_path / "mu.nii.gz", ring)
    assert volume.unit == "1/mm"
    assert volume.values.max() == np.float32(WATER)


def test_a_map_that_says_per_cm_is_converted(tmp_path: Path, ring: RingScanner) -> None:
    water = cylinder()
    save(replace(water, values=10 * water.values, unit="1/cm"), tmp_path / "mu.h5")
    volume = read_mu_map(tmp_path / "mu.h5", ring)
    assert volume.values.max() == pytest.approx(WATER)
    assert volume.unit == "1/mm"


@pytest.mark.parametrize(
    ("scale", "offset", "message"),
    [
        (10, 0, "up to 0.096 look like 1/cm"),
        (80, 0, "up to 0.768 are too large"),
        (1e5, -1000, "from -1000 to -39.* perhaps Hounsfield"),
        (0, 2, "from 2 to 2 are no attenuation"),
        (1, -0.001, "from -0.001 to"),
        (0, 0, "attenuates nothing"),
    ],
)
def test_another_unit_is_refused(
    tmp_path: Path, ring: RingScanner, scale: float, offset: float, message: str
) -> None:
    water = cylinder()
    save(replace(water, values=water.values * np.float32(scale) + np.float32(offset)),
         tmp_path / "mu.nii")  # fmt: skip
    with pytest.raises(DataError, match=message):
        read_mu_map(tmp_path / "mu.nii", ring)


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        (cylinder(radius_mm=60), r"reaches 60 mm from the middle, the bore of 'Tiny' 40 mm"),
        (cylinder(centre_mm=(30, 0, 0)), r"reaches 4\d mm from the middle"),
        (cylinder(centre_mm=(0, 0, 200)), "lies at z = 197 to 203 mm, the scanner at -5 to 5 mm"),
        (cylinder(radius_mm=1, voxel_mm=0.09), "want 0.1 to 50 mm"),
        (cylinder(radius_mm=150, voxel_mm=51), "want 0.1 to 50 mm"),
    ],
)
def test_another_place_is_refused(
    tmp_path: Path, ring: RingScanner, volume: Volume, message: str
) -> None:
    save(volume, tmp_path / "mu.nii")
    with pytest.raises(GeometryError, match=message):
        read_mu_map(tmp_path / "mu.nii", ring)


def test_air_may_reach_beyond_the_bore(tmp_path: Path, ring: RingScanner) -> None:
    water = cylinder()
    values = np.pad(water.values, ((0, 0), (50, 50), (50, 50)))
    grid = ImageGrid(values.shape, water.grid.voxel_mm)
    save(Volume(values, grid, ""), tmp_path / "mu.nii")
    assert read_mu_map(tmp_path / "mu.nii", ring).grid.shape == values.shape


def test_nan_is_refused(tmp_path: Path, ring: RingScanner) -> None:
    import nibabel

    values = np.full((4, 4, 4), WATER, np.float32)
    values[0, 1, 2] = np.nan
    nibabel.save(nibabel.Nifti1Image(values, np.eye(4)), tmp_path / "mu.nii")
    with pytest.raises(EngineError, match=r"1 of 64 values .* \[z, y, x\] = \[2, 2, 3\]"):
        read_mu_map(tmp_path / "mu.nii", ring)
