"""Tests of layouts: visible views, the light box, and the stored text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from app.views.layout import ViewLayout
from app.views.planes.plane_geometry import slice_index
from app.views.slices.ortho_view import OrthoView

LEFT, PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHEET = ViewLayout("sheet", "axial", 3, 4)


@pytest.fixture
def ortho(state, show):
    return show(OrthoView(state), 900, 700)


def on_show(ortho):
    return [view for view in ortho.views if view.isVisible()]


@pytest.mark.parametrize(
    "layout", [ViewLayout(), SHEET, ViewLayout("main", "projection", 4, 5, 10)]
)
def test_layout_is_restored_from_its_text(layout):
    assert ViewLayout.of(layout.to_text()) == layout


@pytest.mark.parametrize(
    "text", ["", "four", "four axial 3 4 x", "two axial 3 4 0", "four x 3 4 0"]
)
def test_invalid_text_gives_the_default_layout(text):
    assert ViewLayout.of(text) == ViewLayout()


def test_main_view_is_large_or_alone(ortho, qapp):
    ortho.set_layout(ViewLayout("main", "sagittal"))
    qapp.processEvents()
    assert len(on_show(ortho)) == 4
    others = [view for view in ortho.views if view is not ortho.sagittal]
    assert ortho.sagittal.width() > others[0].width()
    assert ortho.sagittal.height() > 2.5 * others[0].height()
    ortho.set_layout(ViewLayout("one", "coronal"))
    assert on_show(ortho) == [ortho.coronal]


def test_double_click_on_a_single_view_restores_four_views(ortho, qtbot):
    ortho.set_layout(ViewLayout("one", "coronal"))
    qtbot.mouseDClick(ortho.coronal, LEFT)
    assert len(on_show(ortho)) == 4


def test_light_box_shows_the_whole_volume_from_head_to_feet(ortho, state):
    ortho.set_layout(SHEET)
    places = [each.plane_point[2] for each in ortho.light_box.slices]
    assert places == sorted(places, reverse=True)
    z = state.volume.grid.centres_mm(2)
    assert len(places) == 12
    assert places[0] - z[0] > 0.9 * (z[-1] - z[0])
    assert not on_show(ortho)


def test_click_in_the_light_box_moves_the_cursor_to_that_slice(ortho, state, qtbot, qapp):
    ortho.set_layout(SHEET)
    qapp.processEvents()
    tile = ortho.light_box.slices[2]
    qtbot.mouseClick(tile, LEFT, PLAIN, QPoint(40, 50))
    assert state.cursor_mm[2] == pytest.approx(tile.plane_point[2])
    assert [each.shows_crosshair() for each in ortho.light_box.slices].index(True) == 2


def test_adjacent_slices_follow_the_cursor_and_the_wheel_pages(ortho, state, turn_wheel):
    state.set_cursor(state.volume.grid.centre_mm)
    ortho.set_layout(ViewLayout("sheet", "axial", 2, 3, 1))
    box, grid = ortho.light_box, state.volume.grid
    indices = [each.index for each in box.slices]
    assert indices == list(range(indices[-1] + 5, indices[-1] - 1, -1))
    state.set_cursor(tuple(map(float, grid.lower_mm)))
    assert slice_index(grid, 2, state.cursor_mm[2]) in [each.index for each in box.slices]
    first = box.slices[0].index
    drawn = box.slices[1].raster
    turn_wheel(box.slices[0], 2)
    assert box.slices[0].index == first + 2
    assert box.slices[3].raster is drawn, "the slice was computed again"


def test_light_box_has_one_zoom(ortho):
    ortho.set_layout(SHEET)
    first, other = ortho.light_box.slices[0], ortho.light_box.slices[7]
    other.zoom(2.0, (0.0, 0.0))
    assert first.viewport.px_per_mm == pytest.approx(other.viewport.px_per_mm)


def test_volume_with_fewer_slices_fills_fewer_cells(ortho, state, sided):
    from dataclasses import replace

    from engine.data.volume import Volume

    grid = replace(sided.grid, shape=(5, *sided.grid.shape[1:]))
    ortho.set_layout(SHEET)
    state.set_volume(Volume(sided.values[:5].copy(), grid, sided.unit))
    assert [len(row) for row in ortho.light_box.rows] == [4, 1]
    assert sum(each.isVisible() for each in ortho.light_box.slices) == 5
