"""Tests of lines across slices, their profiles, and the saved table."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.analysis.measure.line_profile_panel import write_text
from app.shell.panels import MeasureTab
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.app.screen_laws import too_wide

LEFT = Qt.MouseButton.LeftButton
SIGMA_MM = 3.0


@pytest.fixture
def ball() -> Volume:
    """Return a Gaussian ball at the origin, with anisotropic voxels."""
    grid = ImageGrid((30, 40, 50), (1.0, 1.2, 1.5))
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    values = 5 * np.exp(-(x**2 + y**2 + z**2) / (2 * SIGMA_MM**2))
    return Volume(values.astype(np.float32), grid, "counts/mm")


@pytest.fixture
def box(qtbot, window, ball):
    """Return the line profile of a window that shows the ball."""
    window.session.show_file(ball, "ball")
    tab = window.tabs.findChild(MeasureTab)
    window.tabs.setCurrentWidget(tab)
    qtbot.waitUntil(tab.line.draw.isEnabled)  # a timer delays the refresh
    return tab.line


def drag(qtbot, view, start, end):
    """Press, move and release. The move event is sent: an offscreen pointer never moves."""
    qtbot.mousePress(view, LEFT, pos=start)
    places = QPointF(end), view.mapToGlobal(QPointF(end))
    kind, no_button = QEvent.Type.MouseMove, Qt.MouseButton.NoButton
    QApplication.sendEvent(
        view, QMouseEvent(kind, *places, no_button, LEFT, Qt.KeyboardModifier(0))
    )
    qtbot.mouseRelease(view, LEFT, pos=end)


def wait_for_profile(qtbot, box):
    qtbot.waitUntil(lambda: not box._soon.isActive())


def across(view, by=90):
    """Return two points left and right of the cursor."""
    place = QPoint(*(round(v) for v in view.viewport.to_px(*view.cursor_uv())))
    return place - QPoint(by, 0), place + QPoint(by, 0)


def test_line_through_a_ball_shows_its_width(qtbot, window, box):
    assert not box.isVisible()
    box.draw.click()
    assert box.isVisible(), "drawing a line did not open the panel"
    QApplication.processEvents()  # the panel takes its width from the views
    view = window.centre.views.coronal
    drag(qtbot, view, *across(view))
    wait_for_profile(qtbot, box)
    line = window.session.view.line
    assert line.plane == "coronal"
    assert line.length_mm == pytest.approx(180 / view.viewport.px_per_mm, rel=0.02)
    assert box.profile.fwhm_mm == pytest.approx(2.355 * SIGMA_MM, rel=0.05)
    message = dict(box.numbers_shown())
    fitted, error, unit = (
        message["FWHM, fitted"].replace(" ± < ", " ± ").replace(" ± ", " ").split()
    )
    assert float(fitted) == pytest.approx(2.355 * SIGMA_MM, rel=0.02)
    assert float(error) < 0.2 and unit == "mm"
    assert too_wide(window.tabs) == []
    assert message["Bias of the fit"] == "at most 2 % too wide for a Gaussian peak"
    assert message["Maximum"].endswith("counts/mm")


def test_dragged_end_moves_and_the_other_end_stays(qtbot, window, box):
    box.draw.click()
    view = window.centre.views.axial
    a, b = across(view)
    drag(qtbot, view, a, b)
    before = window.session.view.line
    drag(qtbot, view, a, a + QPoint(20, 30))
    after = window.session.view.line
    assert after.end_mm == before.end_mm
    assert after.start_mm != before.start_mm


def test_drag_without_the_tool_moves_the_cursor(qtbot, window, box):
    view, state = window.centre.views.axial, window.session.view
    qtbot.keyClick(view, Qt.Key.Key_L)
    assert state.draws_lines and box.draw.isChecked() is False
    wait_for_profile(qtbot, box)
    assert box.draw.isChecked()
    qtbot.keyClick(view, Qt.Key.Key_L)
    drag(qtbot, view, *across(view))
    assert state.line is None
    assert state.cursor_mm[0] != 0


def test_line_is_drawn_only_in_its_slice(qtbot, window, box):
    view, state = window.centre.views.axial, window.session.view
    box.draw.click()
    view.setFocus()
    without_line = view.grab().toImage()
    drag(qtbot, view, *across(view))
    drawn = view.grab().toImage()
    assert drawn != without_line
    view.step(3)
    state.set_line(None)
    state.step_cursor(2, -3)
    assert view.grab().toImage() == without_line


def test_pinned_curve_stays_behind_the_curve_of_another_image(qtbot, window, box, ball):
    box.draw.click()
    view = window.centre.views.axial
    drag(qtbot, view, *across(view))
    wait_for_profile(qtbot, box)
    box.keep.click()
    first = box.plot.stored
    doubled = Volume(2 * ball.values, ball.grid, ball.unit)
    window.session.view.set_volume(doubled)
    wait_for_profile(qtbot, box)
    assert box.plot.stored is first
    np.testing.assert_allclose(box.profile.values, 2 * first.values, rtol=1e-6)
    window.session.view.set_volume(Volume(ball.values, ball.grid, "1/mm"))
    wait_for_profile(qtbot, box)
    assert box.plot.stored is None, "the stored curve has another unit"


def test_volume_on_another_grid_has_no_line(qtbot, window, box, ball):
    box.draw.click()
    view = window.centre.views.axial
    drag(qtbot, view, *across(view))
    grid = ImageGrid((8, 8, 8), (2.0, 2.0, 2.0))
    window.session.view.set_volume(Volume(np.ones(grid.shape, np.float32), grid, ""))
    wait_for_profile(qtbot, box)
    assert box.profile is None and not box.csv.isEnabled()


def test_table_is_saved_to_the_chosen_file(qtbot, window, box, tmp_path, choose_file):
    box.draw.click()
    view = window.centre.views.axial
    drag(qtbot, view, *across(view))
    wait_for_profile(qtbot, box)
    choose_file(tmp_path / "along")
    box.csv.click()
    qtbot.waitUntil(lambda: not window.commands.is_busy)
    table = np.loadtxt(tmp_path / "along.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(table[:, 4], box.profile.values, rtol=1e-5, atol=1e-9)


def test_failed_write_leaves_no_partial_table(tmp_path):
    write_text("a,b\n", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a,b\n"
