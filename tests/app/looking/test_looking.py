"""The strip beside the views: what it turns on, what is remembered, without a whole window."""

from __future__ import annotations

import numpy as np
import pytest

from app.looking.looking import Looking
from app.views.layout import Layout
from app.views.ortho_view import OrthoView
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((8, 10, 12), (2.0, 2.0, 2.0))


@pytest.fixture
def looking(qtbot, controls) -> Looking:
    """The views of a small volume with their strip."""
    values = np.linspace(0, 1, GRID.n_voxels, dtype=np.float32).reshape(GRID.shape)
    controls.session.view.set_volume(Volume(values, GRID, "HU"))
    views = OrthoView(controls.session.view)
    made = Looking(controls.context, views)
    for each in (views, *made.bars):
        qtbot.addWidget(each)
    made.views = views
    return made


def test_the_slab_is_set_by_its_row_and_ended_by_its_button(looking, controls):
    state, bar = controls.session.view, looking.slab_bar
    looking.slab.click()
    assert state.slab.kind == "highest"
    assert not bar.isHidden()
    bar.kind.setCurrentIndex(1)
    bar.kind.activated.emit(1)
    bar.number.lineEdit().setText("6")
    bar.number.edited.emit()
    assert (state.slab.kind, state.slab.thickness_mm) == ("mean", 6.0)
    bar.slider.setValue(0)
    assert state.slab.thickness_mm == 2.0, "one voxel is the least"
    bar.close_.click()
    assert not state.slab.kind
    assert bar.isHidden()
    assert not looking.slab.isChecked()


def test_a_layout_is_chosen_in_the_menu_and_remembered(looking, controls):
    menu = looking.layout.menu()
    menu.fill()
    next(each for each in menu.actions() if each.text() == "Light-box, 3 × 4").trigger()
    assert looking.views.light_box is not None
    menu.fill()
    next(each for each in menu.spacings.actions() if each.text() == "Each slice").trigger()
    wanted = Layout("sheet", "axial", 3, 4, 1)
    assert looking.views.layout_now == wanted
    assert Layout.of(controls.context.preferences.layout) == wanted
    other = OrthoView(controls.session.view)
    again = Looking(controls.context, other)
    assert other.layout_now == wanted
    assert again.bars
