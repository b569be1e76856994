"""Tests of regions in the window: draw, edit, combine, measure, and store per scan."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.analysis.regions.live_figures import (
    KnownMeans,
    RegionFollower,
    found_in,
    images_by_position,
)
from app.analysis.regions.region_list import DISPENSABLE, MEAN, MIN_NAME_PX, PEAK, SECOND
from app.analysis.regions.region_storage import RegionStorage
from app.analysis.regions.region_writes import RegionWrites, write_for_scan
from app.analysis.regions.regions_tab import RegionsTab
from app.analysis.regions.scan_marks import ScanMarks
from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_origin import Origin
from app.state.models.inputs import Input
from app.state.models.region_model import RegionModel
from app.state.models.run_images import StoredImage
from app.state.models.run_record import RunRecord, RunState
from app.state.services.scan_regions import save_next_to, stored_file
from app.views.slices.slice_view import SliceView
from engine.analysis.regions import (
    BoxRegion,
    CombinedRegion,
    ContourRegion,
    MaskRegion,
    PlanarContours,
    PolygonRegion,
    Region,
    RegionSet,
    SphereRegion,
    read_regions,
    regions_file_of,
)
from engine.core import paths
from engine.core.errors import OutputError
from engine.data import FrameVolume, TimeFrame, Volume
from engine.data.error_map import ErrorMap
from engine.geometry import ImageGrid, RigidMotion
from engine.protocols.privacy import pseudonym_of
from engine.results import VOLUME, NewResult, Results
from tests.app.conftest import PATIENCE_MS
from tests.engine import engine_sources

GRID = ImageGrid((30, 40, 40), (2.0, 2.0, 2.0))
SIZE_PX = 300
BALL = SphereRegion(centre_mm=(4, 0, 1), diameter_mm=20)


def image(scale: float = 1.0) -> Volume:
    along_x = np.broadcast_to(GRID.centres_mm(0) + 50, GRID.shape)
    return Volume((scale * along_x).astype(np.float32), GRID, "Bq/mL")


@pytest.fixture
def tab(qtbot, controls) -> RegionsTab:
    new_tab = RegionsTab(controls.context)
    qtbot.addWidget(new_tab)
    controls.session.show_file(image(), "a.h5")
    return new_tab


@pytest.fixture
def axial(qtbot, tab, controls) -> SliceView:
    view = SliceView(controls.session.view, "axial")
    view.resize(SIZE_PX, SIZE_PX)
    qtbot.addWidget(view)
    controls.session.view.set_cursor((0.0, 0.0, 1.0))
    return view


def place(view: SliceView, point: tuple[float, float, float]) -> QPoint:
    x, y = view.viewport.to_px(*view.orientation.to_screen(point))
    return QPoint(round(x), round(y))


def drag(view: SliceView, *points: tuple[float, float, float]) -> None:
    first, *rest = (place(view, point) for point in points)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=first)
    for at in rest:
        QTest.mouseMove(view, at)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=rest[-1])


def test_sphere_is_drawn_moved_and_resized_with_the_pointer(axial, tab) -> None:
    model = tab.model
    model.set_tool("sphere")
    drag(axial, (4.0, 0.0, 1.0), (9.0, 0.0, 1.0), (14.0, 0.0, 1.0))
    (region,) = model.regions
    assert model.tool == ""
    assert model.chosen == (region.name,)
    assert region.shape.centre_mm == pytest.approx((4, 0, 1), abs=0.5)
    assert region.shape.diameter_mm == pytest.approx(20, abs=1)
    middle = region.shape.centre_mm
    drag(axial, middle, (10.0, 5.0, 1.0), (-6.0, 3.0, 1.0))  # the handle in the middle
    assert model.regions[0].shape.centre_mm == pytest.approx((-6, 3, 1), abs=0.7)
    drag(axial, (4.0, 3.0, 1.0), (9.0, 3.0, 1.0))  # the handle at the side: a radius of 15
    assert model.regions[0].shape.diameter_mm == pytest.approx(30, abs=1.5)
    x, y = -6 + 15 * np.cos(1.0), 3 + 15 * np.sin(1.0)
    drag(axial, (x, y, 1.0), (x + 5, y, 1.0))  # the border, away from all handles
    assert model.regions[0].shape.centre_mm == pytest.approx((-1, 3, 1), abs=0.7)
    for _ in range(4):
        model.undo()
    assert model.regions == ()
    model.redo()
    assert model.regions[0].shape == region.shape


def test_handles_of_a_small_region_are_outside_and_resize_smoothly(axial, tab) -> None:
    model, ball = tab.model, SphereRegion(centre_mm=(0, 0, 1), diameter_mm=8)
    model.add(ball, "Small")
    scale = axial.viewport.px_per_mm
    assert 8 * scale < 44
    borders = tab.marks._borders(axial, axial.viewport)
    box = borders.rect(ball.bounds_mm)
    handles = tab.marks._handles(model.regions[0], borders)
    assert len(handles) == 4
    assert all(not box.adjusted(-3, -3, 3, 3).contains(place) for place in handles.values())
    start = handles[1, 1]
    for shift_px in (0, 5):
        at = QPointF(shift_px, shift_px)
        move = tab.marks.drag(axial, start)
        move.move(start + at)
        move.end()
        expected = 8 + 2 * shift_px / scale
        assert model.regions[0].shape.diameter_mm == pytest.approx(expected, abs=0.01)


def test_click_outside_all_regions_moves_the_cursor(axial, tab) -> None:
    tab.model.add(BALL, "Ball")
    tab.model.choose()
    drag(axial, (-20.0, -9.0, 1.0), (-20.0, -9.0, 1.0))
    assert axial.state.cursor_mm[:2] == pytest.approx((-20, -9), abs=0.5)
    assert tab.model.regions[0].shape == BALL


def test_polygon_and_brush_contain_the_area_below_the_pointer(axial, tab) -> None:
    model = tab.model
    model.set_tool("polygon")
    drag(axial, (-10.0, -10.0, 1.0), (10.0, -10.0, 1.0), (10.0, 10.0, 1.0), (-10.0, 10.0, 1.0))
    shape = model.regions[0].shape
    assert isinstance(shape, PolygonRegion)
    assert (shape.low_mm, shape.high_mm) == (0.0, 2.0)
    assert np.array(shape.bounds_mm)[:, :2] == pytest.approx(
        np.array([[-10] * 2, [10] * 2]), abs=0.6
    )
    model.set_tool("brush")
    drag(axial, (-10.0, 0.0, 1.0), (0.0, 0.0, 1.0), (4.0, 0.0, 1.0), (8.0, 0.0, 1.0))
    painted = model.regions[1]
    assert isinstance(painted.shape, MaskRegion)
    n_voxels = painted.shape.mask.sum()
    model.erases = True
    drag(axial, (-10.0, 0.0, 1.0), (-10.0, 0.0, 1.0))
    assert 0 < model.regions[1].shape.mask.sum() < n_voxels
    assert len(model.regions) == 2
    model.undo()
    assert model.regions[1] == painted


def test_region_values_follow_regions_and_images(qtbot, tab, controls) -> None:
    one, other = (replace(image(k), frame_of_reference="1.2.3") for k in (1, 2))
    controls.session.show_file(one, "one.h5")
    tab.show()
    tab.model.add(BALL, "Lesion")
    qtbot.waitUntil(lambda: bool(tab.live.found.measured))
    assert tab.list.topLevelItem(0).text(1) == "54"
    controls.session.show_file(other, "other.h5")
    qtbot.waitUntil(lambda: tab.list.topLevelItem(0).text(1) == "108")
    tab.files.copy()
    rows = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    assert float(rows[1][rows[0].index("mean")]) == pytest.approx(108, rel=1e-3)


def test_regions_stay_with_their_scan(tab, controls) -> None:
    session, model = controls.session, tab.model
    model.add(BALL, "Lesion")
    session.show_file(replace(image(), patient="B", frame_of_reference="1.2.3"), "b.h5")
    assert model.regions == ()
    assert [(title, len(found.regions)) for title, found in model.others()] == [("a.h5", 1)]
    session.show_file(image(), "a again.h5")
    assert [each.name for each in model.regions] == ["Lesion"]
    session.show_file(replace(image(3.0), frame_of_reference="1.2.3"), "c.h5")
    assert model.regions == ()
    _, found = model.others()[0]
    model.copy_regions(found, image())
    assert model.regions[0].shape == BALL
    session.show_file(replace(image(), patient="B", frame_of_reference="1.2.3"), "b.h5")
    assert [each.name for each in model.regions] == ["Lesion"]


def test_frames_of_a_file_without_identity_share_their_regions(tab, controls) -> None:
    times = (TimeFrame(0, 500), TimeFrame(1000, 1500))
    frames = [FrameVolume(each, image(k)) for k, each in enumerate(times, 2)]
    controls.session.show_file(image(), "frames.h5", frames=frames)
    tab.model.add(BALL, "Lesion")
    controls.session.run.select(0)
    assert controls.session.view.volume is frames[0].volume
    assert [each.name for each in tab.model.regions] == ["Lesion"]
    controls.session.show_file(image(9.0), "other.h5")
    assert tab.model.regions == ()


def test_motion_corrected_volume_has_separate_regions(tab, controls) -> None:
    known = replace(image(), frame_of_reference="1.2.3")
    unmoved = OpenVolume("a", "a", "input", known, Origin.of(known))
    moved = replace(unmoved, motion=RigidMotion())
    marks = [ScanMarks(controls.session).of(each) for each in (unmoved, moved)]
    assert not set(marks[0]) & set(marks[1])


def test_files_of_two_patients_do_not_share_regions() -> None:
    model = RegionModel()
    model.follow(replace(image(), patient="A"), ("data:a",), "one")
    model.add(BALL, "Lesion")
    model.follow(replace(image(), patient="B"), ("data:b",), "two")
    assert model.are_of_other_patient("one")
    assert not model.are_of_other_patient("two")


def test_views_are_notified_when_regions_are_read_from_disk() -> None:
    model, n_regions = RegionModel(), []
    model.follow(image(), ("print:a",), "one")
    model.changed.connect(lambda: n_regions.append(len(model.regions)))
    marks = ("data:a", "print:a")
    stored = model.current.model_copy(
        update={"regions": (Region(name="Old", shape=BALL),), "scans": marks}
    )
    model.follow(image(), marks, "one", stored)
    assert n_regions == [1]


def test_further_marks_of_the_scan_leave_undo_intact() -> None:
    model = RegionModel()
    model.follow(image(), ("print:a",), "one")
    model.add(BALL, "Lesion")
    model.follow(image(), ("print:a", "data:a"), "one")
    assert model.can_undo and model.current.scans == ("print:a", "data:a")
    model.undo()
    assert model.regions == () and model.current.scans == ("print:a", "data:a")


def test_deleted_regions_stay_deleted_while_the_marks_of_the_scan_grow(
    qtbot, controls, monkeypatch
) -> None:
    """A thread removes their file, possibly after the next change."""
    shown = [of_scan("one")]
    monkeypatch.setattr(type(controls.session.volumes), "base", property(lambda _: shown[-1]))
    model, storage = controls.session.regions, RegionStorage(controls.context)
    storage.follow()
    model.add(BALL, "Lesion")
    storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    late = []
    monkeypatch.setattr(controls.commands, "run_task", lambda work, *_, **__: late.append(work))
    model.remove("Lesion")
    shown.append(of_scan("one", "its digest"))
    storage.follow()
    assert model.regions == () and len(model.current.scans) == 3
    shown.append(of_scan("two"))
    storage.follow()
    shown.append(of_scan("one", "its digest"))
    storage.follow()
    assert model.regions == () and model.can_undo
    for work in late:
        work(None)
    assert not list(storage.file_of("").parent.glob("*.toml"))


def test_an_older_write_of_regions_does_not_replace_a_newer_one(tmp_path: Path) -> None:
    writes, path = RegionWrites(), tmp_path / "scan.regions.toml"
    drawn = RegionSet(scans=("data:1",), regions=(Region(name="Lesion", shape=BALL),))
    older, newer = writes.later(drawn, path), writes.later(RegionSet(scans=("data:1",)), path)
    newer()
    older()
    assert not path.exists()


def test_regions_return_when_the_scan_is_opened_again(qtbot, tab, controls) -> None:
    tab.model.add(BALL, "Lesion")
    tab.storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    other = RegionModel()
    controls.session.regions = other
    storage = RegionStorage(controls.context)
    storage.follow()
    assert [each.shape for each in other.regions] == [BALL]
    assert not other.can_undo


def of_scan(fingerprint: str, digest: str = "") -> OpenVolume:
    """Return an image of a scan at a path that two patients use one after the other."""
    origin = Origin("/export/scan.l", digest, fingerprint=fingerprint)
    return OpenVolume("image", "Image", "image", image(), origin)


def test_a_path_alone_leads_to_no_regions(qtbot, controls, monkeypatch) -> None:
    """The scanner overwrites the file with the next patient's scan, which once got the regions."""
    shown = [of_scan("one")]
    monkeypatch.setattr(type(controls.session.volumes), "base", property(lambda _: shown[-1]))
    model, storage = controls.session.regions, RegionStorage(controls.context)
    storage.follow()
    model.add(BALL, "Lesion")
    storage.save()
    for other in (of_scan("two"), of_scan("two", "digest 2")):
        shown.append(other)
        storage.follow()
        assert model.regions == ()
    model.add(BALL, "Of the second patient")
    storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    controls.session.regions = later = RegionModel()
    later_storage = RegionStorage(controls.context)
    for known, name in (("one", "Lesion"), ("two", "Of the second patient")):
        shown.append(of_scan(known))
        later_storage._model = later
        later_storage.follow()
        assert [each.name for each in later.regions] == [name]


@pytest.mark.parametrize(
    ("scans", "marks", "is_same"),
    [
        (("scan:a",), ("scan:a",), True),  # the content is unknown
        (("scan:a", "data:1"), ("scan:a", "data:2"), False),
        (("scan:a", "data:1"), ("scan:a",), False),
        (("scan:a", "data:1"), ("scan:a", "print:1"), False),
        (
            ("scan:a", "data:1"),
            ("scan:b", "data:1", "print:1"),
            True,
        ),  # written by an earlier version
        (("scan:a", "data:1", "print:1"), ("scan:a", "data:1", "print:2"), False),  # same header
        (("scan:a", "print:1"), ("scan:b", "print:1"), True),
        (("data:1",), ("data:1", "frame:1"), True),
        (("frame:1", "print:1"), ("frame:1",), True),
        (("data:1", "values:1"), ("data:1", "values:2"), False),  # two patients, same header
        (("data:1", "values:1", "values:3"), ("data:1", "values:1", "values:2"), True),
        (("data:1",), ("data:1", "values:2"), True),  # written by an earlier version
    ],
)
def test_regions_belong_to_the_content_of_a_scan(scans, marks, is_same: bool) -> None:
    assert RegionSet(scans=scans).is_of(marks) is is_same
    assert RegionSet(scans=marks).is_of(scans) is is_same


@pytest.mark.parametrize(
    ("scans", "values", "warns"),
    [
        (("data:1",), ("2",), True),
        (("data:1",), (), False),  # the digest is that of the whole scan
        (("data:1", "values:2"), ("2",), False),
        (("data:1", "print:3"), ("2",), False),
    ],
)
def test_regions_matched_by_header_only_give_a_warning(
    controls, monkeypatch, scans, values, warns: bool
) -> None:
    origin = Origin("/export/scan.hdr", "1", fingerprint="3", values=values)
    shown = OpenVolume("image", "Image", "image", image(), origin)
    monkeypatch.setattr(type(controls.session.volumes), "base", property(lambda _: shown))
    storage, problems = RegionStorage(controls.context), []
    controls.session.problem_raised.connect(problems.append)
    earlier = RegionSet(scans=scans, regions=(Region(name="Old", shape=BALL),))
    write_for_scan(earlier, storage.file_of(scans[0]))
    storage.follow()
    storage.follow()
    assert [each.name for each in controls.session.regions.regions] == ["Old"]
    texts = [each.text for each in problems]
    assert ["equal for two patients" in text for text in texts] == [True] * warns


def test_damaged_region_file_is_reported_once_and_never_overwritten(qtbot, tab, controls) -> None:
    tab.model.add(BALL, "Lesion")
    tab.storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    path = tab.storage.file_of(tab.model.current.scans[0])
    damaged = path.read_bytes()[:40]
    path.write_bytes(damaged)
    problems = []
    controls.session.problem_raised.connect(problems.append)
    controls.session.regions = RegionModel()
    storage = RegionStorage(controls.context)
    storage.follow()
    (problem,) = problems
    assert path.name in problem.text and "not a valid TOML file" in problem.text
    assert "do not overwrite" in problem.safe
    controls.session.regions.add(BALL, "Again")
    storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    (renamed,) = path.parent.glob("*.damaged.regions.toml")
    assert renamed.read_bytes() == damaged
    assert [each.name for each in read_regions(path).regions] == ["Again"]
    assert any(renamed.name in line.text for line in controls.session.log)
    storage.follow()
    assert len(problems) == 1


def test_regions_return_from_the_result_if_their_file_is_damaged(
    qtbot, controls, small_study, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    session, storage = controls.session, RegionStorage(controls.context)
    stored = Results().keep(NewResult(small_study, image(), {"axes": "LPS"}))
    record = RunRecord("small", small_study, result_id=stored.id)
    session.show_result(record, "final", image())
    session.regions.add(BALL, "Lesion")
    storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    storage.file_of(session.regions.current.scans[0]).write_text("[")
    session.regions = RegionModel()
    RegionStorage(controls.context).follow()
    assert [each.name for each in session.regions.regions] == ["Lesion"]


@pytest.mark.parametrize("is_own", [True, False])
def test_regions_of_an_earlier_version_appear_during_a_run(
    qtbot, controls, long_study, is_own: bool
) -> None:
    """Their file states the digest of the scan, but no fingerprint."""
    session, storage = controls.session, RegionStorage(controls.context)
    digest = hashlib.sha256(long_study.data.read_bytes()).hexdigest() if is_own else "0" * 64
    path = f"scan:{pseudonym_of(long_study.data)}"
    earlier = RegionSet(scans=(path, f"data:{digest}"), regions=(Region(name="Old", shape=BALL),))
    write_for_scan(earlier, storage.file_of(path))
    controls.runner.source = engine_sources.slow
    controls.commands.open_study(long_study)
    ready = lambda: not (session.obstacle() or controls.commands.is_busy)  # noqa: E731
    qtbot.waitUntil(ready, timeout=PATIENCE_MS)
    controls.runner.start()
    record = lambda: session.run.record  # noqa: E731
    qtbot.waitUntil(lambda: bool(record().inputs), timeout=PATIENCE_MS)
    n_regions = record().latest
    qtbot.waitUntil(lambda: record().latest is not n_regions, timeout=PATIENCE_MS)
    assert session.run.state.is_active
    assert [each.name for each in session.regions.regions] == (["Old"] if is_own else [])
    controls.runner.abort()
    qtbot.waitUntil(lambda: controls.runner.job is None, timeout=PATIENCE_MS)


@pytest.fixture
def two_results(controls, small_study, tmp_path, monkeypatch) -> list[RunRecord]:
    """Return the records of results of two scans, the first of which is displayed."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    records = []
    for name in ("first", "second"):
        fingerprints = {"data": name}
        study = small_study.model_copy(update={"fingerprints": fingerprints})
        stored = Results().keep(NewResult(study, image(), {"axes": "LPS"}))
        records.append(RunRecord(name, study, result_id=stored.id))
    return records


def regions_with(record: RunRecord) -> list[str]:
    """Return the names of the regions in the folder of a result."""
    path = regions_file_of(Results().open(record.result_id).folder / VOLUME)
    return [each.name for each in read_regions(path).regions] if path.exists() else []


def test_regions_are_stored_with_their_own_result(qtbot, controls, two_results) -> None:
    """Another result can be opened before the last change is stored."""
    session, storage = controls.session, RegionStorage(controls.context)
    one, other = two_results
    session.show_result(one, "final", image())
    session.regions.add(BALL, "Of the first")
    session.show_result(other, "final", image())
    assert session.regions.regions == ()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    assert (regions_with(one), regions_with(other)) == (["Of the first"], [])
    session.regions.add(BALL, "Of the second")
    storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    assert (regions_with(one), regions_with(other)) == (["Of the first"], ["Of the second"])


def test_regions_of_another_volume_stay_out_of_the_result(qtbot, controls, two_results) -> None:
    session, storage = controls.session, RegionStorage(controls.context)
    one, _ = two_results
    session.show_result(one, "final", image())
    session.regions.add(BALL, "Of the result")
    storage.save()
    origin = Origin(fingerprint="third", patient="C")
    session.volumes.add(OpenVolume("file:c", "c.h5", "file", image(2.0), origin))
    session.volumes.set_base("file:c")
    session.regions.add(BALL, "Of the file")
    storage.save()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    folder = Results().open(one.result_id).folder
    assert regions_with(one) == ["Of the result"]
    assert len(list(folder.glob("*.regions.toml"))) == 1


def test_regions_are_flipped_for_a_scan_with_reversed_z(tab, controls) -> None:
    model = tab.model
    model.add(BALL, "Lesion")
    over = replace(image(), info={"axes": "LPI"})
    model.follow(over, model.current.scans, "a.h5")
    assert model.regions[0].shape.centre_mm == (4, 0, -1)
    model.follow(image(), model.current.scans, "a.h5")
    assert model.regions[0].shape == BALL


def test_regions_are_combined_frozen_and_thresholded(tab, controls) -> None:
    model = tab.model
    first = model.add(BALL, "Ball")
    second = model.add(BoxRegion(centre_mm=(4, 0, 1), size_mm=(8, 8, 8)), "Box")
    model.choose(first, second)
    model.combine("minus")
    assert isinstance(model.chosen_region.shape, CombinedRegion)
    model.choose(first)
    tab.numbers.rule.setCurrentIndex(tab.numbers.rule.findData("percent_of_max"))
    tab.numbers.rule.activated.emit(0)
    shape = model.chosen_region.shape
    assert isinstance(shape, ContourRegion)
    assert (shape.level, shape.within) == (41.0, BALL)
    tab.numbers.level.lineEdit().setText("95")
    tab.numbers.level.edited.emit()
    for typed in ("abc", "nan", ""):
        tab.numbers.level.lineEdit().setText(typed)
        tab.numbers.level.edited.emit()
        assert model.chosen_region.shape.level == 95 and tab.numbers.level.text() == "95"
    model.freeze(first, image())
    mask = model.chosen_region.shape.mask
    assert mask.sum() == (shape.model_copy(update={"level": 95.0}).coverage(image()).share).sum()


def test_typed_numbers_move_and_resize_a_region(tab) -> None:
    tab.model.add(BoxRegion(centre_mm=(4, 0, 1), size_mm=(8, 8, 8)), "Box")
    for box, text in ((tab.numbers.middle[1], "-6,5"), (tab.numbers.sizes[2], "12")):
        box.lineEdit().setText(text)
        box.edited.emit()
    shape = tab.model.regions[0].shape
    assert (shape.centre_mm, shape.size_mm) == ((4, -6.5, 1), (8, 8, 12))
    for box in (*tab.numbers.middle, *tab.numbers.sizes):
        for text in ("nan", "inf", "-1e999", "?"):
            box.lineEdit().setText(text)
            box.edited.emit()
            assert tab.model.regions[0].shape == shape, (box.accessibleName(), text)


def test_names_of_regions_stay_readable_in_a_narrow_table(qtbot, tab) -> None:
    for name in ("Lesion A", "Lesion B"):
        tab.model.add(BALL, name)
    table = tab.list
    hidden = []
    tab.show()
    for width in (640, 320, 260, 200, 640):
        tab.resize(width, 700)
        qtbot.wait(60)  # the layout follows in a later turn of the event loop
        space = table.columnWidth(0)
        if table.viewport().width() >= 240:
            assert space >= MIN_NAME_PX, width
        hidden.append({k for k in DISPENSABLE if table.isColumnHidden(k)})
        assert not table.isColumnHidden(MEAN)
    assert hidden[0] == hidden[-1] == set(), "a wide table shows everything again"
    assert hidden[1] <= hidden[2] <= hidden[3] and PEAK not in hidden[1]


def test_duplicate_region_name_is_refused_with_a_message(tab) -> None:
    tab.model.add(BALL, "A")
    tab.model.add(BALL, "B")
    tab.list.topLevelItem(1).setText(0, "A")
    assert [each.name for each in tab.model.regions] == ["A", "B"]
    assert "Another region is already named 'A'" in tab.note.text()
    tab.list.topLevelItem(1).setText(0, "=B")
    assert "formula" in tab.note.text()
    tab.list.topLevelItem(1).setText(0, "C")
    assert [each.name for each in tab.model.regions] == ["A", "C"]


def test_measuring_pauses_for_a_hundred_times_its_duration_during_a_run(qtbot, controls) -> None:
    live = RegionFollower(controls.context)
    controls.session.show_file(image(), "a.h5")
    controls.session.regions.follow(image(), ("data:a",), "a")
    controls.session.regions.add(BALL, "Ball")
    with qtbot.waitSignal(live.measured):
        live.want(True)
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    controls.session.run.set_state(RunState.RUNNING)
    live._report_found(replace(live.found, cost_s=20.0))
    live.refresh_soon()
    assert 1_900_000 < live._soon.interval() <= 2_100_000  # holds on a busy machine, too
    controls.session.run.set_state(RunState.IDLE)


def test_new_images_are_measured_in_turns_until_all_are_done(monkeypatch) -> None:
    monkeypatch.setattr("app.analysis.regions.live_figures.TURN_S", -1.0)
    region, means = Region(name="A", shape=BALL), KnownMeans()
    retained = [(float(k), image(k)) for k in (1, 2)]
    means.of(region, retained[0][1])
    found = found_in([region], image(), "", retained, means)
    assert ([at for at, _, _ in found.curves["A"]], found.is_whole) == ([1.0], False)
    monkeypatch.setattr("app.analysis.regions.live_figures.TURN_S", 60.0)
    found = found_in([region], image(), "", retained, means)
    assert found.is_whole
    assert [mean for _, mean, _ in found.curves["A"]] == pytest.approx([54, 108], rel=1e-3)
    assert all(np.isnan(sd) for _, _, sd in found.curves["A"])


def test_curves_show_iterations_or_frames(controls) -> None:
    last = StoredImage("iteration 2, subset 1", image(), (2, 1), 3)
    complete = [StoredImage(f"iteration {k}", image(k), (k, 2), 3) for k in (1, 2)]
    assert [at for at, _ in images_by_position([*complete, last])] == [1, 2]
    frames = [
        StoredImage(f"frame {k}", image(), (k, 1), 2, TimeFrame(k * 1000, k * 1000 + 500))
        for k in (0, 1)
    ]
    assert [at for at, _ in images_by_position([*frames, StoredImage("all frames", image())])] == [
        0.25,
        1.25,
    ]


def test_regions_are_saved_with_the_study_and_never_applied_to_another_scan(
    tab, controls, tmp_path
) -> None:
    session, model = controls.session, tab.model
    model.add(BALL, "Lesion")
    save_next_to(session, tmp_path / "study.toml")
    stored = read_regions(tmp_path / "study.regions.toml")
    assert stored == model.current
    session.opened_from = tmp_path / "study.toml"
    assert read_regions(stored_file(session)) == stored
    session.regions.follow(image(), ("data:other",), "other")
    session.regions.add(BALL, "Other")
    with pytest.raises(OutputError, match="another scan"):
        save_next_to(session, tmp_path / "study.toml")
    assert read_regions(tmp_path / "study.regions.toml") == stored
    (tmp_path / "study.regions.toml").write_text("[")
    with pytest.raises(OutputError, match=r"without its regions.*Reason: .*not a valid TOML"):
        save_next_to(session, tmp_path / "study.toml")
    assert (tmp_path / "study.regions.toml").read_text() == "["


def test_study_is_saved_with_the_regions_of_its_own_scan(controls, small_study, tmp_path) -> None:
    session, path = controls.session, tmp_path / "study.regions.toml"
    session.study.inputs["data"] = Input(str(small_study.data), fingerprint="own")
    session.regions.follow(image(), ("print:own",), "own")
    session.regions.add(BALL, "Own")
    session.regions.follow(image(), ("print:other",), "a result of another scan")
    session.regions.add(BALL, "Other")
    save_next_to(session, tmp_path / "study.toml")
    assert [each.name for each in read_regions(path).regions] == ["Own"]
    path.unlink()
    session.study.inputs["data"] = Input(str(small_study.data), fingerprint="third")
    save_next_to(session, tmp_path / "study.toml")
    assert not path.exists()
    earlier = ("data:digest", f"scan:{pseudonym_of(small_study.data)}")
    session.regions.follow(image(), earlier, "a result of an earlier version")
    session.regions.add(BALL, "Earlier")
    save_next_to(session, tmp_path / "study.toml")
    assert [each.name for each in read_regions(path).regions] == ["Earlier"]


def shown_texts(tab: RegionsTab) -> list[str]:
    return [label.text() for label in tab.findChildren(QLabel)]


def visible_texts(tab: RegionsTab) -> list[str]:
    return [label.text() for label in tab.findChildren(QLabel) if label.isVisible()]


@pytest.mark.parametrize(
    ("factor", "words"), [(1.02, "not significant, p ="), (1.5, "significant, p < 0.001")]
)
def test_error_map_shows_which_of_two_lesions_differs(
    qtbot, tab, controls, rng, factor, words
) -> None:
    values = np.full(GRID.shape, 50, np.float32)
    values[:, :, 20:] *= np.float32(factor)
    # All voxels of a half have the same noise, with a standard deviation of 2.
    halves = np.repeat(rng.normal(0, 2, (20, 2)), 20, axis=1).astype(np.float32)
    error = ErrorMap.of(values, [values + half for half in halves], seed=1)
    controls.session.show_file(Volume(values, GRID, "Bq/mL", error=error), "a.h5")
    for x, name in ((-20, "Left"), (20, "Right")):
        controls.session.regions.add(SphereRegion(centre_mm=(x, 0, 1), diameter_mm=10), name)
    controls.session.regions.choose("Right")
    tab.show()

    qtbot.waitUntil(lambda: "Significance (95 %)" in shown_texts(tab), timeout=PATIENCE_MS)

    texts = shown_texts(tab)
    assert any(text.startswith(words) for text in texts)
    verdict = tab.verdict.text()
    assert verdict.startswith("Right − Left: ") and "95" in verdict
    assert verdict.endswith(f", {words.partition(',')[0]}")
    spread = np.std(halves[:, 39], ddof=1)
    for name in ("Mean", "Minimum", "Maximum"):
        mean, sign, sd, unit = texts[texts.index(name) + 1].split()
        assert (sign, unit) == ("±", "Bq/mL")
        assert float(mean) == pytest.approx(50 * factor, abs=0.06)
        assert float(sd) == pytest.approx(spread, rel=0.05)
    value, _, error, _ = texts[texts.index("Total") + 1].split()
    assert float(error) / float(value) == pytest.approx(spread / (50 * factor), rel=0.05)
    assert "1 standard deviation of the noise, from 20 replicates" in texts
    assert tab.legend.text() == "± 1 standard deviation of the noise, from 20 replicates"
    assert texts[texts.index("Test") + 1] == "paired t test over 20 replicates"
    assert texts[texts.index("Means compared") + 1] == "Right − Left"
    assert tab.list.topLevelItem(1).text(1) == f"{50 * factor:.0f} ± {spread:.0f}"


def noisy(values: np.ndarray, shifts: np.ndarray, seed: int = 1) -> Volume:
    """Return an image with a common shift in each replicate."""
    error = ErrorMap.of(values, [values + np.float32(s) for s in shifts], seed=seed, counts="a")
    return Volume(values, GRID, "Bq/mL", error=error)


@pytest.mark.parametrize(
    ("scan", "sd", "words", "noise"),
    [
        ("/other.h5", np.hypot(2, 3), "not significant, p =", "independent (two scans)"),
        ("", np.hypot(2, 3), "not significant, p =", "treated as independent"),
        ("/own.h5", 1.0, "significant, p < 0.001", "the same counts, compared by replicate"),
    ],
)
def test_lesion_is_compared_with_the_second_volume(
    qtbot, tab, controls, rng, scan, sd, words, noise
) -> None:
    """Both images have the same noise, times 2 and 3: a difference within one scan leaves 1."""
    shifts = rng.normal(0, 1, 20)
    shifts /= shifts.std(ddof=1)
    values = np.full(GRID.shape, 50, np.float32)
    session = controls.session
    session.show_file(noisy(values, 2 * shifts), "a.h5")
    own = session.volumes.image
    session.volumes.take_image(replace(own, origin=Origin(scan="/own.h5")))
    later = noisy(values - np.float32(5), 3 * shifts)
    session.volumes.add(OpenVolume("later", "later.h5", "file", later, Origin(scan=scan)))
    session.regions.add(BALL, "Lesion")
    session.regions.add(BALL.model_copy(update={"diameter_mm": 10}), "Other")
    session.regions.choose("Lesion")
    session.volumes.set_overlay("later")
    tab.show()

    title = "Change from a.h5 to later.h5"
    qtbot.waitUntil(lambda: title in visible_texts(tab), timeout=PATIENCE_MS)

    texts = visible_texts(tab)
    mean, _, error, _ = texts[texts.index("Mean in later.h5") + 1].split()
    assert (float(mean), float(error)) == (pytest.approx(45), pytest.approx(3, rel=0.02))
    value, _, error, unit = texts[texts.index("Difference of the means") + 1].split()
    assert unit == "Bq/mL"
    assert (float(value.replace("−", "-")), float(error)) == (
        pytest.approx(-5),
        pytest.approx(sd, rel=0.02),
    )
    assert texts[texts.index("Significance (95 %)") + 1].startswith(words)
    assert texts[texts.index("Noise") + 1] == noise
    is_paired = scan == "/own.h5"
    test = "paired t test over 20" if is_paired else "Welch’s t test, 20 and 20"
    assert texts[texts.index("Test") + 1] == f"{test} replicates"
    # Quantiles of Student's t with 19 and 33.1 degrees of freedom.
    half = sd * (2.093 if is_paired else 2.034)
    interval = f"{-5 - half:.0f} to {-5 + half:.0f}".replace("-", "−")
    verdict = f"later.h5 − a.h5: −5 ± {sd:.0f} Bq/mL (−10 %), 95 %: {interval}, "
    shown = tab.verdict.text().replace("\N{NO-BREAK SPACE}", " ")
    # The verdict covers both regions, whichever is selected.
    assert shown.splitlines() == [
        f"{name}: {verdict}{words.partition(',')[0]}" for name in ("Lesion", "Other")
    ]
    changes = [tab.list.topLevelItem(row).text(2) for row in range(2)]
    assert changes == [f"−5 ± {sd:.0f}" + " *" * is_paired] * 2
    assert tab.list.headerItem().text(2) == "Change\nBq/mL" and not tab.list.isColumnHidden(2)
    assert tab.image.full_text == "Mean 1: a.h5. Mean 2: later.h5."
    assert tab.legend.text().startswith("± 1 standard deviation of the noise, from")
    assert tab.list.headerItem().text(1) == "Mean 1\nBq/mL"
    assert tab.list.headerItem().text(SECOND) == "Mean 2\nBq/mL"
    means = [tab.list.topLevelItem(row).text(SECOND) for row in range(2)]
    assert means == ["45 ± 3"] * 2
    assert tab.legend.text().endswith("; * significant (95 %, each region)")
    session.volumes.set_overlay("")
    qtbot.waitUntil(lambda: title not in visible_texts(tab), timeout=PATIENCE_MS)
    assert "Noise" not in visible_texts(tab)
    assert tab.verdict.text().startswith("Lesion − Other: ")
    assert tab.list.isColumnHidden(2) and tab.list.isColumnHidden(SECOND)
    assert tab.image.full_text == "Values in a.h5"
    assert tab.list.headerItem().text(1) == "Mean\nBq/mL"


def test_menu_is_next_to_undo_and_does_not_widen_the_tab(qtbot, tab) -> None:
    tab.resize(340, 700)
    tab.show()
    for _ in range(2):
        assert tab.more.isVisible() and tab.more.accessibleName() == "More"
        assert tab.more.y() == tab.undo.y() and tab.more.width() <= 2 * tab.undo.width()
        tab.model.add(BALL, "Lesion")


def test_long_unit_fits_the_table_header(qtbot, tab, controls) -> None:
    tab.model.add(BALL, "Lesion")
    tab.show()
    qtbot.waitUntil(lambda: tab.list.headerItem().text(1) == "Mean\nBq/mL", timeout=PATIENCE_MS)
    weak = Volume(image().values * np.float32(1e-6), GRID, "counts/mm")
    controls.session.show_file(weak, "a.h5")
    unit = controls.session.view.shown_unit
    qtbot.waitUntil(lambda: tab.image.full_text == f"Values in a.h5 [{unit}]", timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: tab.list.headerItem().text(1) == "Mean", timeout=PATIENCE_MS)


def test_both_means_are_shown_without_error_maps(qtbot, tab, controls) -> None:
    session, values = controls.session, np.full(GRID.shape, 50, np.float32)
    session.show_file(Volume(values, GRID, "Bq/mL"), "a.h5")
    session.regions.add(BALL, "Lesion")
    for name, unit in (("b.h5", "Bq/mL"), ("c.h5", "HU")):
        other = Volume(values + np.float32(7), GRID, unit)
        session.volumes.add(OpenVolume(name, name, "file", other))
    session.volumes.set_overlay("b.h5")
    tab.show()
    table = tab.list
    qtbot.waitUntil(lambda: not table.isColumnHidden(SECOND), timeout=PATIENCE_MS)
    item = table.topLevelItem(0)
    assert (item.text(1), item.text(SECOND)) == ("50", "57")
    head = table.header()
    assert head.visualIndex(SECOND) == head.visualIndex(1) + 1, (
        "the second mean is not next to the first"
    )
    assert table.isColumnHidden(2), "the column of changes is visible without errors"
    assert tab.image.full_text == "Mean 1: a.h5. Mean 2: b.h5."
    session.volumes.set_overlay("c.h5")
    qtbot.waitUntil(lambda: table.isColumnHidden(SECOND), timeout=PATIENCE_MS)


def test_selecting_a_region_moves_the_crosshair_to_it(tab, controls) -> None:
    model, view = controls.session.regions, controls.session.view
    for x in (-20, 20):
        model.add(SphereRegion(centre_mm=(x, 4, 1), diameter_mm=10), "Lesion")
    before = view.cursor_mm
    model.choose("Lesion")
    assert view.cursor_mm == before, "selecting a region in a slice moved the crosshair"
    tab.list.setCurrentItem(tab.list.topLevelItem(1))
    assert model.chosen == ("Lesion 2",) and view.cursor_mm == (20, 4, 1)
    tab.list.selectAll()
    tab.list.setCurrentItem(tab.list.topLevelItem(0))
    assert view.cursor_mm == (-20, 4, 1)


def test_tab_states_why_two_volumes_cannot_be_compared(qtbot, tab, controls, rng) -> None:
    values, session = np.full(GRID.shape, 50, np.float32), controls.session
    session.show_file(noisy(values, rng.normal(0, 1, 9)), "a.h5")
    session.regions.add(BALL, "Lesion")
    session.regions.choose("Lesion")
    tab.show()
    later = noisy(values.copy(), rng.normal(0, 1, 9))
    moved = RigidMotion((3.0, 0.0, 0.0))
    session.volumes.add(OpenVolume("later", "later.h5", "file", later, motion=moved))
    session.volumes.set_overlay("later")
    why = "The second volume is rotated or moved, so regions are not compared in it."
    qtbot.waitUntil(lambda: why in visible_texts(tab), timeout=PATIENCE_MS)
    assert "Test" not in visible_texts(tab) and tab.verdict.text() == why
    assert tab.list.isColumnHidden(2)


def test_image_without_error_map_shows_no_errors(qtbot, tab) -> None:
    tab.model.add(BALL, "Lesion")
    tab.model.choose("Lesion")
    tab.show()

    qtbot.waitUntil(lambda: "Mean" in shown_texts(tab), timeout=PATIENCE_MS)
    assert not any("±" in text for text in shown_texts(tab))
    assert "±" not in tab.list.topLevelItem(0).text(1)


def test_means_of_frames_have_their_errors(rng) -> None:
    shifts = rng.normal(0, 2, 20)
    volume = image()
    replicates = [volume.values + np.float32(shift) for shift in shifts]
    error = ErrorMap.of(volume.values, replicates, seed=1)
    frames = [(1.0, replace(volume, error=error)), (2.0, volume)]
    found = found_in([Region(name="A", shape=BALL)], volume, "", frames, KnownMeans())
    (_, mean, sd), (_, other, unknown) = found.curves["A"]
    assert mean == other
    assert sd == pytest.approx(np.std(shifts, ddof=1), rel=0.01)
    assert np.isnan(unknown)


def test_contours_of_a_structure_set_are_measured_and_the_rule_is_stated(qtbot, tab, controls):
    ring = np.array([[-8.0, -8.0], [8.0, -8.0], [8.0, 8.0], [-8.0, 8.0]])
    contours = PlanarContours.of([ring, ring], [0.0, 2.0], 2.0)
    controls.session.regions.add(contours, "GTV")
    controls.session.regions.choose("GTV")
    tab.show()

    def shown() -> list[str]:
        return [label.text() for label in tab.findChildren(QLabel)]

    qtbot.waitUntil(lambda: "Rule" in shown(), timeout=PATIENCE_MS)
    assert (
        "mean and volume: weighted by voxel fraction; minimum and maximum: voxels with their "
        "centres inside" in shown()
    )
