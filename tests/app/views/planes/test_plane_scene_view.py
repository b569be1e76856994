"""Tests of the scene of slices, with pointer and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.views.colour.colours import DARK
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_scene import handles_of
from app.views.planes.plane_scene_view import PlaneSceneView
from app.views.planes.plane_view import PlaneView
from app.views.state import ViewState
from engine.geometry.plane import orthogonal

PLANES = orthogonal((32, 32), 1.0, (1.0, 2.0, 3.0))
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def scene(qtbot):
    view = PlaneSceneView(ViewState())
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show_placement(PlanePlacement.of(PLANES))
    view.reported = []
    view.placed.connect(view.reported.append)
    return view


def drag(view, start: QPointF, *stops: QPointF) -> None:
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(view, left, pos=start.toPoint())
    for stop in stops:
        QTest.mouseMove(view, stop.toPoint())
    QTest.mouseRelease(view, left, pos=stops[-1].toPoint())


def on(view, index: int, across: float, down: float) -> QPointF:
    """Return the screen position of a point of a slice."""
    plane = view.placement.planes[index]
    point = plane.centre_mm + plane.turn @ (across, down, 0.0)
    (at,) = view.to_screen.points(point[None])
    return at


def test_plane_follows_the_pointer_along_its_normal(scene):
    start = on(scene, 0, 12.0, -12.0)
    assert scene.touched(start) == (0, None)
    direction = scene.to_screen.direction(np.array([0.0, 0.0, 5.0]))
    drag(scene, start, start + direction / 2, start + direction)
    pixel = 1 / scene.to_screen.px_per_mm  # the pointer moves by whole pixels
    assert scene.placement.planes[0].centre_mm[2] == pytest.approx(8.0, abs=2 * pixel)
    assert scene.placement.planes[1:] == PLANES[1:]
    assert scene.reported[-1] is scene.placement


def test_handle_turns_its_plane(scene):
    plane = PLANES[0]
    start = scene.to_screen.points(handles_of(plane))[1]
    turned = plane.turned((1.0, 0.0, 0.0), np.radians(30))
    stop = scene.to_screen.points(handles_of(turned))[1]
    drag(scene, start, (start + stop) / 2, stop)
    normal = scene.placement.normal(0)
    angle = np.degrees(np.arctan2(-normal[1], normal[2]))
    assert abs(angle - 30) <= 2 and angle == pytest.approx(round(angle))
    assert scene.caption().startswith(f"Normal to z   rotated by {angle:.0f}°")


def test_drag_outside_the_planes_turns_only_the_camera(scene):
    before = scene.camera
    drag(scene, QPointF(5, 150), QPointF(105, 150))
    assert scene.camera != before and not scene.reported
    QTest.keyClick(scene, Qt.Key.Key_0)
    assert scene.camera == before


def test_keys_and_pointer_have_the_same_effect(scene):
    QTest.keyClick(scene, Qt.Key.Key_2)
    QTest.keyClick(scene, Qt.Key.Key_PageUp)
    assert scene.placement.planes[1].centre_mm == (1.0, 3.0, 3.0), (
        "page up does not move the slice along +y"
    )
    QTest.keyClick(scene, Qt.Key.Key_Right, SHIFT)
    assert scene.accessibleDescription().startswith("Normal to y   rotated by 5°")
    QTest.keyClick(scene, Qt.Key.Key_Left, SHIFT)
    assert scene.accessibleDescription() == "Normal to y   y 3.0 mm"
    camera = scene.camera
    QTest.keyClick(scene, Qt.Key.Key_Left)
    assert scene.camera.azimuth_deg == (camera.azimuth_deg + 10) % 360


def test_images_are_drawn_on_their_planes(scene):
    values = [np.zeros((32, 32), np.float32) for _ in PLANES]
    values[0][8:16, 24:] = 1.0  # across 8 to 16, down −8 to 0
    scene._state.set_colour_map("grey")
    scene._state.set_window(0.0, 1.0)
    scene.show_images(values, PLANES)
    picture = scene.grab().toImage()
    ratio = picture.devicePixelRatio()
    lit = picture.pixelColor((on(scene, 0, 12, -4) * ratio).toPoint()).lightness()
    dark = picture.pixelColor((on(scene, 0, 12, 4) * ratio).toPoint()).lightness()
    assert lit > 240 and dark < 20


def test_points_of_a_turned_slice_are_on_its_plane(qtbot, rng):
    placement = PlanePlacement.of(PLANES).turned(1, (0.3, 0.2, 1.0), 0.6).moved(1, 4.0)
    view, plane = PlaneView(1), placement.planes[1]
    qtbot.addWidget(view)
    view.show_slice(np.zeros((32, 32), np.float32), plane, placement)
    view.to_mm = lambda at: (3.0, -5.0)
    reported = []
    view.moved.connect(reported.append)
    view.primary_drag(None).move(None)
    expected = plane.turn @ (3.0, 5.0, 0.0) + plane.centre_mm  # z points up, so rows are reversed
    np.testing.assert_allclose(reported[0], expected, atol=1e-9)


def test_turning_slice_keeps_its_window(qtbot):
    view, placement = PlaneView(0), PlanePlacement.of(PLANES)
    qtbot.addWidget(view)
    values = np.random.default_rng(1).random((32, 32)).astype(np.float32)
    view.show_slice(values, placement.planes[0], placement)
    view.state.set_window(0.2, 0.3)
    placement = placement.through((5.0, 5.0, 5.0)).turned(0, (1.0, 1.0, 0.0), 0.4)
    view.show_slice(values, placement.planes[0], placement)
    assert view.state.window == (0.2, 0.3)
    assert view.grab().toImage().pixelColor(1, 1).name() == DARK.canvas
