"""Tests of the rotating maximum intensity projection."""

import numpy as np
from PySide6.QtCore import QPoint, Qt

from app.views.slices.mip_view import MipView
from engine.data.volume import Volume

LEFT, PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drag(qtbot, view, dx):
    middle = view.rect().center()
    qtbot.mousePress(view, LEFT, PLAIN, middle)
    qtbot.mouseMove(view, middle + QPoint(dx, 0))
    qtbot.mouseRelease(view, LEFT, PLAIN, middle + QPoint(dx, 0))


def test_front_projection_is_the_maximum_along_y(state, show):
    view = show(MipView(state))
    truth = state.volume.values.max(axis=1)[::-1]
    margin = (view.raster.values.shape[1] - truth.shape[1]) // 2
    assert np.array_equal(view.raster.values[:, margin : margin + truth.shape[1]], truth)


def test_dragging_turns_the_nearest_side_with_the_pointer(state, show, qtbot):
    view = show(MipView(state))
    drag(qtbot, view, 150)
    assert view.degrees == 270
    assert view.edges().right == "A"


def test_click_changes_nothing(state, show, qtbot):
    view = show(MipView(state))
    cursor, picture = state.cursor_mm, view.raster
    qtbot.mouseClick(view, LEFT, PLAIN, view.rect().center() + QPoint(30, 20))
    assert view.degrees == 0
    assert state.cursor_mm == cursor
    assert view.raster is picture


def test_wheel_and_arrows_turn_the_projection(state, show, qtbot, turn_wheel):
    view = show(MipView(state))
    turn_wheel(view, 2)
    assert view.degrees == 30
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.degrees == 15
    qtbot.keyClick(view, Qt.Key.Key_R)
    assert view.degrees == 0


def test_turning_keeps_the_zoom(state, show):
    view = show(MipView(state))
    view.zoom(2.0, (0.0, 0.0))
    before = view.viewport
    view.set_degrees(45)
    assert view.viewport == before


def test_new_volume_is_projected_at_the_same_angle(state, show):
    view = show(MipView(state))
    view.set_degrees(60)
    state.set_volume(Volume(2 * state.volume.values, state.volume.grid, "counts/mm"))
    assert view.degrees == 60
    assert view.raster.values.max() > 6


def test_cursor_is_marked_at_its_projection(state, show):
    view = show(MipView(state))
    grid = state.volume.grid
    state.set_cursor((grid.centre_mm[0] + 8, grid.centre_mm[1] + 12, 33.0))
    assert np.allclose(view.cursor_uv(), (8, -33))
    view.set_degrees(90)
    assert np.allclose(view.cursor_uv(), (12, -33))


def test_projection_window_is_wider_than_the_slice_window_for_noise(state, show, rng):
    noise = rng.exponential(1.0, state.volume.grid.shape).astype("f4")
    state.set_volume(Volume(noise, state.volume.grid, state.volume.unit), keep_window=False)
    view = show(MipView(state))
    low, high = state.window
    assert view.raster is not None
    assert view.shown_window()[0] == low
    assert view.shown_window()[1] >= high
    assert ("window ×" in view.note()) == (view.shown_window()[1] > high)


def test_projection_uses_the_slice_window_for_hounsfield_units(state, show, rng):
    values = rng.normal(0, 300, state.volume.grid.shape).astype("f4")
    state.set_volume(Volume(values, state.volume.grid, "HU"), keep_window=False)
    view = show(MipView(state))
    assert view.raster is not None
    assert view.shown_window() == state.window
