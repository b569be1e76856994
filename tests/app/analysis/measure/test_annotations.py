"""Tests of annotations in the window: draw, move, rename, undo, and storage per scan."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.analysis.measure.annotations_box import AnnotationsBox
from app.analysis.regions.region_storage import RegionStorage
from app.state.services.scan_regions import save_next_to, stored_file
from app.views.slices.slice_view import SliceView
from engine.analysis.regions import read_regions
from engine.data import Volume
from engine.geometry import ImageGrid
from tests.app.views.painted import painted

GRID = ImageGrid((30, 40, 40), (2.0, 2.0, 2.0))
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def box(qtbot, controls) -> AnnotationsBox:
    new_box = AnnotationsBox(controls.context)
    new_box.storage = RegionStorage(controls.context)
    qtbot.addWidget(new_box)
    controls.session.show_file(Volume(np.ones(GRID.shape, np.float32), GRID, "HU"), "a.h5")
    return new_box


@pytest.fixture
def axial(qtbot, box, controls) -> SliceView:
    view = SliceView(controls.session.view, "axial")
    view.resize(400, 400)
    qtbot.addWidget(view)
    controls.session.view.set_cursor((0.0, 0.0, 1.0))
    return view


def drag(view: SliceView, *points: tuple[float, float]) -> None:
    places = [
        QPoint(*map(round, view.viewport.to_px(*view.orientation.to_screen((x, y, 1.0)))))
        for x, y in points
    ]
    QTest.mousePress(view, LEFT, pos=places[0])
    for at in places[1:]:
        QTest.mouseMove(view, at)
    QTest.mouseRelease(view, LEFT, pos=places[-1])


def words(view: SliceView) -> list[str]:
    return [text.words for text in painted(view).texts]


def test_distance_is_drawn_shown_moved_and_undone(axial, box, controls):
    model, regions = box.model, controls.session.regions
    regions.set_tool("distance")
    drag(axial, (-20.0, 0.0), (0.0, 0.0), (10.0, 0.0))
    half_px = 1 / axial.viewport.px_per_mm
    assert model.chosen_one.length_mm == pytest.approx(30, abs=2 * half_px)
    assert regions.tool == "", "the distance tool is still active"
    text = f"{model.chosen_one.length_mm:.1f} mm"
    assert text in words(axial)
    assert box.list.item(0).text() == f"Distance {text}   axial z 1.0 mm"
    drag(axial, (10.0, 0.0), (15.0, 5.0), (20.0, 0.0))
    assert model.chosen_one.length_mm == pytest.approx(40, abs=2 * half_px)
    box.undo.click()
    assert model.annotations[0].length_mm == pytest.approx(30, abs=2 * half_px)
    box.undo.click()
    assert not model.annotations


def test_angle_takes_two_drags_and_is_drawn_only_in_its_slice(axial, box, controls):
    controls.session.regions.set_tool("angle")
    drag(axial, (20.0, 0.0), (10.0, 0.0), (0.0, 0.0))
    assert controls.session.regions.tool == "angle", "an angle needs two drags"
    drag(axial, (0.0, 10.0), (0.0, 20.0))
    (found,) = box.model.annotations
    assert found.angle_deg == pytest.approx(90, abs=2)
    text = f"{found.angle_deg:.1f}°"
    assert text in words(axial)
    controls.session.view.set_cursor((0.0, 0.0, 9.0))
    assert text not in words(axial)
    box.model.choose(-1)
    box.list.setCurrentRow(0)
    assert controls.session.view.cursor_mm[2] == pytest.approx(1.0)


def test_text_annotation_asks_for_its_text_at_the_pointer(axial, box, controls, monkeypatch):
    monkeypatch.setattr(box.marks, "_ask", lambda: "node?")
    controls.session.regions.set_tool("text")
    drag(axial, (5.0, 5.0), (8.0, 6.0))
    (found,) = box.model.annotations
    assert found.text == "node?"
    assert found.points_mm[0][:2] == pytest.approx((8.0, 6.0), abs=1 / axial.viewport.px_per_mm)
    box.delete.click()
    assert not box.model.annotations


def test_annotations_are_saved_with_the_study_and_the_scan(axial, box, controls, tmp_path):
    session = controls.session
    session.regions.set_tool("arrow")
    drag(axial, (-10.0, 0.0), (0.0, 0.0), (10.0, 10.0))
    (annotations,) = box.model.annotations
    save_next_to(session, tmp_path / "study.toml")
    session.opened_from = tmp_path / "study.toml"
    assert read_regions(stored_file(session)).annotations == (annotations,)
    other = Volume(np.full(GRID.shape, 2, np.float32), GRID, "HU")
    session.show_file(other, "b.h5")
    assert not box.model.annotations, "annotations of another scan are shown"


def test_click_in_the_straightened_curve_moves_the_cursor(axial, box, controls, qtbot):
    state = controls.session.view
    z = GRID.centres_mm(2)[:, None, None]
    values = np.broadcast_to(z + GRID.centres_mm(1)[:, None], GRID.shape).astype(np.float32)
    state.set_volume(Volume(values.copy(), GRID, "HU"))
    controls.session.regions.set_tool("curve")
    drag(axial, *((-24.0 + 4 * k, 8.0) for k in range(12)))
    (found,) = box.model.annotations
    assert found.kind == "curve"
    assert len(found.points_mm) < 12, "nearby points of the curve were not dropped"
    box.straighten.click()
    window = box.curve_window
    qtbot.waitUntil(lambda: window.view._made is not None and not controls.commands.is_busy)
    straightened, view = window.view._made, window.view
    half_px = 1 / axial.viewport.px_per_mm
    assert straightened.length_mm == pytest.approx(found.length_mm, rel=0.01)
    assert np.abs(straightened.values - (GRID.centres_mm(2)[:, None] + 8)).max() < 2 * half_px
    u, v = view.image_rect(state.volume).centre
    QTest.mouseClick(view, LEFT, pos=QPoint(*map(round, view.viewport.to_px(u, v))))
    assert state.cursor_mm[1] == pytest.approx(8.0, abs=2 * half_px)
    box.model.remove(0)
    assert window.view._made is None
    window.close()


def test_straightened_window_never_changes_to_another_curve(axial, box, controls, qtbot):
    state, model = controls.session.view, box.model
    model.regions.set_tool("arrow")
    drag(axial, (-10.0, 0.0), (0.0, 0.0), (10.0, 10.0))
    for y in (8.0, -8.0):
        model.regions.set_tool("curve")
        drag(axial, *((-24.0 + 4 * k, y) for k in range(12)))
    _, first, second = model.annotations
    box.straighten.click()  # of the curve that was drawn last
    window = box.curve_window
    assert window.curve == second
    model.remove(0)
    assert window.curve == second, "the arrow before it"
    model.regions.undo()
    assert window.curve == second
    moved = second.model_copy(update={"points_mm": first.points_mm[::-1]})
    model.change(2, moved)
    assert window.curve == moved, "an edit is followed"
    model.remove(2)
    assert window.curve is None
    model.regions.undo()
    box.straighten.click()
    controls.session.show_file(Volume(np.full(GRID.shape, 2, np.float32), GRID, "HU"), "b.h5")
    for _ in range(3):
        model.add(first)
    assert window.curve is None, "of another scan"
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    assert window.view._made is None
    window.close()
    state.set_volume(None)
