"""Tests of the toolbar of the views, without a complete window."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageSequence
from PySide6.QtCore import Qt

from app.viewing.viewer_tools import cine_bar
from app.viewing.viewer_tools.tools import ViewerTools
from app.views.layout import ViewLayout
from app.views.scrubber import IterationScrubber
from app.views.slices.ortho_view import OrthoView
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((8, 10, 12), (2.0, 2.0, 2.0))


@pytest.fixture
def tools(qtbot, controls) -> ViewerTools:
    """Return the views of a small volume with their toolbar."""
    values = np.linspace(0, 1, GRID.n_voxels, dtype=np.float32).reshape(GRID.shape)
    controls.session.view.set_volume(Volume(values, GRID, "HU"))
    views, scrubber = OrthoView(controls.session.view), IterationScrubber()
    tools = ViewerTools(controls.context, views, scrubber)
    for each in (views, *tools.bars):
        qtbot.addWidget(each)
    qtbot.addWidget(scrubber)
    tools.views, tools.scrubber = views, scrubber
    return tools


def test_slab_is_set_in_its_row_and_ended_by_its_button(tools, controls):
    state, bar = controls.session.view, tools.slab_bar
    tools.slab.click()
    assert state.slab.kind == "highest"
    assert not bar.isHidden()
    bar.kind.setCurrentIndex(1)
    bar.kind.activated.emit(1)
    bar.number.lineEdit().setText("6")
    bar.number.edited.emit()
    assert (state.slab.kind, state.slab.thickness_mm) == ("mean", 6.0)
    bar.slider.setValue(0)
    assert state.slab.thickness_mm == 2.0, "a slab is thinner than one voxel"
    bar.close_.click()
    assert not state.slab.kind
    assert bar.isHidden()
    assert not tools.slab.isChecked()


def test_layout_is_chosen_in_the_menu_and_remembered(tools, controls):
    menu = tools.layout.menu()
    menu.fill()
    next(each for each in menu.actions() if each.text() == "Light box, 3 × 4").trigger()
    assert tools.views.light_box is not None
    menu.fill()
    next(each for each in menu.spacings.actions() if each.text() == "Every slice").trigger()
    expected = ViewLayout("sheet", "axial", 3, 4, 1)
    assert tools.views.layout_now == expected
    assert ViewLayout.of(controls.context.preferences.layout_of(tools.hanging.kind)) == expected
    other = OrthoView(controls.session.view)
    again = ViewerTools(controls.context, other, IterationScrubber())
    assert other.layout_now == expected
    assert again.bars


def test_film_plays_all_images_and_repeats(tools, controls):
    state, cine = controls.session.view, tools.cine
    tools.film.click()
    assert cine.is_playing
    assert not tools.cine_bar.isHidden()
    for _ in range(cine.n_steps):
        cine.advance()
    assert tools.views.mip.degrees == 0, "the rotation did not end at its start"
    cine.set_kind("axial")
    state.set_cursor((0.0, 0.0, 100.0))
    positions = []
    for _ in range(GRID.shape[0]):
        positions.append(cine.position)
        cine.advance()
    assert sorted(positions) == list(range(GRID.shape[0]))
    assert cine.kinds() == ["turn", "axial", "coronal", "sagittal"]
    tools.scrubber.set_iterates(["iteration 1", "iteration 2", "iteration 3"])
    cine.set_kind("images")
    cine.advance()
    assert tools.scrubber.current() == 0, "the film does not repeat"
    tools.toggle_film()
    assert not cine.is_playing
    tools.cine_bar.close_.click()
    assert tools.cine_bar.isHidden()
    assert not tools.film.isChecked()


@pytest.mark.parametrize("suffix", [".gif", ".png"])
def test_film_is_saved_as_shown_and_the_view_is_restored(tools, controls, qtbot, tmp_path, suffix):
    state, bar, view = controls.session.view, tools.cine_bar, tools.views.axial
    view.resize(200, 160)
    tools.cine.set_kind("axial")
    state.set_cursor((0.3, -0.4, 0.7))
    before = state.cursor_mm
    bar.record(view, tmp_path / f"film{suffix}")
    assert bar.recorder.is_recording
    qtbot.waitUntil(lambda: not bar.recorder.is_recording and not controls.commands.is_busy)
    assert state.cursor_mm == before
    with Image.open(tmp_path / f"film{suffix}") as film:
        assert film.n_frames == GRID.shape[0]
        assert film.size[0] == view.width()
        means = [
            np.asarray(each.convert("L"))[:160].mean() for each in ImageSequence.Iterator(film)
        ]
    assert len(set(means)) == len(means), "two frames of the film are equal"


def test_cancelled_film_leaves_no_file(tools, controls, tmp_path):
    tools.cine_bar.record(tools.views.mip, tmp_path / "film.gif")
    tools.cine_bar.cancel.click()
    assert not tools.cine_bar.recorder.is_recording
    assert not controls.commands.is_busy
    assert not list(tmp_path.glob("*.gif"))


def test_tools_have_labels_below_their_icons_if_the_window_is_wide(tools, qtbot):
    strip, views = tools.strip, tools.views
    style = Qt.ToolButtonStyle
    views.resize(700, 700)
    views.show()
    qtbot.waitUntil(lambda: strip.height() > 400)
    buttons = [tools.slab, tools.film, tools.layout, tools.more]
    assert [each.text() for each in buttons] == ["Slab", "Movie", "Layout", "Tools"]
    assert {each.toolButtonStyle() for each in buttons} == {style.ToolButtonTextUnderIcon}
    for each in buttons:
        words = each.fontMetrics().horizontalAdvance(each.text())
        assert words <= each.width() and each.accessibleName() == each.text()
    wide = strip.width()
    for k in range(6):
        buttons.append(strip.add(f"Tool {k}", "line", "A tool."))
    views.resize(700, views.minimumSizeHint().height())
    qtbot.waitUntil(lambda: strip.width() < wide)
    assert {each.toolButtonStyle() for each in buttons} == {style.ToolButtonIconOnly}

    def do_not_overlap() -> bool:
        boxes = [each.geometry() for each in buttons]
        overlap = any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])
        return not overlap and all(strip.rect().contains(box) for box in boxes)

    qtbot.waitUntil(do_not_overlap)
    views.resize(700, 700)
    qtbot.waitUntil(lambda: strip.width() == wide)


def test_mp4_without_encoder_is_refused_before_the_recording(tools, monkeypatch, tmp_path):
    reported = []
    monkeypatch.setattr(cine_bar, "ask_save", lambda *_: tmp_path / "a.mp4")
    monkeypatch.setattr(cine_bar, "show_reason", lambda _, title, text: reported.append(text))
    monkeypatch.setattr("engine.io.raster.film.find_spec", lambda name: None)
    tools.cine_bar._ask_and_record(tools.views.panes)
    assert not tools.cine_bar.recorder.is_recording
    assert len(reported) == 1 and "isocenter[movie]" in reported[0]


@pytest.mark.parametrize(
    ("typed", "written"),
    [("movie", "movie.gif"), ("movie.2026", "movie.2026.gif"), ("a.1.PNG", "a.1.PNG")],
)
def test_movie_gets_the_suffix_of_its_format(tools, monkeypatch, tmp_path, typed, written):
    targets = []
    monkeypatch.setattr(cine_bar, "ask_save", lambda *_: tmp_path / typed)
    monkeypatch.setattr(tools.cine_bar, "record", lambda _, target: targets.append(target))
    tools.cine_bar._ask_and_record(tools.views.panes)
    assert targets == [tmp_path / written]
