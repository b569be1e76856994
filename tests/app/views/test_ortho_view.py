"""Tests of the four linked views and their controls."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QPushButton

from app.views.colour.colour_maps import lookup_table
from app.views.colour.colours import LIGHT
from app.views.planes.placing import VolumePlacing
from app.views.slices.ortho_view import OrthoView
from app.views.state import ViewState
from engine.data.error_map import ErrorMap
from engine.data.volume import Volume


@pytest.fixture
def ortho(state, show):
    return show(OrthoView(state), 900, 700)


def test_four_views_share_the_space_evenly(ortho):
    sizes = np.array([(view.width(), view.height()) for view in ortho.views])
    assert np.ptp(sizes, axis=0).max() <= 1
    assert (sizes > 300).all()


def test_double_click_enlarges_one_view_and_restores_the_others(ortho, qtbot):
    qtbot.mouseDClick(ortho.coronal, Qt.MouseButton.LeftButton)
    assert ortho.enlarged is ortho.coronal
    QApplication.processEvents()
    assert ortho.coronal.width() == 900
    qtbot.mouseDClick(ortho.coronal, Qt.MouseButton.LeftButton)
    assert ortho.enlarged is None
    assert all(view.isVisible() for view in ortho.views)


def test_escape_restores_all_views(ortho, qtbot):
    ortho.toggle_enlarged(ortho.mip)
    qtbot.keyClick(ortho.mip, Qt.Key.Key_Escape)
    assert ortho.enlarged is None


def test_single_slice_is_shown_alone_and_a_thick_volume_in_four_views(ortho, state, sided):
    flat = replace(sided.grid, shape=(1, *sided.grid.shape[1:]))
    state.set_volume(Volume(sided.values[:1].copy(), flat, sided.unit))
    assert ortho.enlarged is ortho.axial
    state.set_volume(sided)
    assert ortho.enlarged is None


def test_positions_are_in_pixels_if_the_pixel_size_is_unknown(ortho, state, sided):
    state.set_volume(Volume(sided.values, sided.grid, "1/pixel"))
    assert " pixels   " in ortho.cursor_text()
    assert ortho.axial.caption().endswith(" pixels")
    assert " mm" not in ortho.cursor_text() + ortho.axial.caption()


def test_cursor_text_has_no_error_if_all_replicates_are_equal(ortho, state, sided):
    """The Hessian excludes voxels near 0; an error of 0 would be wrong."""
    error = ErrorMap.of(sided.values, [sided.values] * 8, seed=1, method="hessian")
    state.set_volume(replace(sided, error=error))

    assert state.text_at_cursor() and "±" not in state.text_at_cursor()


def test_cursor_text_has_the_error_of_an_image_with_an_error_map(ortho, state, sided):
    sd = np.float32(0.3)
    deviations = [sided.values + k * sd for k in (-1, 1)]
    error = ErrorMap.of(sided.values, deviations, seed=1)
    state.set_volume(replace(sided, error=error))
    value = state.value_at_cursor()
    assert ortho.cursor_text().endswith(f"   {value:.2f} ± 0.42 {sided.unit}")  # 0.3 √2
    state.fusion.set_second_volume(replace(sided, error=error), VolumePlacing(), "same")
    state.name = "mine"
    assert ortho.cursor_text().count("± 0.42") == 2
    shown = f"{value:.2f} ± 0.42 {sided.unit}"
    assert ortho.cursor_text().endswith(f"   mine: {shown} | same: {shown}")
    percent = Volume(np.full_like(sided.values, 8.57), sided.grid, "%")
    state.fusion.set_second_volume(percent, VolumePlacing(), "Relative error", is_error=True)
    assert ortho.cursor_text().endswith(f"   {shown} | Relative error: 8.6 %")


def test_cursor_text_has_position_value_and_unit(ortho, state):
    state.set_cursor((12.0, -18.0, 28.0))
    state.volume.values[state.volume.grid.index_of((12.0, -18.0, 28.0))] = 0.83
    assert ortho.cursor_text() == "x 12.0  y −18.0  z 28.0 mm   0.83 counts/mm"


def test_cursor_text_is_empty_without_a_volume(qapp, qtbot):
    ortho = OrthoView(ViewState())
    qtbot.addWidget(ortho)
    assert ortho.cursor_text() == ""


def test_boxes_show_and_set_the_window(ortho, state, qtbot):
    assert (ortho.toolbar.low.text(), ortho.toolbar.high.text()) == ("0", "7")
    ortho.toolbar.high.setText("3.5")
    ortho.toolbar.high.editingFinished.emit()
    assert state.window == (0.0, 3.5)


@pytest.mark.parametrize("text", ["", "much", "inf", "nan"])
def test_box_restores_the_value_after_invalid_input(ortho, state, text):
    ortho.toolbar.high.setText(text)
    ortho.toolbar.high.editingFinished.emit()
    assert state.window == (0.0, 7.0)
    assert ortho.toolbar.high.text() == "7"


def test_convention_badge_shows_and_changes_the_convention(ortho, state, qtbot):
    assert ortho.toolbar.convention.text() == "Radiological"
    qtbot.mouseClick(ortho.toolbar.convention, Qt.MouseButton.LeftButton)
    assert state.convention == "neurological"
    assert ortho.toolbar.convention.text() == "Neurological"


def test_presets_menu_sets_a_window(ortho, state):
    menu = ortho.toolbar.presets.menu()
    menu.aboutToShow.emit()
    titles = [action.text() for action in menu.actions()]
    assert titles[:3] == ["Automatic", "", "Full range: 0 to 6 counts/mm"]
    state.auto_window()
    best = state.window
    menu.actions()[3].trigger()
    assert state.window == (0.0, 3.0) != best
    menu.actions()[0].trigger()
    assert state.window == best


def test_colour_map_box_follows_the_state_and_sets_it(ortho, state):
    box = ortho.toolbar.colour_map
    assert box.currentData() == "rainbow"
    index = box.findData("hot")
    box.setCurrentIndex(index)
    box.activated.emit(index)
    assert state.colour_map == "hot"


def test_rainbow_has_a_warning(ortho):
    box = ortho.toolbar.colour_map
    tip = box.itemData(box.findData("rainbow"), Qt.ItemDataRole.ToolTipRole)
    assert "edges that do not exist" in tip


def test_snapshot_shows_the_views_without_the_controls(ortho):
    image = ortho.snapshot()
    assert image.width() == 900
    assert image.height() == ortho.height() - ortho.toolbar.height()


def test_new_theme_repaints_the_views(ortho, pixels):
    ortho.set_colours(LIGHT)
    assert pixels(ortho.axial)[2, 200] == int("ff" + LIGHT.canvas[1:], 16)


@pytest.mark.parametrize("width", [540, 620, 700, 760, 1000])
def test_toolbar_cuts_no_text_at_any_width(state, show, width):
    toolbar = show(OrthoView(state), width, 500).toolbar
    shown = [child for child in toolbar.findChildren(QPushButton) if child.isVisible()]
    assert toolbar.convention in shown
    for button in shown:
        assert button.width() >= button.minimumSizeHint().width()
        assert button.geometry().right() <= toolbar.width()
    if toolbar.bar.isVisible():
        assert toolbar.bar.width() >= toolbar.bar.minimumSizeHint().width()


def test_narrow_toolbar_hides_tools_before_the_colour_bar(state, show):
    narrow, middle, wide = (
        show(OrthoView(state), width, 500).toolbar for width in (340, 570, 1000)
    )
    assert narrow.width() < 560
    assert not narrow.bar.isVisible()
    assert middle.bar.isVisible() and middle.unit.isVisible()
    assert wide.bar.isVisible() and wide.colour_map.width() > middle.colour_map.width()
    assert not any(each.auto.isVisible() for each in (narrow, middle, wide)), (
        "a tool of the menu is also in the toolbar"
    )


def test_update_of_all_views_leaves_no_timer_running(ortho, state):
    state.set_cursor((0.0, 0.0, 0.0))
    state.set_colour_map("hot")
    QApplication.processEvents()
    assert ortho.findChildren(QTimer) == []


def test_note_is_visible_only_without_a_volume(ortho, state, sided):
    assert not ortho._panes.note.isVisible()
    state.set_volume(None)
    assert ortho._panes.note.isVisible()
    state.set_volume(sided)
    assert not ortho._panes.note.isVisible()


def test_state_outlives_its_views(state, sided, qapp):
    ortho = OrthoView(state)
    ortho.deleteLater()
    del ortho
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    state.set_volume(None)
    state.set_volume(sided)
    state.set_colours(LIGHT)


def test_greatly_enlarged_image_is_painted(ortho, state, pixels):
    state.set_cursor(state.volume.grid.centre_mm)
    for _ in range(40):
        ortho.axial.zoom(1.5, ortho.axial.cursor_uv())
    image = pixels(ortho.axial)
    assert ortho.axial.viewport.px_per_mm == 200
    assert image[100, 100] == lookup_table("rainbow")[0]


def test_sharp_slices_get_the_most_space_if_others_are_blurred(state, show):
    view = show(OrthoView(state), 900, 700)
    even = view.coronal.width()
    state.set_blurred_axis(1)
    QApplication.processEvents()
    assert view.coronal.width() > 1.15 * even
    assert view.coronal.height() > 2 * view.axial.height()
    assert view.axial.note() == view.sagittal.note() == "blurred along the y axis"
    assert view.coronal.note() == ""
    state.set_blurred_axis(None)
    QApplication.processEvents()
    assert view.coronal.width() == even and view.axial.note() == ""
