"""Tests of rigid registration: known motions are found, and wrong ones rejected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.registration.rigid import Registered, register
from engine.analysis.registration.similarity import Likeness
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.rigid_resampling import moved
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.rigid_motion import RigidMotion, motion_of
from engine.io import read_volume, save
from engine.simulate.anatomy import thorax
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Ellipsoid
from tests.engine.analysis.registration.scenes import (
    displaced_map,
    errors,
    planted,
    points_of,
    uncorrected,
)

IMAGE = ImageGrid((64, 70, 100), (4.0, 4.0, 4.0))
MAP = ImageGrid((160, 140, 200), (2.0, 2.0, 2.0), (3.0, -2.0, 5.0))
SMALL = ImageGrid((32, 36, 48), (4.0, 4.0, 4.0), (4.0, 0.0, 2.0))
MOUSE = ShapePhantom(
    "two ellipsoids in a third",
    (
        Ellipsoid((0, 0, 0), (70, 50, 45), 1.0, 0.0096),
        Ellipsoid((30, 8, 5), (18, 30, 25), -0.7, -0.007),
        Ellipsoid((-28, -5, -8), (24, 20, 16), 2.0, 0.006),
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_known_motion_of_a_thorax_is_found(seed: int) -> None:
    phantom, motion = thorax(), planted(seed)
    found = register(uncorrected(phantom, IMAGE, seed), displaced_map(phantom, MAP, motion))
    off_mm, off_deg = errors(found.motion, motion)
    assert off_mm < 0.5 and off_deg < 0.3, found.describe()
    assert found.light == "yellow" and found.after > found.before


@pytest.mark.slow
def test_known_motion_of_a_small_body_is_found() -> None:
    motion = RigidMotion((5.0, -3.0, 4.0), (2.0, -1.0, 3.0))
    found = register(uncorrected(MOUSE, SMALL, 1), displaced_map(MOUSE, SMALL, motion))
    off_mm, off_deg = errors(found.motion, motion)
    assert off_mm < 1 and off_deg < 1.2, found.describe()  # the body is 48 voxels of 4 mm wide


@pytest.mark.parametrize("axis", range(6))
def test_true_motion_has_the_highest_likeness(axis: int) -> None:
    numbers = np.array([5.0, -3.0, 4.0, 2.0, -1.0, 3.0])
    motion = motion_of(tuple(numbers))
    likeness = Likeness(uncorrected(MOUSE, SMALL, 1), displaced_map(MOUSE, SMALL, motion), 8.0)
    for step in (-6.0, -3.0, 3.0, 6.0):
        displaced = numbers + step * np.eye(6)[axis]
        assert likeness(motion_of(tuple(displaced))) < likeness(motion)


@pytest.mark.parametrize(
    ("motion", "after", "light"),
    [
        (RigidMotion((1.0, 0, 1.0), (0.5, 0, 0)), 0.3, "green"),
        (RigidMotion((6.0, 0, 0), (0, 2.0, 0)), 0.3, "yellow"),
        (RigidMotion((0.0, 0, 0), (0, 2.0, 0)), 0.3, "yellow"),
        (RigidMotion((1.0, 0, 1.0), (0.5, 0, 0)), 0.01, "red"),
        (RigidMotion((6.0, 0, 0), (0, 2.0, 0)), 0.19, "red"),
        (RigidMotion((40.0, 0, 0), (0, 0, 0)), 0.3, "red"),
        (RigidMotion((0.0, 0, 0), (9.0, 9.0, 0)), 0.3, "red"),
    ],
)
def test_traffic_light_follows_the_result(motion: RigidMotion, after: float, light: str) -> None:
    found = Registered(motion, 0.01 if after < 0.1 else 0.2, after)
    assert found.light == light and found.describe().startswith(light)


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (4.0, -3.0, 5.0)])
def test_moved_map_equals_the_phantom_at_its_position(turn: tuple[float, float, float]) -> None:
    motion = RigidMotion((5.0, -7.0, 3.0), turn)
    moved_map = moved(displaced_map(MOUSE, SMALL, motion), motion)
    expected = MOUSE.mu_at(points_of(moved_map.grid)).reshape(moved_map.grid.shape)
    inner = np.abs(np.gradient(expected)).max(axis=0) == 0  # away from surfaces nothing is blurred
    assert inner.mean() > 0.5
    wrong = np.abs(moved_map.values - expected)[inner] > 1e-6
    assert wrong.mean() < 0.02  # the gradient reaches one voxel, interpolation two
    assert moved_map.values.sum() == pytest.approx(expected.sum(), rel=0.01)


@pytest.mark.parametrize("numbers", [(1.0, 2.0), (1.0, 2, 3, 4, 5, np.nan), (0.0, 0, 9e3, 0, 0, 0)])
def test_invalid_motion_is_refused(numbers: tuple[float, ...]) -> None:
    with pytest.raises(DataError, match="expected six numbers"):
        motion_of(numbers)


def test_two_patients_are_never_registered() -> None:
    image = replace(uncorrected(MOUSE, SMALL, 1), patient="A")
    mu_map = replace(displaced_map(MOUSE, SMALL, RigidMotion()), patient="B")
    with pytest.raises(DataError, match="different patients"):
        register(image, mu_map)


def test_manual_motion_moves_the_map_and_is_recorded(tmp_path: Path, capsys) -> None:
    motion = RigidMotion((5.0, -7.0, 3.0), (4.0, -3.0, 5.0))
    mu_map = displaced_map(MOUSE, SMALL, motion)
    save(mu_map, tmp_path / "mu.nii")
    save(uncorrected(MOUSE, SMALL, 1), tmp_path / "image.nii")
    names = [str(tmp_path / name) for name in ("mu.nii", "image.nii", "moved.nii")]
    assert main(["register", *names, "--motion=5,-7,3,4,-3,5"]) == DONE
    assert "moved 9.1 mm, 7.1 degrees, manual" in capsys.readouterr().out
    moved_map = read_volume(tmp_path / "moved.nii")
    np.testing.assert_array_equal(moved_map.values, moved(mu_map, motion).values)
    assert moved_map.info["registration"] == {**motion.record(), "by": "hand"}
    assert main(["register", *names, "--motion=5,-7", "--force"]) == USER_FAULT


@pytest.mark.slow
def test_registration_of_noise_is_not_written(tmp_path: Path, capsys) -> None:
    noise = np.random.default_rng(1).random((16, 16, 16), np.float32)
    grid = ImageGrid(noise.shape, (4.0, 4.0, 4.0))
    save(Volume(noise, grid, "counts/mm"), tmp_path / "image.nii")
    save(displaced_map(MOUSE, grid, RigidMotion()), tmp_path / "mu.nii")
    names = [str(tmp_path / name) for name in ("mu.nii", "image.nii", "moved.nii")]
    assert main(["register", *names]) == USER_FAULT
    assert "red: " in capsys.readouterr().err and not (tmp_path / "moved.nii").exists()
