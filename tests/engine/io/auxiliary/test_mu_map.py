"""Tests of attenuation map files: conversion to 1/mm, plausible values, position in the scanner."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import DataError, EngineError, GeometryError
from engine.corrections.attenuation import ATTENUATION_MAP
from engine.data.attenuation_law import mu_of_hounsfield
from engine.data.joining import joined
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.io import read_mu_map, save
from tests.engine.io.dicom.dicom_files import write_series

WATER = 0.0096


def cylinder(
    radius_mm: float = 15, centre_mm: tuple[float, float, float] = (0, 0, 0), voxel_mm: float = 2
) -> Volume:
    """Return water in air; the scanner `ring` has a bore of 40 mm and z from −5 to 5 mm."""
    n = int(2 * radius_mm / voxel_mm) + 4
    grid = ImageGrid((4, n, n), (voxel_mm, voxel_mm, voxel_mm), centre_mm)
    x, y = grid.centres_mm(0) - centre_mm[0], grid.centres_mm(1) - centre_mm[1]
    disc = np.hypot(x[None, :], y[:, None]) < radius_mm
    values = np.where(disc, WATER, 0).astype(np.float32)
    return Volume(np.broadcast_to(values, grid.shape).copy(), grid, "")


def test_map_in_per_mm_is_read_unchanged(tmp_path: Path, ring: RingScanner) -> None:
    save(cylinder(), tmp_path / "mu.nii.gz")
    volume = read_mu_map(tmp_path / "mu.nii.gz", ring)
    assert volume.unit == "1/mm"
    assert volume.values.max() == np.float32(WATER)


def test_map_in_per_cm_is_converted(tmp_path: Path, ring: RingScanner) -> None:
    water = cylinder()
    save(replace(water, values=10 * water.values, unit="1/cm"), tmp_path / "mu.h5")
    volume = read_mu_map(tmp_path / "mu.h5", ring)
    assert volume.values.max() == pytest.approx(WATER)
    assert volume.unit == "1/mm"


@pytest.mark.parametrize(
    ("scale", "offset", "message"),
    [
        (80, 0, "up to 0.768 are too large"),
        (1e5, -300, "from -300 to .* may be Hounsfield"),
        (0, 2, "from 2 to 2 cannot be attenuation"),
        (1, -0.001, "from -0.001 to"),
        (0, 0, "contains only air"),
    ],
)
def test_other_unit_is_refused(
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
        (
            cylinder(radius_mm=60),
            r"extends 60 mm from the centre, but the bore radius of 'Tiny' is 40 mm",
        ),
        (cylinder(centre_mm=(30, 0, 0)), r"extends 4\d mm from the centre"),
        (
            cylinder(centre_mm=(0, 0, 200)),
            "covers z = 197 to 203 mm, but the scanner covers -5 to 5 mm",
        ),
        (cylinder(radius_mm=1, voxel_mm=0.09), "expected 0.1 to 50 mm"),
        (cylinder(radius_mm=150, voxel_mm=51), "expected 0.1 to 50 mm"),
    ],
)
def test_map_outside_the_scanner_is_refused(
    tmp_path: Path, ring: RingScanner, volume: Volume, message: str
) -> None:
    save(volume, tmp_path / "mu.nii")
    with pytest.raises(GeometryError, match=message):
        read_mu_map(tmp_path / "mu.nii", ring)


def test_air_may_extend_beyond_the_bore(tmp_path: Path, ring: RingScanner) -> None:
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
    with pytest.raises(EngineError, match=r"1 voxels \(1.56 %\) are NaN .* An attenuation map"):
        read_mu_map(tmp_path / "mu.nii", ring)


@pytest.mark.parametrize(
    ("scale", "offset", "message", "expected"),
    [
        (10, 0, "look like 1/cm", WATER),
        (1e5, -1000, "CT numbers .* 120 kV, because the tube voltage", 0.00096 / 10 * 96),
    ],
)
def test_unit_guessed_from_the_values_is_reported(
    tmp_path: Path, ring: RingScanner, scale: float, offset: float, message: str, expected: float
) -> None:
    water = cylinder()
    values = water.values * np.float32(scale) + np.float32(offset)
    save(replace(water, values=values), tmp_path / "mu.nii")
    found = read_mu_map(tmp_path / "mu.nii", ring)
    assert found.unit == "1/mm" and found.values.max() == pytest.approx(expected)
    assert any(re.search(message, note) for note in found.notes)
    assert "from " in ATTENUATION_MAP.describe(found)


@pytest.mark.parametrize(
    ("unit", "scale", "offset"),
    [("1/mm", 10, 0), ("1/cm", 1, 0), ("HU", 1, 0), ("1/mm", 1e5, -1e3)],
)
def test_unit_that_contradicts_the_values_is_refused(
    tmp_path: Path, ring: RingScanner, unit: str, scale: float, offset: float
) -> None:
    water = cylinder()
    values = water.values * np.float32(scale) + np.float32(offset)
    save(replace(water, values=values, unit=unit), tmp_path / "mu.h5")
    with pytest.raises(DataError, match=f"the stated unit is {unit}, but the values look like"):
        read_mu_map(tmp_path / "mu.h5", ring)


@pytest.mark.parametrize("kilovolts", [80, 100, 115, 120, 130, 140])
def test_hounsfield_values_are_converted_by_tube_voltage(kilovolts: float) -> None:
    hounsfield = np.linspace(-1100, 3000, 4101, dtype=np.float32)
    mu = mu_of_hounsfield(hounsfield, kilovolts)
    assert mu_of_hounsfield(np.zeros(1, np.float32), kilovolts)[0] == pytest.approx(
        0.0096, abs=1e-4
    )
    assert (np.diff(mu) >= 0).all() and (mu[hounsfield <= -1000] == 0).all()
    assert np.abs(np.diff(mu)).max() < 1.1e-5, (
        "the curve must be continuous where its two lines meet"
    )
    soft = (hounsfield > -1000) & (hounsfield < 30)
    np.testing.assert_allclose(mu[soft], 9.6e-6 * (hounsfield[soft] + 1000), rtol=1e-5)
    cortical = float(np.interp(1200, hounsfield, mu))  # dense bone has 0.0172 1/mm (ICRU 44)
    assert 0.011 < cortical < 0.0175


def test_tube_voltage_out_of_range_is_refused() -> None:
    with pytest.raises(DataError, match="the tube voltage is 50 kV"):
        mu_of_hounsfield(np.zeros(1, np.float32), 50)


def test_binned_voxels_have_the_same_attenuation() -> None:
    rng = np.random.default_rng(5)
    expected = rng.random((5, 3, 4), np.float32)
    values = expected.repeat(3, axis=1).repeat(2, axis=2)
    grid = ImageGrid(values.shape, (0.7, 0.9, 2.5), (4.0, 5, 6))
    whole = joined(Volume(values, grid, "1/mm"), (2, 3, 1))
    np.testing.assert_allclose(whole.values, expected, rtol=1e-6)
    np.testing.assert_allclose(whole.grid.lower_mm, grid.lower_mm)
    # the blocks at the ends are incomplete
    cut = ImageGrid((5, 7, 7), (0.7, 0.9, 2.5), (4.0, 5, 6))
    part = joined(Volume(values[:, :7, :7], cut, "1/mm"), (2, 3, 1))
    np.testing.assert_allclose(part.grid.lower_mm, cut.lower_mm)
    matter = part.values.sum(dtype=float) * np.prod(part.grid.voxel_mm)
    assert matter == pytest.approx(values[:, :7, :7].sum(dtype=float) * np.prod(cut.voxel_mm))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
def test_ct_series_in_any_orientation_becomes_the_map(
    tmp_path: Path, ring: RingScanner, order: tuple[int, ...], signs: tuple[int, ...]
) -> None:
    """Water around one point and bone at another: each keeps its position and its μ."""
    affine = np.eye(4)
    affine[:3, :3] = (np.eye(3)[list(order)] * signs) @ np.diag([2.0, 2.0, 2.0])
    affine[:3, 3] = -affine[:3, :3] @ [7, 7, 7]

    def head(p: np.ndarray) -> np.ndarray:
        bone = np.linalg.norm(p - [6, -4, 2], axis=-1) < 2.5
        return np.where(bone, 1000.0, np.where(np.linalg.norm(p, axis=-1) < 13, 0.0, -1000.0))

    write_series(tmp_path / "ct", affine=affine, shape=(15, 15, 15), field=head, KVP="100")
    volume = read_mu_map(tmp_path / "ct", ring)

    def at(*place: float) -> float:
        return float(volume.values[volume.grid.index_of(place)])  # type: ignore[index,arg-type]

    assert at(0, 0, 0) == pytest.approx(0.0096, abs=1e-6)
    assert at(6, -4, 2) == pytest.approx((4.43e-5 * 2000 + 5.44e-2) / 10, rel=1e-5)
    assert at(-6, 4, -2) == pytest.approx(0.0096, abs=1e-6) and at(13, 13, 0) == 0
    assert "curve for 100 kV" in volume.notes[-1]


@pytest.mark.parametrize("axes", ["LPS", "LPI"])
def test_ct_series_matches_the_patient_for_both_directions_of_scanner_z(
    tmp_path: Path, ring: RingScanner, axes: str
) -> None:
    """z of a series points to the head; if the scanner's z does not, the map is flipped."""
    affine = np.diag([2.0, 2.0, 2.0, 1.0])
    affine[:3, 3] = -14

    def head(p: np.ndarray) -> np.ndarray:
        bone = np.linalg.norm(p - [2, -2, 4], axis=-1) < 1.5
        return np.where(bone, 1000.0, np.where(np.linalg.norm(p, axis=-1) < 13, 0.0, -1000.0))

    write_series(tmp_path / "ct", affine=affine, shape=(15, 15, 15), field=head, KVP="120")
    scan = ListMode(ring, np.zeros((0, 2), np.int32), info={"axes": axes})
    found = ATTENUATION_MAP.attached(scan, read_mu_map(tmp_path / "ct", ring)).mu_map
    assert found is not None and found.axes == axes
    headwards = 4.0 if axes == "LPS" else -4.0
    place = found.grid.index_of((2.0, -2.0, headwards))
    assert place is not None and found.values[place] == found.values.max() > 0.012
    again = ATTENUATION_MAP.attached(scan, found).mu_map
    assert again is not None and np.array_equal(again.values, found.values)
