"""Tests of the view of one slice: painted positions and controls."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.views.colour.colour_maps import lookup_table
from app.views.slices.slice_view import SliceView
from engine.data.volume import Volume
from engine.geometry import PLANES

SIDES = {"R": 1, "L": 2, "A": 3, "P": 4, "F": 5, "H": 6}
LEFT, RIGHT, MIDDLE = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.RightButton,
    Qt.MouseButton.MiddleButton,
)
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
PLAIN = Qt.KeyboardModifier.NoModifier


def drag(qtbot, view, by, button=LEFT, modifiers=PLAIN, start=None):
    """Press, move and release."""
    start = start or view.rect().center()
    qtbot.mousePress(view, button, modifiers, start)
    qtbot.mouseMove(view, start + QPoint(*by))
    qtbot.mouseRelease(view, button, modifiers, start + QPoint(*by))


def where(image, side):
    """Return the mean (right, down) offset of a mark from the middle; None if not painted."""
    colour = lookup_table("rainbow")[int(SIDES[side] * 256 / 7)]
    rows, columns = np.nonzero(image == colour)
    if rows.size < 40:
        return None
    return columns.mean() - image.shape[1] / 2, rows.mean() - image.shape[0] / 2


@pytest.mark.parametrize("convention", ["radiological", "neurological"])
@pytest.mark.parametrize("plane", PLANES)
def test_every_side_is_painted_at_the_edge_with_its_letter(state, show, pixels, plane, convention):
    state.set_convention(convention)
    view = show(SliceView(state, plane))
    image, edges = pixels(view), view.edges()
    assert where(image, edges.left)[0] < -30
    assert where(image, edges.right)[0] > 30
    assert where(image, edges.top)[1] < -15
    assert where(image, edges.bottom)[1] > 15
    hidden = set(SIDES) - {edges.left, edges.right, edges.top, edges.bottom}
    assert all(where(image, side) is None for side in hidden)


def test_neurological_convention_swaps_left_and_right_on_the_screen(state, show, pixels):
    view = show(SliceView(state, "axial"))
    before = where(pixels(view), "L")[0]
    state.set_convention("neurological")
    assert where(pixels(view), "L")[0] == pytest.approx(-before, abs=1.5)


def test_proportions_are_those_of_the_patient(state, show, pixels):
    view = show(SliceView(state, "coronal"))
    image = pixels(view)
    across = where(image, "L")[0] - where(image, "R")[0]
    down = where(image, "F")[1] - where(image, "H")[1]
    assert across / down == pytest.approx(32 * 2.0 / (16 * 4.0), rel=0.03)  # centres of the marks


def test_click_moves_the_cursor_to_the_point_below(state, show, qtbot):
    view = show(SliceView(state, "axial"))
    target = (-10.0, 5.0, state.cursor_mm[2])
    x, y = view.viewport.to_px(*view.orientation.to_screen(target))
    qtbot.mouseClick(view, LEFT, PLAIN, QPoint(round(x), round(y)))
    half_px_mm = 0.5 / view.viewport.px_per_mm
    assert state.cursor_mm == pytest.approx(target, abs=half_px_mm + 1e-9)


def test_cursor_moved_in_one_view_changes_the_slice_of_another(state, show, qtbot):
    axial, sagittal = show(SliceView(state, "axial")), show(SliceView(state, "sagittal"))
    before = sagittal.raster
    drag(qtbot, axial, (60, 0))
    assert sagittal.raster is not before
    assert f"x {state.cursor_mm[0]:.1f}" in sagittal.caption()


def test_crosshair_leaves_a_gap_at_the_cursor(state, show, pixels):
    state.set_volume(Volume(np.zeros_like(state.volume.values), state.volume.grid, "counts/mm"))
    view = show(SliceView(state, "axial"))
    x, y = (round(value) for value in view.viewport.to_px(*view.cursor_uv()))
    image = pixels(view)
    assert len(np.unique(image[y - 8 : y + 8, x - 8 : x + 8])) == 1
    assert len(np.unique(image[y - 30 : y + 30, x - 30 : x + 30])) > 1


@pytest.mark.parametrize(("button", "modifiers"), [(RIGHT, PLAIN), (LEFT, CTRL)])
def test_right_drag_widens_the_window_and_leaves_the_cursor(state, show, qtbot, button, modifiers):
    view = show(SliceView(state, "axial"))
    cursor = state.cursor_mm
    drag(qtbot, view, (50, 0), button, modifiers)
    assert state.window == pytest.approx((0, 7 * np.exp(50 / 250)))
    assert state.cursor_mm == cursor


def test_upward_drag_raises_the_level(state, show, qtbot):
    view = show(SliceView(state, "axial"))
    drag(qtbot, view, (0, -50), RIGHT)
    assert state.window == pytest.approx((1.4, 8.4))


def test_readout_is_visible_while_the_window_is_dragged(state, show, qtbot):
    view = show(SliceView(state, "axial"))
    qtbot.mousePress(view, RIGHT, PLAIN, view.rect().center())
    assert view.readout == "W 7  L 3.5   0 to 7 counts/mm"
    qtbot.mouseRelease(view, RIGHT, PLAIN, view.rect().center())
    assert view.readout == ""


@pytest.mark.parametrize(("button", "modifiers"), [(MIDDLE, PLAIN), (LEFT, SHIFT)])
def test_middle_drag_pans(state, show, qtbot, button, modifiers):
    view = show(SliceView(state, "axial"))
    before, cursor = view.viewport, state.cursor_mm
    drag(qtbot, view, (30, 12), button, modifiers)
    assert view.viewport == before.panned(30, 12)
    assert state.cursor_mm == cursor


def test_wheel_steps_through_slices(state, show, turn_wheel):
    view = show(SliceView(state, "axial"))
    z = state.cursor_mm[2]
    turn_wheel(view, 1)
    turn_wheel(view, 1)
    assert state.cursor_mm[2] == z + 2.5 * 4.0  # starts between two slices
    for _ in range(4):
        turn_wheel(view, -0.25)
    assert state.cursor_mm[2] == z + 1.5 * 4.0


def test_ctrl_wheel_zooms(state, show, turn_wheel):
    view = show(SliceView(state, "axial"))
    cursor, before = state.cursor_mm, view.viewport.px_per_mm
    turn_wheel(view, 2, CTRL)
    assert view.viewport.px_per_mm == pytest.approx(before * 1.2**2)
    assert state.cursor_mm == cursor


def test_zoom_cursor_and_window_survive_a_live_update(state, show, rng):
    view = show(SliceView(state, "axial"))
    view.zoom(3.0, (0.0, 0.0))
    state.set_cursor((2.0, -30.0, 42.0))
    before = view.viewport, state.cursor_mm, state.window
    values = rng.random(state.volume.grid.shape, np.float32)
    state.set_volume(Volume(values, state.volume.grid, "counts/mm"))
    QApplication.processEvents()
    assert (view.viewport, state.cursor_mm, state.window) == before
    assert np.isin(view.raster.values, values).all()


def test_resizing_keeps_a_fitted_view_fitted_and_a_zoomed_one_zoomed(state, show):
    view = show(SliceView(state, "axial"))
    small = view.viewport.px_per_mm
    view.resize(840, 680)
    assert view.viewport.px_per_mm > 1.9 * small
    view.zoom(2.0, (0.0, 0.0))
    zoomed = view.viewport
    view.resize(400, 300)
    assert view.viewport == zoomed.resized((400, 300))


def test_zoomed_position_stays_in_view_when_the_convention_changes(state, show):
    view = show(SliceView(state, "axial"))
    view.zoom(4.0, view.orientation.to_screen((30.0, -40.0, 0.0)))
    before = view.viewport.to_px(*view.orientation.to_screen((30.0, -40.0, 0.0)))
    state.set_convention("neurological")
    after = view.viewport.to_px(*view.orientation.to_screen((30.0, -40.0, 0.0)))
    assert after == pytest.approx((view.width() - before[0], before[1]))


def test_arrows_move_the_cursor_by_a_voxel_on_the_screen(state, show, qtbot):
    view = show(SliceView(state, "coronal"))
    state.set_convention("neurological")
    grid = state.volume.grid
    start = grid.index_of(state.cursor_mm)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    steps = np.subtract(grid.index_of(state.cursor_mm), start)
    # One voxel down in z, up in y, towards the patient's right in x
    assert steps.tolist() == [
        -1,
        1,
        -1,
    ]


def test_keys_zoom_fit_and_set_the_window(state, show, qtbot):
    view = show(SliceView(state, "axial"))
    fitted = view.viewport
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.viewport.px_per_mm == pytest.approx(1.2 * fitted.px_per_mm)
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.viewport == fitted
    qtbot.keyClick(view, Qt.Key.Key_I)
    assert state.interpolation == "linear"
    qtbot.keyClick(view, Qt.Key.Key_A)
    assert state.window == (0.0, 6.0)


def test_reset_undoes_zoom_cursor_and_window(state, show, qtbot):
    view = show(SliceView(state, "axial"))
    fitted = view.viewport
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    state.set_cursor((0.0, 0.0, 0.0))
    qtbot.keyClick(view, Qt.Key.Key_R)
    assert view.viewport == fitted
    assert state.window == (0.0, 6.0)


def test_ctrl_keys_are_left_to_the_window(state, show, qtbot):
    view = show(SliceView(state, "axial"))
    qtbot.keyClick(view, Qt.Key.Key_A, CTRL)
    assert state.window == (0.0, 7.0)


def test_double_click_requests_enlargement_and_leaves_the_cursor(state, show, qtbot):
    view = show(SliceView(state, "axial"))
    cursor, at = state.cursor_mm, view.rect().center() + QPoint(40, 20)
    with qtbot.waitSignal(view.enlarge_requested, timeout=1000):
        qtbot.mouseClick(view, LEFT, PLAIN, at)
        qtbot.mouseDClick(view, LEFT, PLAIN, at)
    assert state.cursor_mm == cursor


def test_nan_are_counted_per_slice(state, show):
    values = state.volume.values.copy()
    values[12, :2, :3] = np.nan
    state.set_volume(Volume(values, state.volume.grid, "counts/mm"))
    view = show(SliceView(state, "axial"))
    state.set_cursor((0.0, 0.0, float(state.volume.grid.centres_mm(2)[12])))
    assert view.raster.n_nan == 6
    state.step_cursor(2, 1)
    assert view.raster.n_nan == 0


def test_hidden_view_computes_nothing(state, qtbot):
    view = SliceView(state, "axial")
    qtbot.addWidget(view)
    state.set_cursor((0.0, 0.0, 50.0))
    state.set_window(0.0, 3.0)
    QApplication.processEvents()
    assert view._raster is None


def test_empty_view_ignores_the_mouse(qapp, show, qtbot, turn_wheel):
    from app.views.state import ViewState

    view = show(SliceView(ViewState(), "axial"))
    drag(qtbot, view, (10, 10))
    turn_wheel(view, 1)
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.raster is None
    assert view.caption() == "Axial"


def test_different_letters_look_different(state, show, pixels):
    view = show(SliceView(state, "axial"))
    image = pixels(view)
    middle = image.shape[0] // 2
    left = image[middle - 9 : middle + 9, 3:23]
    right = image[middle - 9 : middle + 9, -23:-3]
    assert len(np.unique(left)) > 5
    assert not np.array_equal(left, right)
