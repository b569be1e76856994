"""Tests of the histogram of a volume, and of the window limits that it edits."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.views.colour.window_controls import WindowControls
from app.views.plots.histogram_view import HistogramView
from app.views.plots.histogram_window import HistogramWindow
from app.views.state import ViewState
from app.views.volume_facts import facts_of
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((10, 10, 10), (1.0, 1.0, 1.0))


@pytest.fixture
def state(qapp) -> ViewState:
    """Show a volume: a tenth of the voxels is 8, one is NaN, the others are uniform from 0 to 4."""
    values = np.linspace(0, 4, 1000, dtype=np.float32)
    values[::10], values[1] = 8, np.nan
    state = ViewState()
    state.set_volume(Volume(values.reshape(GRID.shape), GRID, "kBq/mL"))
    state.set_window(1.0, 5.0)
    return state


@pytest.fixture
def view(state, show) -> HistogramView:
    return show(HistogramView(state), 400, 200)


def drag(qtbot, view, start: float, end: float) -> None:
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(view, left, pos=QPoint(round(start), 60))
    qtbot.mouseMove(view, QPoint(round(end), 60))
    qtbot.mouseRelease(view, left, pos=QPoint(round(end), 60))


def test_every_finite_value_is_counted_once(state):
    found = facts_of(state.volume).histogram
    assert found.counts.sum() == 999
    assert (found.lowest, found.highest) == pytest.approx((0.008, 8), abs=0.01)
    assert found.counts[-1] == 100, "the most frequent value has the wrong count"


def test_drag_moves_one_end_or_the_whole_window(qtbot, state, view):
    pixel = (view.span[1] - view.span[0]) / (400 - 28)
    drag(qtbot, view, view.x_of(5.0), view.x_of(7.0))
    assert state.window == pytest.approx((1.0, 7.0), abs=pixel)
    drag(qtbot, view, view.x_of(1.0), view.x_of(2.0))
    assert state.window == pytest.approx((2.0, 7.0), abs=2 * pixel)
    drag(qtbot, view, view.x_of(4.0), view.x_of(3.0))
    assert state.window == pytest.approx((1.0, 6.0), abs=3 * pixel)
    drag(qtbot, view, view.x_of(state.window[0]), 2000)
    low, high = state.window
    assert low < high, "the limits crossed"


def test_keys_move_the_last_used_end(qtbot, state, view):
    step = 0.01 * (view.span[1] - view.span[0])
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert state.window == pytest.approx((1.0, 5.0 + step))
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert state.window == pytest.approx((1.0 - step, 5.0 + step))


def test_axis_contains_the_whole_window(state, view):
    state.set_window(-3.0, 20.0)
    assert view.span == (-3.0, 20.0)
    assert view.value_at(view.x_of(4.2)) == pytest.approx(4.2)


def test_window_menu_opens_the_histogram_and_it_follows(qtbot, state, show):
    controls = show(WindowControls(state), 700, 40)
    controls.presets.menu().aboutToShow.emit()
    action = next(a for a in controls.presets.menu().actions() if a.text() == "Histogram …")
    action.trigger()
    found = controls.findChild(HistogramWindow)
    assert found.isVisible() and not found.isModal()
    state.name = "pet"
    state.volume_changed.emit()
    assert found.windowTitle() == "Histogram: pet [kBq/mL]"
    found.close()


@pytest.mark.parametrize(("unit", "scale"), [("kBq/mL", 1.0), ("Bq/mL", 1e3)])
def test_activity_presets_are_round_numbers_that_fit_the_values(unit, scale):
    state = ViewState()
    values = np.linspace(0, 30 * scale, 1000, dtype=np.float32).reshape(GRID.shape)
    state.set_volume(Volume(values, GRID, unit))
    windows = [preset.window for preset in state.window_presets()[1:]]
    assert windows == [(0.0, scale * top) for top in (5, 10, 20, 50)], windows


@pytest.mark.parametrize("value", [20.0, -3e-7, 4e9, 0.0])
def test_nearly_uniform_image_has_a_histogram(value):
    values = np.full(GRID.shape, value, np.float32)
    values[0] = np.nextafter(values[0], np.float32(np.inf))
    found = facts_of(volume := Volume(values, GRID, "%")).histogram
    assert found.counts.sum() == volume.values.size
    assert found.highest > found.lowest
