"""Test that the drawing of a scan shows the vectors of its geometry."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from app.views.colour.colours import DARK
from app.views.scan.scan_scene import ScanScene, SceneCamera
from app.views.scan.scan_view import CAMERAS, ScanView
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, helical, parallel

GRID = ImageGrid((20, 40, 60), (1.0, 1.0, 1.0), (3.0, -2.0, 5.0))
CONE = circular_cone(
    circle(12),
    source_axis_mm=200,
    source_detector_mm=350,
    shape=(30, 80),
    pixel_mm=(1.5, 1.0),
    detector_shift_mm=(11, -4),
    roll_rad=0.1,
    tilt_rad=(0.2, -0.15),
)


@pytest.mark.parametrize("view", [0, 5, 11])
def test_corners_are_half_a_pixel_beyond_the_outer_pixels(view):
    first, across, last, along = ScanScene(CONE, GRID).corners_mm(view)
    pixels, half = CONE.pixel_mm(view), (CONE.u_mm[view] + CONE.v_mm[view]) / 2
    np.testing.assert_allclose(first, pixels[0, 0] - half)
    np.testing.assert_allclose(last, pixels[-1, -1] + half)
    np.testing.assert_allclose(across - first, 80 * CONE.u_mm[view])
    np.testing.assert_allclose(along - first, 30 * CONE.v_mm[view])


def test_rays_go_from_the_source_to_the_corners():
    scene = ScanScene(CONE, GRID)
    rays = scene.rays_mm(4)
    np.testing.assert_allclose(rays[:, 0], np.tile(CONE.source_mm[4], (4, 1)))
    np.testing.assert_allclose(rays[:, 1], scene.corners_mm(4))


def test_line_to_the_axis_is_level_and_has_the_right_length():
    scene = ScanScene(CONE.moved(shift_mm=(0.0, 0.0, 9.0)), None)
    source, axis = scene.to_axis_mm(3)
    assert np.linalg.norm(axis - source) == pytest.approx(200)
    np.testing.assert_allclose(axis, (0, 0, 9))
    np.testing.assert_allclose(scene.central_mm(3)[1], scene.geometry.detector_mm[3])


def test_ends_of_parallel_rays_move_only_along_the_rays():
    geometry = parallel(circle(9), shape=(4, 60), pixel_mm=1.0, axis_column=20)
    scene = ScanScene(geometry, GRID)
    for path in (scene.source_path_mm, scene.detector_path_mm):
        across_ray = np.cross(path - geometry.detector_mm, geometry.source_mm)
        assert np.abs(across_ray).max() < 1e-9
    along_ray = np.sum((scene.detector_path_mm - scene.middle_mm) * geometry.source_mm, axis=1)
    assert (along_ray > scene.radius_mm).all()
    before = np.sum((scene.source_path_mm - scene.middle_mm) * geometry.source_mm, axis=1)
    assert (before < -scene.radius_mm).all()


def test_far_detector_of_parallel_rays_stays_in_place():
    geometry = parallel(circle(9), shape=(4, 60), pixel_mm=1.0)
    far = geometry.moved(shift_mm=300 * geometry.source_mm)
    np.testing.assert_allclose(ScanScene(far, GRID).detector_path_mm, far.detector_mm)


def test_box_has_the_edges_of_the_grid():
    box = ScanScene(CONE, GRID).box_mm()
    assert box.shape == (12, 2, 3)
    lengths = np.linalg.norm(box[:, 1] - box[:, 0], axis=1)
    assert sorted(lengths) == pytest.approx([20.0] * 4 + [40.0] * 4 + [60.0] * 4)
    np.testing.assert_allclose(box.reshape(-1, 3).min(axis=0), GRID.lower_mm)
    np.testing.assert_allclose(box.reshape(-1, 3).max(axis=0), GRID.upper_mm)
    assert ScanScene(CONE, None).box_mm().shape == (0, 2, 3)


def test_helix_is_drawn_over_its_full_height():
    geometry = helical(
        np.linspace(0, 6 * np.pi, 90),
        pitch_mm=40,
        source_axis_mm=100,
        source_detector_mm=150,
        shape=(10, 40),
        pixel_mm=1.0,
    )
    heights = ScanScene(geometry, GRID).everything_mm()[:, 2]
    assert heights.min() < 0 and heights.max() > 120


def test_view_from_above_has_x_right_y_up_and_z_to_the_viewer():
    np.testing.assert_allclose(CAMERAS["From +z"].axes, np.eye(3), atol=1e-12)
    side = CAMERAS["From the side"].axes
    np.testing.assert_allclose(side, [[1, 0, 0], [0, 0, 1], [0, -1, 0]], atol=1e-12)


@pytest.mark.parametrize("camera", [SceneCamera(), SceneCamera(13.0, -40.0), *CAMERAS.values()])
def test_camera_is_a_rotation(camera):
    np.testing.assert_allclose(camera.axes @ camera.axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(camera.axes) == pytest.approx(1)
    assert camera.axes[1, 2] >= 0, "z points down on the screen"


@pytest.fixture
def view(show):
    scan_view = ScanView()
    scan_view.show_scene(ScanScene(CONE, GRID))
    scan_view.set_camera(CAMERAS["From +z"])
    return show(scan_view)


def test_complete_scan_is_within_the_view(view):
    from PySide6.QtGui import QImage, QPainter

    for camera in (*CAMERAS.values(), SceneCamera(20, -70)):
        view.set_camera(camera)
        image = QImage(10, 10, QImage.Format.Format_RGB32)  # the painter needs its image
        painter = QPainter(image)
        scene = ScanScene(CONE, GRID)
        places = view.raster(painter, scene).at(scene.everything_mm())
        painter.end()
        assert all(0 < p.x() < view.width() and 0 < p.y() < view.height() for p in places)


def test_current_view_is_marked_at_its_position(view, pixels):
    """The source is a dot; the source of the opposite view is on the other side."""
    source = int(DARK.warning.lstrip("#"), 16) | 0xFF000000
    found = []
    for k in (3, 9):
        view.show_view(k)
        image = pixels(view)
        filled = [
            (row, column)
            for row, column in np.argwhere(image == source)
            if (image[row - 2 : row + 3, column - 2 : column + 3] == source).all()
        ]
        found.append(np.mean(filled, axis=0))
    middle = np.array(image.shape) / 2
    assert (found[0] - middle)[0] < -50, "the source of view 3, at +y, is not at the top"
    assert (found[1] - middle)[0] > 50


def test_drag_turns_and_keys_step(qtbot, view):
    before, asked = view.camera, []
    view.view_wanted.connect(asked.append)
    at = view.rect().center()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseMove(view, at + QPoint(40, -30))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at + QPoint(40, -30))
    assert view.camera != before
    assert view.camera.elevation_deg < before.elevation_deg
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert asked == [1, -1]
    scale = view.raster(None, ScanScene(CONE, GRID)).scale
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.raster(None, ScanScene(CONE, GRID)).scale == pytest.approx(1.2 * scale)
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.raster(None, ScanScene(CONE, GRID)).scale == pytest.approx(scale)
    assert view.raster(None, ScanScene(CONE, GRID)).centre == QPointF(
        view.width() / 2, view.height() / 2
    )
