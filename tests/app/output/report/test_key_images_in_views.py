"""Tests of key images from the views: choice, storage, captions, and refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.analysis.regions.region_marks import RegionMarks
from app.output.report.report_commands import read_subject
from app.output.report.report_panel import ReportTab
from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_origin import TWO_PATIENTS, Origin
from app.state.models.run_record import RunRecord
from app.state.services.key_images import KeyImageStorage, add_key_image, caption_of, obstacle
from app.state.services.volume_commands import VolumeCommands
from app.viewing.fusion.view_menu import ViewMenu
from app.views.planes.plane_geometry import ViewTurn
from app.views.slices.ortho_view import OrthoView
from app.views.slices.printed_views import SHARPNESS, WIDTH_PX, printed
from engine.analysis.regions import SphereRegion
from engine.core import paths
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.jobs.study_index import ImagingOrder
from engine.results import NewResult, Results
from engine.results.reports import MAX_IMAGES, read_key_images, report_of
from tests.app.conftest import PATIENCE_MS

GRID = ImageGrid((20, 16, 16), (4.0, 4.0, 4.0))
LESION = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=24)


def image_of(axes: str = "LPS") -> Volume:
    """Return a dim block with a bright part at the head end of z."""
    values = np.ones(GRID.shape, np.float32)
    head = slice(0, 4) if axes.endswith("I") else slice(-4, None)
    values[head] = 9.0
    return Volume(values, GRID, "Bq/mL", {"axes": axes})


@pytest.fixture
def views(qtbot, tmp_path, monkeypatch, controls, small_study) -> OrthoView:
    """Return the views of a stored result."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    controls.storage = KeyImageStorage(controls.context)
    ortho = OrthoView(controls.session.view)
    qtbot.addWidget(ortho)
    ortho.resize(700, 600)
    ortho.show()
    display(qtbot, controls, small_study)
    return ortho


def display(qtbot, controls, study, axes: str = "LPS") -> str:
    """Show a new result and return its ID."""
    image = image_of(axes)
    result = Results().keep(NewResult(study, image, {"axes": axes}))
    controls.session.show_result(RunRecord("small", study), "final", image)
    controls.session.run.take_result("", result.id)
    ready = lambda: controls.session.key_images.is_ready  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    return result.id


def stored(qtbot, controls, id: str):
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)
    return read_key_images(Results().open(id))


def pixels(picture: QImage) -> np.ndarray:
    shown = picture.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(shown.constBits(), np.uint8).reshape(shown.height(), shown.width(), 4)
    return rows[..., 2::-1].astype(int)


def test_added_view_is_stored_and_shown_in_the_report(qtbot, controls, views):
    session = controls.session
    id = session.run.record.result_id
    for view in (views.coronal, views.mip):
        add_key_image(controls.context, view)
    images = stored(qtbot, controls, id)
    assert images == session.key_images.images and len(images) == 2
    (section,) = [
        each
        for each in report_of(read_subject(controls.context, id)).sections
        if each.title == "Key images"
    ]
    captions = [each.caption for each in section.illustrations]
    assert captions[0].startswith("Coronal, y = ") and "Bq/mL" in captions[0]
    assert captions[1].startswith("Maximum intensity projection from 0°")
    width = QImage.fromData(images[0].png).width()
    assert width == WIDTH_PX * SHARPNESS >= 75 / 25.4 * 300, "300 dpi at 75 mm"


def test_order_removal_and_undo_are_saved_to_disk(qtbot, controls, views):
    model, id = controls.session.key_images, controls.session.run.record.result_id
    for view in views.slices:
        add_key_image(controls.context, view)
    a, b, c = model.images
    model.move(2, 0)
    assert stored(qtbot, controls, id) == (c, a, b)
    model.remove(1)
    assert stored(qtbot, controls, id) == (c, b)
    model.undo()
    model.undo()
    assert stored(qtbot, controls, id) == (a, b, c)
    model.redo()
    assert stored(qtbot, controls, id) == (c, a, b)


def test_other_result_starts_without_key_images_and_the_first_restores_them(
    qtbot, controls, views, small_study
):
    session = controls.session
    first, image = session.run.record.result_id, session.run.record.result
    add_key_image(controls.context, views.axial)
    second = display(qtbot, controls, small_study)
    assert session.key_images.images == () and not session.key_images.can_undo
    add_key_image(controls.context, views.sagittal)
    session.show_result(RunRecord("small", small_study), "final", image)
    assert session.key_images.images == (), "key images are shown before they are read from disk"
    session.run.take_result("", first)
    qtbot.waitUntil(lambda: session.key_images.is_ready, timeout=PATIENCE_MS)
    assert [each.caption[:5] for each in session.key_images.images] == ["Axial"]
    assert [each.caption[:8] for each in stored(qtbot, controls, second)] == ["Sagittal"]


@pytest.mark.parametrize("axes", ["LPS", "LPI"])
@pytest.mark.parametrize("turns", [0, 1, 2, "vertical", "horizontal"])
def test_head_is_at_the_top_of_key_images(qtbot, controls, views, small_study, axes, turns):
    display(qtbot, controls, small_study, axes)
    turn = ViewTurn().flipped(upright=turns == "vertical") if isinstance(turns, str) else ViewTurn()
    turn = turn.turned(turns) if isinstance(turns, int) else turn
    controls.session.view.set_colour_map("grey")
    controls.session.view.set_window(0.0, 9.0)
    for plane, view in (("coronal", views.coronal), ("sagittal", views.sagittal)):
        controls.session.view.set_turn(plane, turn)
        shown = pixels(printed(view)).sum(axis=2)
        middle = shown[:, shown.shape[1] // 3]
        bright = np.flatnonzero(middle > 700)
        assert bright.size and bright.max() < shown.shape[0] / 2


def test_regions_have_no_handles_and_the_window_is_that_of_the_view(controls, views):
    session = controls.session
    session.view.set_colour_map("grey")
    session.view.set_window(0.0, 40.0)
    session.view.set_cursor((0.0, 0.0, 0.0))
    before = pixels(printed(views.axial))
    name = session.regions.add(LESION, "Lesion")
    marks = RegionMarks(session.regions, session.view)
    selected = pixels(printed(views.axial))
    session.regions.choose()
    unselected = pixels(printed(views.axial))
    colour = session.regions.current.named(name).colour
    ink = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
    has_ink = (np.abs(unselected - ink).max(axis=2) < 40).sum()
    assert has_ink > 500 and (np.abs(before - ink).max(axis=2) < 40).sum() == 0
    white = lambda shown: (shown.min(axis=2) > 250).sum()  # noqa: E731
    assert white(selected) <= white(before) * 1.01 + 10, (
        "the image shows handles of the selected region"
    )
    assert marks is not None


def test_zoomed_view_stays_zoomed_and_full_image_fills_its_frame(controls, views):
    controls.session.view.set_colour_map("grey")
    controls.session.view.set_window(0.0, 1.0)
    bright = pixels(printed(views.axial)).sum(axis=2) > 700
    assert bright.mean() > 0.6, "the image does not fill its frame"
    views.axial.zoom(8.0, (0.0, 0.0))
    part = pixels(printed(views.axial)).sum(axis=2) > 700
    assert part.mean() > 0.9


def test_captions_contain_no_file_name(controls, views):
    session = controls.session
    other = Volume(2 * image_of().values, GRID, "HU", {"axes": "LPS"})
    session.volumes.add(OpenVolume("file:/x/Doe-Jane-CT.nii", "Doe-Jane-CT.nii", "file", other))
    session.volumes.set_overlay("file:/x/Doe-Jane-CT.nii")
    for mode in ("blend", "swipe", "side by side", "difference", "ratio"):
        session.view.fusion.set_mode(mode)
        for view in (views.axial, views.mip):
            caption = caption_of(session, view)
            assert "Doe" not in caption and caption
    session.view.fusion.set_mode("blend")
    caption = caption_of(session, views.axial)
    assert "second volume, 50 %" in caption and "HU" in caption and "Bq/mL" in caption


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (Origin(fingerprint="0123456789"), "possibly of different patients"),
        (Origin(), "unknown whether both images show the same patient"),
        (Origin(patient="4711"), "unknown whether both images show the same patient"),
    ],
)
@pytest.mark.parametrize("mode", ["blend", "difference"])
def test_caption_states_the_scan_of_the_overlay(
    qtbot, controls, views, small_study, mode, origin, expected
):
    session = controls.session
    display(qtbot, controls, small_study.model_copy(update={"fingerprints": {"data": "ours"}}))
    other = OpenVolume("file:ct", "ct.nii", "file", image_of(), origin)
    session.volumes.add(other)
    session.volumes.set_overlay(other.key)
    session.view.fusion.set_mode(mode)
    caption = caption_of(session, views.axial)
    assert expected in caption
    assert ("fingerprint 01234567" in caption) is bool(origin.fingerprint)


def test_overlay_of_another_patient_is_not_added(qtbot, controls, views, small_study):
    """The patient of a result is named only by its worklist order."""
    session, commands = controls.session, VolumeCommands(controls.session, controls.commands)
    other = Results().keep(NewResult(small_study, image_of(), {"axes": "LPS"}))
    other.assign_order(ImagingOrder(patient_name="Doe^John", patient_id="4712"))
    session.run.record.order = ImagingOrder(patient_name="Müller^Ida", patient_id="4711")
    commands.open_result(other, "overlay")
    qtbot.waitUntil(lambda: session.volumes.overlay is not None, timeout=PATIENCE_MS)
    assert obstacle(session, views.axial) == TWO_PATIENTS
    session.run.record.order = other.order
    assert obstacle(session, views.axial) == ""


@pytest.mark.parametrize("mode", ["blend", "difference"])
def test_order_that_is_assigned_later_removes_pictures_of_another_patient(
    qtbot, controls, views, small_study, mode
):
    session = controls.session
    other = OpenVolume("file:ct", "ct.dcm", "file", image_of(), Origin(patient="4712"))
    session.volumes.add(other)
    session.volumes.set_overlay(other.key)
    session.view.fusion.set_mode(mode)
    add_key_image(controls.context, views.axial)
    session.volumes.set_overlay("")
    add_key_image(controls.context, views.axial)
    id = session.run.record.result_id
    qtbot.waitUntil(lambda: len(stored(qtbot, controls, id)) == 2, timeout=PATIENCE_MS)
    assert [bool(each.patient) for each in session.key_images.images] == [True, False]
    order = ImagingOrder(patient_name="Doe^Ida", patient_id="4711")
    Results().open(id).assign_order(order)
    subject = read_subject(controls.context, id)
    assert subject.own_key_images == session.key_images.images[1:]
    assert any("with a second image of another patient" in each for each in subject.all_warnings)


def test_only_views_of_the_result_itself_can_be_added(qtbot, controls, views, small_study):
    session = controls.session
    assert obstacle(session, views.axial) == ""
    run = session.run
    run.record.images.items.insert(0, replace(run.record.images.items[0], label="iteration 1"))
    run.select(0)
    assert "last image of the run" in obstacle(session, views.axial)
    run.select(None)
    for _ in range(MAX_IMAGES):
        add_key_image(controls.context, views.axial)
    problems = []
    session.problem_raised.connect(problems.append)
    add_key_image(controls.context, views.axial)
    assert f"at most {MAX_IMAGES}" in problems[0].text
    assert len(session.key_images.images) == MAX_IMAGES
    run.begin("other")
    assert "no result yet" in obstacle(session, views.axial)


def test_right_click_opens_the_menu_and_right_drag_sets_the_window(qtbot, controls, views):
    asked, view, right = [], views.coronal, Qt.MouseButton.RightButton
    views.menu_requested.connect(asked.append)
    window = controls.session.view.window
    QTest.mouseClick(view, right, pos=QPoint(40, 40))
    assert len(asked) == 1 and views.active is view
    assert controls.session.view.window == window
    QTest.mousePress(view, right, pos=QPoint(40, 40))
    QTest.mouseMove(view, QPoint(90, 70))
    QTest.mouseRelease(view, right, pos=QPoint(90, 70))
    assert len(asked) == 1 and controls.session.view.window != window
    menu = ViewMenu(views, views)
    menu.report_obstacle = lambda _: "why not"
    menu.fill()
    entry = menu.actions()[0]
    assert entry.text().startswith("Add to the report") and not entry.isEnabled()
    assert "why not" in entry.toolTip()


@pytest.fixture
def panel(qtbot, tmp_path, monkeypatch, controls, small_study) -> ReportTab:
    """Return the panel with the preview, next to the views of a result."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    controls.views = OrthoView(controls.session.view)
    qtbot.addWidget(controls.views)
    controls.views.resize(700, 600)
    controls.views.show()
    tab = ReportTab(controls.context)
    qtbot.addWidget(tab)
    tab.resize(360, 700)
    tab.show()
    display(qtbot, controls, small_study)
    return tab


def next_pages(qtbot, panel: ReportTab, change) -> None:
    """Wait until the preview shows other pages after a change."""
    qtbot.waitUntil(lambda: bool(panel.pages), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not panel.live._is_drawing, timeout=PATIENCE_MS)
    before = panel.pages[0]
    change()
    qtbot.waitUntil(lambda: bool(panel.pages) and panel.pages[0] != before, timeout=PATIENCE_MS)


def test_preview_follows_regions_and_key_images(qtbot, controls, panel):
    session = controls.session
    next_pages(qtbot, panel, lambda: session.regions.add(LESION, "Lesion"))
    next_pages(qtbot, panel, lambda: add_key_image(controls.context, controls.views.axial))
    assert panel.list.count() == 1 and not panel.hint.isVisible()
    next_pages(qtbot, panel, lambda: session.draft.replace("A. Physicist: not acceptable", "Moved"))
    next_pages(qtbot, panel, lambda: session.draft.replace("", ""))


def test_preview_never_shows_another_result(qtbot, controls, panel):
    qtbot.waitUntil(lambda: bool(panel.pages), timeout=PATIENCE_MS)
    panel.live._soon.stop()
    controls.session.run.forget()
    qtbot.waitUntil(lambda: not panel.pages, timeout=PATIENCE_MS)
    assert panel.note.isVisible() and not panel.list.isVisible()


def test_key_images_are_ordered_and_removed_in_the_panel(qtbot, controls, panel):
    model = controls.session.key_images
    for view in controls.views.slices:
        add_key_image(controls.context, view)
    a, b, c = model.images
    panel.list.setCurrentRow(2)
    panel.up.click()
    assert model.images == (a, c, b) and panel.list.currentRow() == 1
    panel.remove.click()
    assert model.images == (a, b)
    panel.undo.click()
    panel.undo.click()
    assert model.images == (a, b, c)
    panel.list.model().moveRow(panel.list.rootIndex(), 0, panel.list.rootIndex(), 3)
    qtbot.waitUntil(lambda: model.images == (b, c, a), timeout=PATIENCE_MS)
    panel.list.setFocus()
    panel.list.setCurrentRow(0)
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert model.images == (c, a)


def test_damaged_key_image_file_does_not_block_the_window(qtbot, views, controls, small_study):
    add_key_image(controls.context, views.axial)
    id = controls.session.run.record.result_id
    assert len(stored(qtbot, controls, id)) == 1
    file = Results().open(id).folder / "key-images.json"
    file.write_bytes(file.read_bytes()[:-50])
    problems = []
    controls.session.problem_raised.connect(problems.append)
    controls.session.key_images.follow("")
    controls.storage._follow()
    qtbot.waitUntil(lambda: controls.session.key_images.is_ready, timeout=PATIENCE_MS)
    (problem,) = problems
    assert f"{id}/key-images.json" in problem.text and "key-images.damaged.json" in problem.text
    add_key_image(controls.context, views.sagittal)
    assert len(stored(qtbot, controls, id)) == 1
