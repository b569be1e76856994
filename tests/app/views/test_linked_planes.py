"""Tests of linked planes: scale and pan, crosshair key, and value at the pointer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.views.layout import ViewLayout
from app.views.planes.placing import VolumePlacing
from app.views.slices.ortho_view import OrthoView
from app.views.slices.slice_view import SliceView
from app.views.viewport import Viewport
from engine.data.volume import Volume


@pytest.fixture
def ortho(state, show):
    return show(OrthoView(state), 900, 700)


def scales(views) -> list[float]:
    return [view.viewport.px_per_mm for view in views]


def test_three_planes_have_the_largest_scale_at_which_all_fit(ortho, state):
    fits = [
        Viewport.fit(v.image_rect(state.volume), (v.width(), v.height()), v.margin_px).px_per_mm
        for v in ortho.slices
    ]
    assert max(fits) > min(fits), "the planes have equal extents"
    assert scales(ortho.slices) == [min(fits)] * 3


@pytest.mark.parametrize("index", range(3))
def test_zoom_and_pan_in_one_plane_move_the_others(ortho, index):
    one = ortho.slices[index]
    one.zoom(2.0, (3.0, -4.0))
    one.show_part(one.viewport.panned(17.0, -9.0))
    assert np.ptp(scales(ortho.slices)) == 0
    place = one.orientation.to_patient(*one.viewport.centre, 0.0)
    own = {one.orientation.right.axis, one.orientation.down.axis}
    for other in ortho.slices:
        there = other.orientation.to_patient(*other.viewport.centre, 0.0)
        for axis in own & {other.orientation.right.axis, other.orientation.down.axis}:
            assert there[axis] == pytest.approx(place[axis])
    one.fit()
    assert all(view.is_fitted for view in ortho.slices)


def test_large_and_single_views_use_their_space(ortho, state):
    ortho.set_layout(ViewLayout("main", "axial"))
    QApplication.processEvents()
    view = ortho.axial
    fit = Viewport.fit(view.image_rect(state.volume), (view.width(), view.height()), view.margin_px)
    assert view.viewport == fit
    assert ortho.coronal.viewport.px_per_mm == ortho.sagittal.viewport.px_per_mm
    ortho.toggle_enlarged(ortho.sagittal)
    QApplication.processEvents()
    view = ortho.sagittal
    fit = Viewport.fit(view.image_rect(state.volume), (view.width(), view.height()), view.margin_px)
    assert view.viewport == fit


def test_key_hides_the_crosshair_in_all_views(ortho, state, pixels, qtbot):
    cross = int(state.colours.crosshair.lstrip("#"), 16) & 0xFFFFFF

    def drawn() -> list[bool]:
        return [bool(((pixels(view) & 0xFFFFFF) == cross).any()) for view in ortho.views]

    assert drawn() == [True] * 4
    qtbot.keyClick(ortho.axial, Qt.Key.Key_X)
    assert drawn() == [False] * 4
    qtbot.keyClick(ortho.mip, Qt.Key.Key_X)
    assert drawn() == [True] * 4


def at(view: SliceView, point) -> QPoint:
    return QPoint(*map(round, view.viewport.to_px(*view.orientation.to_screen(point))))


@pytest.mark.parametrize("index", range(3))
def test_value_at_the_pointer_is_that_of_its_voxel(ortho, state, index):
    view, grid = ortho.slices[index], state.volume.grid
    place = list(state.cursor_mm)
    for axis, n in ((0, 9), (1, 7), (2, 5)):
        if axis != view.orientation.normal:
            place[axis] = float(grid.centres_mm(axis)[n])
    voxel = grid.index_of(tuple(place))
    state.volume.values[voxel] = 0.83
    QTest.mouseMove(view, at(view, place))
    assert view.pointer_text == "0.83 counts/mm"
    second = Volume(np.full(grid.shape, 4.0, np.float32), grid, "HU")
    state.name = "PET"
    state.fusion.set_second_volume(second, VolumePlacing(), "CT")
    QTest.mouseMove(view, at(view, place) + QPoint(1, 0))
    assert view.pointer_text == "PET: 0.83 counts/mm | CT: 4 HU"
    QTest.mouseMove(view, QPoint(2, 2))
    assert view.pointer_text == "", "there is a value outside the image"


def test_cursor_stays_while_the_pointer_moves(ortho, state):
    before, drawn = state.cursor_mm, ortho.axial.raster
    QTest.mouseMove(ortho.axial, at(ortho.axial, state.cursor_mm) + QPoint(20, 10))
    assert state.cursor_mm == before and ortho.axial.raster is drawn, (
        "moving the pointer computed a slice"
    )


@pytest.mark.parametrize("base_axes", ["LPS", "LPI"])
@pytest.mark.parametrize("upper_axes", ["LPS", "LPI"])
@pytest.mark.parametrize("degrees", [0.0, 90.0, 30.0])
def test_fused_projection_shows_one_spot_at_one_position(
    state, show, sided, base_axes, upper_axes, degrees
):
    """The hot voxel of both volumes is projected to the position of the cursor."""
    from app.views.slices.mip_view import MipView

    grid = sided.grid
    place = [float(grid.centres_mm(axis)[n]) for axis, n in ((0, 30), (1, 8), (2, 6))]
    base = np.zeros(grid.shape, np.float32)
    base[grid.index_of(tuple(place))] = 1.0
    state.set_volume(Volume(base, grid, "HU", {"axes": base_axes}))
    sign = 1 if base_axes == upper_axes else -1
    other = replace(grid, shape=(30, 34, 44), centre_mm=(14.0, -26.0, sign * 30.0 + 4.0))
    there = (place[0], place[1], sign * place[2])
    values = np.zeros(other.shape, np.float32)
    index = other.index_of(there)
    values[index] = 5.0
    upper = Volume(values, other, "Bq/mL", {"axes": upper_axes})
    state.fusion.set_second_volume(upper, VolumePlacing.of(upper, state.volume), "PET")
    view = show(MipView(state))
    view.set_degrees(degrees)
    assert view._fused.is_there
    found, rect = view._fused.values(
        state.volume, view._scanner_degrees, state.convention, is_turned=view._is_turned
    )
    rows, columns = np.nonzero(found > 4)
    centre = (
        rect.u + (columns.mean() + 0.5) * rect.width / found.shape[1],
        rect.v + (rows.mean() + 0.5) * rect.height / found.shape[0],
    )
    state.set_cursor(tuple(place))
    np.testing.assert_allclose(centre, view.cursor_uv(), atol=4.5)  # one voxel


def test_projection_shows_pet_over_ct_in_either_order(state, show, pixels, sided):
    from app.views.slices.mip_view import MipView

    ct = Volume(np.full(sided.grid.shape, 2.0, np.float32), sided.grid, "HU")
    hot = np.zeros(sided.grid.shape, np.float32)
    hot[8:16, 10:20, 10:30] = 2.4
    pet = Volume(hot, sided.grid, "Bq/mL")
    images = []
    for base, upper in ((ct, pet), (pet, ct)):
        state.fusion.set_second_volume(None, VolumePlacing(), "")
        state.set_volume(base)
        state.fusion.set_second_volume(upper, VolumePlacing(), "upper")
        for shown_as in (state, state.fusion):
            shown_as.set_window(1.0, 4.0)
            shown_as.set_colour_map("grey" if shown_as.volume is ct else "hot")
        state.fusion.set_opacity(1.0)
        state.set_cursor(tuple(float(v) for v in sided.grid.lower_mm))
        images.append(pixels(show(MipView(state), 420, 340)))
        middle = int(images[-1][170, 210])
        assert (middle >> 16 & 255) > (middle & 255) + 60, "PET is not shown in the colours of hot"
    np.testing.assert_array_equal(images[0][100:240, 150:270], images[1][100:240, 150:270])
