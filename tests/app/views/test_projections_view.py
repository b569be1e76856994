"""Tests of the projection and sinogram views: positions, links, and controls."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor

from app.views.scan.detector_state import DetectorFrame, DetectorState
from app.views.scan.detector_view import BAD_COLOUR
from app.views.scan.projections_view import ProjectionsView
from engine.geometry.orbits import circle, circular_cone, helical, parallel
from engine.modalities.xray_ct.radiograph_store import Part

SHAPE = (20, 30)
N = 12
LEFT = Qt.MouseButton.LeftButton


def cone(shape=SHAPE, **changes):
    settings = {"source_axis_mm": 300, "source_detector_mm": 400, "pixel_mm": (2.0, 3.0)}
    return circular_cone(circle(N), shape=shape, **settings | changes)


def part(shape, kind="counts", bad=None):
    values = np.zeros(shape, np.float32)
    values[2, 5] = 800  # row 2, column 5
    values[-3, -4] = 1000
    return Part(values, kind, bad)


@pytest.fixture
def make(qapp, show):
    """Return a view with a projection and a sinogram of a geometry."""

    def view(geometry, bad=None, *, known=True) -> ProjectionsView:
        state = DetectorState()
        new_view = ProjectionsView(state)
        state.open(DetectorFrame.of(geometry, pixel_mm_known=known))
        state.show_projection(0, part(geometry.shape, bad=bad))
        state.show_sinogram(state.row, part((geometry.n_views, geometry.shape[1])))
        state.set_window(0, 1000)
        state.set_interpolation("nearest")
        return show(new_view, 700, 500)

    return view


def test_frame_is_upright_and_knows_its_side():
    frame = DetectorFrame.of(cone(), pixel_mm_known=True)
    assert frame.rows_up, "v points to +z, but row 0 is not at the bottom"
    assert frame.from_source, "u does not point right for an observer at the source"
    flipped = DetectorFrame.of(cone().flipped(columns=True), pixel_mm_known=True)
    assert flipped.rows_up and not flipped.from_source
    down = DetectorFrame.of(cone().flipped(rows=True), pixel_mm_known=True)
    assert not down.rows_up and down.from_source


def test_angle_and_elevation_have_a_description():
    assert DetectorFrame.of(cone(), pixel_mm_known=True).angle_text(3) == "rotated by 90°"
    backwards = parallel(-circle(N), shape=SHAPE, pixel_mm=1.0)
    assert DetectorFrame.of(backwards, pixel_mm_known=True).angle_text(3) == "rotated by −90°"
    geometry = helical(
        2 * np.pi * np.arange(9) / 4,
        pitch_mm=20,
        source_axis_mm=300,
        source_detector_mm=400,
        shape=SHAPE,
        pixel_mm=1.0,
    )
    message = DetectorFrame.of(geometry, pixel_mm_known=True).angle_text(6)
    assert message == "rotated by 540°, moved by 30 mm along z"


@pytest.mark.parametrize("rows", [False, True])
def test_pixel_is_painted_at_the_pointer_position(make, rows, qtbot):
    view = make(cone().flipped(rows=rows)).radiograph
    view.state.set_cursor((20.0, 20.0, 0.0))
    frame = view.state.frame
    x = (5 + 0.5 - SHAPE[1] / 2) * 2.0
    y = (2 + 0.5 - SHAPE[0] / 2) * 3.0 * (-1 if frame.rows_up else 1)
    at = QPointF(*view.viewport.to_px(x, y))
    assert view.place_at(at) == (0, 2, 5)
    colour = QColor(view.grab().toImage().pixel(at.toPoint()))
    assert colour.red() == pytest.approx(800 / 1000 * 255, abs=4)
    assert (at.y() > view.height() / 2) == frame.rows_up


def test_pixels_keep_their_aspect(make):
    view = make(cone()).radiograph
    rect = view.image_rect(view.state.volume)
    assert rect.width / rect.height == pytest.approx(30 * 2 / (20 * 3))


def test_columns_of_projection_and_sinogram_are_aligned(make):
    view = make(cone(shape=(10, 30), pixel_mm=2.0))
    assert view.radiograph.y() < view.sinogram.y()
    for u in (-25.0, 13.0):
        places = [pane.viewport.to_px(u, 0.0)[0] for pane in view.views]
        assert places[0] == pytest.approx(places[1])


def test_rows_of_a_flat_detector_are_enlarged_with_a_note(make):
    view = make(cone(shape=(4, 400))).radiograph
    times = view.state.frame.taller
    assert times == round(0.1 * 800 / 12)
    assert f"row height × {times}" in view.caption()
    top = view.to_mm(QPointF(*view.viewport.to_px(0, -times * 5.9)))
    assert view.place_at(QPointF(*view.viewport.to_px(*top)))[1] == 3


def test_click_in_the_projection_selects_the_row_of_the_sinogram(make, qtbot):
    view = make(cone())
    state, asked = view.state, []
    state.place_changed.connect(lambda: asked.append(state.row))
    pane = view.radiograph
    x, y = pane.viewport.to_px((7.5 - 15) * 2.0, -(4.5 - 10) * 3.0)
    qtbot.mouseClick(pane, LEFT, pos=QPoint(round(x), round(y)))
    assert (state.row, state.column) == (4, 7)
    assert asked[-1] == 4


def test_click_in_the_sinogram_selects_view_and_column(make, qtbot):
    view = make(cone())
    pane, state = view.sinogram, view.state
    rect = pane.image_rect(state.volume)
    u, v = (21.5 - 15) * 2.0, rect.v + 9.5 / N * rect.height
    x, y = pane.viewport.to_px(u, v)
    qtbot.mouseClick(pane, LEFT, pos=QPoint(round(x), round(y)))
    assert (state.view, state.column) == (9, 21)
    assert view.slider.value() == 9
    assert view.place.text() == f"View 10 of {N}"
    assert view.place.toolTip() == "rotated by 270°"


def test_keys_and_slider_step_through_the_views(make, qtbot):
    view = make(cone())
    qtbot.keyClick(view.radiograph, Qt.Key.Key_PageUp)
    qtbot.keyClick(view.radiograph, Qt.Key.Key_PageUp)
    assert view.state.view == 2
    qtbot.keyClick(view.radiograph, Qt.Key.Key_PageDown)
    assert view.state.view == 1
    view.slider.setValue(N - 1)
    qtbot.keyClick(view.radiograph, Qt.Key.Key_PageUp)
    assert view.state.view == N - 1
    row = view.state.row
    qtbot.keyClick(view.sinogram, Qt.Key.Key_PageUp)
    assert view.state.row == row + 1
    qtbot.keyClick(view.radiograph, Qt.Key.Key_Down)
    assert view.state.row == row, "the key down does not move down in space"


def test_value_and_unit_are_shown_at_pointer_and_crosshair(make, qtbot):
    bad = np.zeros(SHAPE, bool)
    bad[2, 5] = True
    view = make(cone(), bad)
    state = view.state
    state.set_cursor(((26.5 - 15) * 2.0, (17.5 - 10) * 3.0, 0.0))
    assert view.value.text() == "View 1, column 26, row 17: 1000 counts"
    view.radiograph.pointed.emit(0, 2, 5)
    assert view.value.text() == "View 1, column 5, row 2: 800 counts (bad pixel)"
    view.radiograph.pointed.emit(-1, -1, -1)
    assert view.value.text().endswith("1000 counts")
    state.show_projection(0, part(SHAPE, "integrals"))
    assert view.value.text().endswith("line integral 1000")
    assert view.toolbar.unit.text() == "line integral"


def test_bad_pixels_are_orange_in_both_images(make, pixels):
    bad = np.zeros(SHAPE, bool)
    bad[10:14, 3:6] = True
    view = make(cone(), bad)
    view.state.show_sinogram(11, Part(part((N, SHAPE[1])).values, "counts", bad[11][None]))
    orange = QColor(BAD_COLOUR).rgb()
    areas = [int((pixels(pane) == orange).sum()) for pane in view.views]
    scale = view.radiograph.viewport.px_per_mm
    assert areas[0] == pytest.approx(4 * 3 * 3 * 2 * scale**2, rel=0.2)
    rect = view.sinogram.image_rect(view.state.volume)
    scale = view.sinogram.viewport.px_per_mm
    assert areas[1] == pytest.approx(3 * 2 * rect.height * scale**2, rel=0.2)


def test_window_stays_between_views_and_is_reset_for_other_values(make):
    state = make(cone()).state
    state.set_window(100, 500)
    state.show_projection(3, part(SHAPE))
    assert state.window == (100, 500)
    state.show_projection(3, part(SHAPE, "integrals"))
    assert state.window != (100, 500)
    assert state.colour_map == "grey"


def test_first_window_includes_the_brightest_view(qapp):
    state = DetectorState()
    state.open(DetectorFrame.of(cone(), pixel_mm_known=True))
    state.show_projection(0, Part(np.full(SHAPE, 100, np.float32), "counts", None))
    assert state.window == (0, pytest.approx(100, rel=0.01))
    values = np.full((N, SHAPE[1]), 100, np.float32)
    values[7] = 900
    state.show_sinogram(10, Part(values, "counts", None))
    assert state.window == (0, pytest.approx(900, rel=0.01))
    state.set_window(0, 50)
    state.show_sinogram(11, Part(values, "counts", None))
    assert state.window == (0, 50)


def test_last_image_stays_until_the_next_is_read(make):
    view = make(cone())
    view.state.go_to_view(7)
    assert "View 1 " in view.radiograph.caption()
    view.state.show_projection(7, part(SHAPE))
    assert "View 8 " in view.radiograph.caption()


def test_single_row_has_no_projection_and_the_wheel_steps_through_views(qtbot):
    state = DetectorState()
    view = ProjectionsView(state)
    qtbot.addWidget(view)
    state.open(DetectorFrame.of(cone(shape=(1, 30)), pixel_mm_known=True))
    values = np.ones((1, 30), np.float32)
    state.show_projection(0, Part(values, "counts", None))
    state.show_sinogram(0, Part(np.ones((N, 30), np.float32), "counts", None))
    assert view.radiograph.isHidden() and not view.sinogram.isHidden()
    view.sinogram.step(2)
    assert state.view == 2


def test_error_is_shown_instead_of_the_image(make):
    view = make(cone())
    view.state.show_fault("The flats are dark.")
    assert view.radiograph.caption() == "The flats are dark."
    assert view.radiograph.raster is None and view.sinogram.raster is None
    view.grab()


def test_lengths_are_in_pixels_if_the_pixel_size_is_unknown(make, pixels):
    corners = [pixels(make(cone(), known=known).radiograph)[-40:, -150:] for known in (True, False)]
    assert not np.array_equal(*corners)


def test_double_click_enlarges_and_escape_restores_both(make, qtbot):
    view = make(cone())
    qtbot.mouseDClick(view.sinogram, LEFT)
    assert view.radiograph.isHidden()
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert not view.radiograph.isHidden() and not view.sinogram.isHidden()
