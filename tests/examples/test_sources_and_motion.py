"""Tests of several sources, sparse frames and rigid motion against closed forms."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.core.errors import GeometryError
from engine.geometry.rigid_motion import RigidMotion
from engine.geometry.xray import XrayGeometry
from engine.operators.algebra import stack

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GRID = engine.ImageGrid((24, 24, 24), (1.0, 1.0, 1.0), (3.0, -2.0, 1.0))
CENTRE = np.array([5.0, -0.5, 2.5])
SIGMA = 2.5
CLOSE, FAR = 0.03, 0.2
"""Relative errors by linear interpolation, and of another geometry."""
CAMERAS = tuple(
    engine.circular_cone(
        [angle], source_axis_mm=axis, source_detector_mm=detector, shape=(30, 34), pixel_mm=1.5
    )
    for angle, axis, detector in ((0.3, 120, 200), (2.2, 100, 190), (4.4, 140, 210))
)


def distances(geometry: XrayGeometry, centres: np.ndarray) -> np.ndarray:
    """Return the distance of each ray from a centre for each view [mm]."""
    found = np.zeros((geometry.n_views, *geometry.shape))
    for view, centre in enumerate(centres):
        pixels, source = geometry.pixel_mm(view), geometry.source_mm[view]
        ray = pixels - source if geometry.beam == "cone" else np.broadcast_to(source, pixels.shape)
        spacing = centre - (source if geometry.beam == "cone" else pixels)
        along = (ray * spacing).sum(axis=-1) ** 2 / (ray**2).sum(axis=-1)
        found[view] = np.sqrt(np.maximum((spacing**2).sum(axis=-1) - along, 0))
    return found


def chords(geometry: XrayGeometry, centres: np.ndarray, radius: float, mu: float) -> np.ndarray:
    """Return the line integrals of a ball, 2 μ √(r² − d²)."""
    return 2 * mu * np.sqrt(np.maximum(radius**2 - distances(geometry, centres) ** 2, 0))


def integrals(geometry: XrayGeometry, centres: np.ndarray) -> np.ndarray:
    """Return the line integrals of exp(−r² / 2σ²), √(2π) σ exp(−d² / 2σ²)."""
    d = distances(geometry, centres)
    return np.asarray(np.sqrt(2 * np.pi) * SIGMA * np.exp(-(d**2) / (2 * SIGMA**2)))


def blob() -> np.ndarray:
    """Return exp(−r² / 2σ²) in the voxels: smooth, so that interpolation is nearly exact."""
    z, y, x = np.meshgrid(*(GRID.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    square = (x - CENTRE[0]) ** 2 + (y - CENTRE[1]) ** 2 + (z - CENTRE[2]) ** 2
    return np.exp(-square / (2 * SIGMA**2)).astype(np.float32)


def error(found: np.ndarray, wanted: np.ndarray) -> float:
    """Return the relative error of projections."""
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def test_joined_sources_project_like_single_ones() -> None:
    joined = CAMERAS[0].joined(*CAMERAS[1:])
    A = engine.XrayTransform(joined, GRID, on=engine.cpu(1))
    alone = [engine.XrayTransform(each, GRID, on=engine.cpu(1)) for each in CAMERAS]
    x = np.random.default_rng(1).random(GRID.shape, np.float32)
    assert np.array_equal((A @ x).ravel(), stack(*alone) @ x)
    y = np.random.default_rng(2).random(A.out_shape, np.float32)
    total = sum(each.T @ y[k : k + 1] for k, each in enumerate(alone))
    np.testing.assert_allclose(A.T @ y, total, rtol=1e-5)


def test_joined_sources_have_the_closed_form_of_a_blob() -> None:
    joined = CAMERAS[0].joined(*CAMERAS[1:])
    found = engine.XrayTransform(joined, GRID, on=engine.cpu(1)) @ blob()
    assert error(found, integrals(joined, np.array([CENTRE] * 3))) < CLOSE
    # cameras in another order give other projections
    other = CAMERAS[1].joined(CAMERAS[0], CAMERAS[2])
    assert error(found, integrals(other, np.array([CENTRE] * 3))) > FAR


def test_scans_with_different_detectors_cannot_be_joined() -> None:
    with pytest.raises(GeometryError, match=r"\(30, 33\) pixels .* stack their operators"):
        CAMERAS[0].joined(CAMERAS[1].cropped(slice(None), slice(0, 33)))
    level = engine.parallel([0.0], shape=(30, 34), pixel_mm=1.0)
    with pytest.raises(GeometryError, match='beam "parallel"'):
        CAMERAS[0].joined(level)


ORBIT = engine.circular_cone(
    np.arange(9) * 0.7, source_axis_mm=120, source_detector_mm=200, shape=(30, 34), pixel_mm=1.5
)
MOTIONS = tuple(
    RigidMotion((0.3 * n, -0.2 * n, 0.1 * n), (1.0 * n, -2.0 * n, 4.0 * n)) for n in range(9)
)


def moved_centres(middle: np.ndarray) -> np.ndarray:
    """Return the moved centres of the blob, with explicit rotations: q = R (p − c) + c + t."""
    found = []
    for motion in MOTIONS:
        a, b, c = np.radians(motion.turn_deg)
        about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        about_z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
        turned = about_z @ about_y @ about_x @ (CENTRE - middle)
        found.append(turned + middle + np.array(motion.shift_mm))
    return np.array(found)


@pytest.mark.parametrize("middle", [(0.0, 0.0, 0.0), GRID.centre_mm])
def test_moving_blob_has_its_closed_form_in_each_view(middle: tuple[float, ...]) -> None:
    point = (middle[0], middle[1], middle[2])
    geometry = ORBIT.following(MOTIONS, point)
    found = engine.XrayTransform(geometry, GRID, on=engine.cpu(1)) @ blob()
    expected = integrals(ORBIT, moved_centres(np.array(middle)))
    assert error(found, expected) < CLOSE
    at_rest = engine.XrayTransform(ORBIT, GRID, on=engine.cpu(1)) @ blob()
    assert error(at_rest, expected) > FAR


def test_resting_object_keeps_the_geometry() -> None:
    same = ORBIT.following([RigidMotion()] * 9)
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        np.testing.assert_allclose(getattr(same, name), getattr(ORBIT, name), atol=1e-12)


def test_missing_motion_of_a_view_is_refused() -> None:
    with pytest.raises(GeometryError, match="8 motions for 9 views; give one motion for each"):
        ORBIT.following(MOTIONS[1:])


def test_parallel_beams_can_follow_an_object() -> None:
    level = engine.parallel(np.arange(9) * 0.3, shape=(30, 34), pixel_mm=1.0)
    geometry = level.following(MOTIONS)
    found = engine.XrayTransform(geometry, GRID, on=engine.cpu(1)) @ blob()
    assert error(found, integrals(level, moved_centres(np.zeros(3)))) < CLOSE


@pytest.mark.slow
def test_sparse_frames_follow_the_bubbles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = runpy.run_path(str(EXAMPLES / "19_several_sources.py"))
    assert names["bed"].n_views == 3 and len(names["errors"]) == 24
    # the data of the example are the closed form of this file
    frame = names["integrals"](names["bed"], 3)
    total = np.zeros(frame.shape)
    for centre, radius in names["bubbles"](3):
        total += chords(names["bed"], np.array([centre] * 3), radius, names["MU_PER_MM"])
    np.testing.assert_allclose(frame, total, atol=1e-6)
    assert max(names["errors"]) < 1.0


@pytest.mark.slow
def test_known_motion_sharpens_the_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(EXAMPLES / "20_moving_object.py"))
    errors = names["errors"]
    assert errors["with its motion"] < 0.2 < 0.4 < errors["at rest"]
    # a motion of the wrong sign is worse than none
    backwards = [RigidMotion(tuple(-s for s in m.shift_mm), m.turn_deg) for m in names["motions"]]
    A = engine.XrayTransform(names["orbit"].following(backwards), names["grid"], on=engine.cpu(1))
    B = engine.XrayTransform(names["orbit"].following(names["motions"]), A.grid, on=engine.cpu(1))
    assert error(B @ names["wanted"], names["y"]) < 0.1 < error(A @ names["wanted"], names["y"])
