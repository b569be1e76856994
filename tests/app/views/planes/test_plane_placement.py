"""Tests of the placement of linked slices, and of their order of painting."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_scene import (
    back_to_front,
    corners_of,
    handles_of,
    hinge_of,
    touched,
    turn_towards,
)
from app.views.planes.plane_text import place_of
from app.views.scan.scan_scene import SceneCamera
from engine.geometry.plane import orthogonal

MIDDLE = (3.0, -2.0, 5.0)
PLANES = orthogonal((40, 40), 0.5, MIDDLE)


def tilted(rng: np.random.Generator) -> PlanePlacement:
    """Return three slices in arbitrary orientation."""
    placement = PlanePlacement.of(PLANES)
    for index in range(3):
        axis = tuple(rng.normal(size=3))
        placement = placement.turned(index, axis, rng.uniform(-0.5, 0.5))
    return placement


def heights(placement: PlanePlacement, point) -> np.ndarray:
    """Return the distance of a point from each slice [mm]."""
    return np.array(
        [
            placement.normal(k) @ (np.array(point) - plane.centre_mm)
            for k, plane in enumerate(placement.planes)
        ]
    )


def test_moving_one_slice_moves_the_common_point(rng):
    before = tilted(rng)
    after = before.moved(1, 2.5)
    np.testing.assert_allclose(heights(before, after.planes[1].centre_mm)[1], 2.5)
    assert after.planes[0] == before.planes[0] and after.planes[2] == before.planes[2]
    np.testing.assert_allclose(heights(after, after.point), 0, atol=1e-9)


def test_turned_slice_contains_the_point_and_stays_centred(rng):
    placement = tilted(rng).through((4.0, 0.0, 7.0))
    np.testing.assert_allclose(heights(placement, (4.0, 0.0, 7.0)), 0, atol=1e-9)
    after = placement.turned(0, (0.0, 1.0, 0.0), 0.3)
    np.testing.assert_allclose(heights(after, placement.point), 0, atol=1e-9)
    away = np.array(after.planes[0].centre_mm) - MIDDLE
    np.testing.assert_allclose(np.cross(away, after.normal(0)), 0, atol=1e-9)


def test_slices_turned_back_are_exactly_upright():
    placement = PlanePlacement.of(PLANES)
    for angle in (*np.radians([17, 40, -3]), -np.radians(54)):
        placement = placement.turned(0, (1.0, 0.0, 0.0), angle)
    np.testing.assert_array_equal(placement.planes[0].turn, PLANES[0].turn)
    assert place_of(0, placement.planes[0], MIDDLE) == "Normal to z   z 5.0 mm"


def test_parallel_slices_follow_their_own_normal():
    placement = PlanePlacement.of(PLANES).turned(0, (1.0, 0.0, 0.0), np.pi / 2)
    after = placement.moved(1, 1.5)
    np.testing.assert_allclose(heights(placement, after.point)[1], 1.5)


def test_slices_stay_in_the_box():
    placement = PlanePlacement.of(PLANES)
    assert placement.moved(0, 100.0).planes[0].centre_mm == (3.0, -2.0, 15.0)
    assert placement.through((100.0, 0.0, 0.0)).point == (13.0, 0.0, 0.0)
    turned = placement.turned(0, (1.0, 0.0, 0.0), np.pi / 4)
    assert turned.moved(0, 100.0).distance_mm(0) == pytest.approx(10 * np.sqrt(2))


@pytest.mark.parametrize("camera", [SceneCamera(), SceneCamera(10, -60), SceneCamera(200, 90)])
def test_nearest_piece_is_painted_last(rng, camera):
    placement = tilted(rng)
    pieces = back_to_front(placement.planes, camera)
    right, up, eye = camera.axes
    some = rng.uniform(-13, 13, (300, 2))
    for at in some + camera.seen(np.array(MIDDLE))[:2]:
        start = at[0] * right + at[1] * up
        near = {}
        for index, plane in enumerate(placement.planes):
            distance = plane.turn[:, 2] @ (np.array(plane.centre_mm) - start)
            point = start + distance / (plane.turn[:, 2] @ eye) * eye
            inside = np.abs(plane.turn.T @ (point - plane.centre_mm))[:2] < 10
            if inside.all():
                near[index] = point @ eye
        expected = max(near, key=near.get) if near else None
        assert touched(pieces, camera, at) == expected


def test_pieces_cover_the_whole_slice(rng):
    placement = tilted(rng)
    pieces = back_to_front(placement.planes, SceneCamera())
    assert len(pieces) > 3
    for index in range(3):
        areas = [area(piece.corners_mm) for piece in pieces if piece.index == index]
        assert sum(areas) == pytest.approx(20.0**2)


def area(corners: np.ndarray) -> float:
    fan = [np.cross(a, b) for a, b in pairwise(corners - corners[0])]
    return float(np.linalg.norm(np.sum(fan, axis=0))) / 2


@pytest.mark.parametrize("handle", range(4))
def test_handle_rises_along_the_normal_and_follows_the_drag(rng, handle):
    placement, camera = tilted(rng), SceneCamera(-35, 40)
    plane = placement.planes[0]
    hinge = hinge_of(plane, handle)
    turned = plane.turned(tuple(hinge), 0.1)
    away = handles_of(turned)[handle] - handles_of(plane)[handle]
    assert away @ plane.turn[:, 2] == pytest.approx(10 * np.sin(0.1))

    expected = handles_of(plane.turned(tuple(hinge), np.radians(25)))[handle]
    angle = turn_towards(plane, handle, camera, camera.seen(expected)[:2], np.radians(20))
    np.testing.assert_allclose(np.degrees(angle), 25, atol=0.5)


def test_corners_are_those_of_the_outer_pixels():
    np.testing.assert_allclose(corners_of(PLANES[0])[0], (-7, -12, 5))
    np.testing.assert_allclose(corners_of(PLANES[0])[2], (13, 8, 5))
