"""Tests of hanging protocols: each kind of data has its own layout."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.state.models.images.open_volume import OpenVolume
from app.viewing.viewer_tools import layout_menu
from app.viewing.viewer_tools.hanging import Hanging
from app.viewing.viewer_tools.layout_menu import LayoutMenu
from app.views.hanging import HANGINGS
from app.views.layout import ViewLayout
from app.views.slices.ortho_view import OrthoView
from engine.data import FrameVolume, TimeFrame, Volume
from engine.geometry import ImageGrid

GRID = ImageGrid((12, 14, 16), (2.0, 2.0, 2.0))


def volume(unit: str = "Bq/mL", grid: ImageGrid = GRID) -> Volume:
    values = np.random.default_rng(1).random(grid.shape).astype(np.float32)
    return Volume(values, grid, unit, {"axes": "LPS"})


@pytest.fixture
def views(qtbot, controls) -> OrthoView:
    ortho = OrthoView(controls.session.view)
    qtbot.addWidget(ortho)
    ortho.resize(700, 600)
    ortho.show()
    ortho.hanging = Hanging(controls.context, ortho)
    return ortho


def show(controls, unit: str = "Bq/mL", second: str = "", frames: int = 0) -> None:
    parts = [
        FrameVolume(TimeFrame(60_000 * k, 60_000 * (k + 1)), volume(unit)) for k in range(frames)
    ]
    controls.session.show_file(volume(unit), "first.h5", frames=parts)
    controls.context.volumes.place("", "overlay")
    if second:
        controls.session.volumes.add(OpenVolume("second", "second", "file", volume(second)))
        controls.context.volumes.place("second", "overlay")


KINDS = {
    "activity": {},
    "anatomy": {"unit": "HU"},
    "fused": {"unit": "Bq/mL", "second": "HU"},
    "frames": {"frames": 3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_data_has_its_layout(controls, views, kind):
    show(controls, **KINDS[kind])
    assert views.hanging.kind == kind and views.layout_now == HANGINGS[kind]


@pytest.mark.parametrize(("unit", "second"), [("Bq/mL", "HU"), ("HU", "Bq/mL")])
def test_pet_and_ct_are_fused_in_either_order(controls, views, unit, second):
    show(controls, unit, second)
    assert views.hanging.kind == "fused"
    controls.context.volumes.place("", "overlay")
    assert views.hanging.kind == ("anatomy" if unit == "HU" else "activity")


def test_two_images_of_one_kind_are_not_fused(controls, views):
    show(controls, "Bq/mL", "Bq/mL")
    assert views.hanging.kind == "activity"


def test_panels_show_their_sharp_slice_large(controls, views):
    show(controls)
    controls.session.view.set_blurred_axis(1)
    QApplication.processEvents()
    assert views.hanging.kind == "panels"
    assert views.coronal.width() > views.axial.width()


def test_chosen_layout_is_remembered_per_kind_of_data(qtbot, controls, views):
    show(controls, "HU")
    chosen = ViewLayout("one", "coronal")
    views.set_layout(chosen)
    show(controls)
    assert views.layout_now == HANGINGS["activity"], "the layout of another kind of data changed"
    show(controls, "HU")
    assert views.layout_now == chosen
    # The next window of the same user starts with it, too.
    other = OrthoView(controls.session.view)
    qtbot.addWidget(other)
    other.hanging = Hanging(controls.context, other)
    assert other.layout_now == chosen
    # the next image of the same kind does not change the layout
    views.toggle_enlarged(views.coronal)
    before = views.enlarged
    show(controls, "HU")
    assert views.enlarged is before


def test_thin_ct_shows_one_slice(controls, views):
    flat = ImageGrid((1, 14, 16), (2.0, 2.0, 2.0))
    controls.session.show_file(volume("HU", flat), "slice.h5")
    assert views.enlarged is views.axial
    show(controls, "HU")
    assert views.enlarged is None


def test_layouts_are_saved_by_name_used_and_deleted(qtbot, monkeypatch, controls, views):
    show(controls)
    menu = LayoutMenu(views, controls.context.preferences, views)
    sheet = ViewLayout("sheet", "sagittal", 3, 4, 2)
    views.set_layout(sheet)
    monkeypatch.setattr(layout_menu, "ask_text", lambda *_: "Spine & hips")

    def entries(of) -> dict:
        return {each.text().replace("&&", "&"): each for each in of.actions()}

    menu.fill()
    entries(menu)["Save layout …"].trigger()
    views.set_layout(ViewLayout())
    menu.fill()
    entries(menu)["Spine & hips"].trigger()
    assert views.layout_now == sheet
    menu.fill()
    assert entries(menu)["Spine & hips"].isChecked()
    entries(menu.deleting)["Spine & hips"].trigger()
    menu.fill()
    assert "Spine & hips" not in entries(menu)
    assert controls.context.preferences.saved_layouts == {}
