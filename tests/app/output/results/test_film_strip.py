"""Tests of the film strip: results of one scan, named by differences, and compared."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent

from app.output.results.film_strip import GAP_PX, THUMBNAIL_PX
from app.state.models.result_list import ResultList
from app.state.models.run_record import RunState
from engine.data import Volume
from engine.results import NewResult, Result, Results
from engine.results.reports import sign
from tests.app.conftest import PATIENCE_MS


@pytest.fixture
def judged(qtbot, opened, window, small_study, tmp_path):
    """Return the window after two runs at different qualities of a scan used only here."""

    def run() -> None:
        n = len(window.session.results.items)
        window.runner.start()
        is_stored = lambda: len(window.session.results.items) > n and not window.commands.is_busy  # noqa: E731
        qtbot.waitUntil(lambda: window.session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
        qtbot.waitUntil(is_stored, timeout=PATIENCE_MS)

    scan = Path(shutil.copy(small_study.data, tmp_path / f"{tmp_path.name}.h5"))
    opened(small_study.model_copy(update={"data": scan}))
    run()
    assert not window.centre.strip.isVisible(), "the strip is visible for a single result"
    window.session.study.use_quality("fast")
    run()
    return window


def drop(strip, source: int, target: int) -> None:
    """Drop one result on another, as the mouse does."""
    model = strip.model()
    data: QMimeData = model.mimeData([model.index(source, 0)])
    place = QPointF(strip.visualRect(model.index(target, 0)).center())
    no_key, left_button = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    strip.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, data, left_button, no_key))


def test_results_of_the_scan_are_named_by_their_differences(qtbot, judged):
    strip = judged.centre.strip
    assert strip.isVisible()
    model = strip.model()
    names = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert len(names) == 2 and len(set(names)) == 2
    assert names[0].startswith("Fast") and strip.currentIndex().row() == 0, (
        "the newest result is not first"
    )
    strip.clicked.emit(model.index(1, 0))
    second = strip.results[1]
    run, commands = judged.session.run, judged.commands
    opened = lambda: run.record.result_id == second.id and not commands.is_busy  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    assert strip.currentIndex().row() == 1 and judged.pages.current == "judge"
    judged.pages.show("prepare")
    assert not strip.isVisible()


def test_dropping_a_result_on_another_compares_them(qtbot, judged):
    strip, volumes, fusion = (
        judged.centre.strip,
        judged.session.volumes,
        judged.session.view.fusion,
    )
    first, second = strip.results
    drop(strip, 1, 1)
    assert not fusion.has_values, "a result is not compared with itself"
    drop(strip, 1, 0)
    qtbot.waitUntil(lambda: fusion.has_values, timeout=PATIENCE_MS)
    assert volumes.base.key == "image", "the image of the run is the first result"
    assert volumes.overlay.key == f"result:{second.id}"
    assert fusion.mode == "compare", "the drop did not start a comparison"
    assert judged.centre.shows_views
    drop(strip, 0, 1)
    qtbot.waitUntil(lambda: volumes.overlay.key == f"result:{first.id}", timeout=PATIENCE_MS)
    assert volumes.base.key == f"result:{second.id}"


def test_click_on_the_compared_result_swaps_the_two(qtbot, judged):
    strip, volumes = judged.centre.strip, judged.session.volumes
    first, second = strip.results
    drop(strip, 1, 0)
    qtbot.waitUntil(
        lambda: volumes.overlay is not None and volumes.overlay.key == f"result:{second.id}",
        timeout=PATIENCE_MS,
    )
    strip.clicked.emit(strip.model().index(1, 0))
    swapped = lambda: volumes.overlay is not None and volumes.overlay.key != f"result:{second.id}"  # noqa: E731
    qtbot.waitUntil(swapped, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not judged.commands.is_busy, timeout=PATIENCE_MS)
    keys = {volumes.base.key, volumes.overlay.key}
    assert len(keys) == 2, "an image is compared with itself"
    assert volumes.overlay.key == f"result:{first.id}"


class DelayedRead:
    """Delays the reading of one result until `released` is set."""

    def __init__(self, monkeypatch, slow: Result) -> None:
        self.released, self.n_read, read = Event(), 0, Result.volume

        def late(result: Result) -> Volume:
            if result.id == slow.id:
                self.released.wait(PATIENCE_MS / 1000)
            self.n_read += 1
            return read(result)

        monkeypatch.setattr(Result, "volume", late)


def test_last_clicked_result_is_shown_although_another_is_read_later(qtbot, judged, monkeypatch):
    strip, run = judged.centre.strip, judged.session.run
    first, second = strip.results
    delay = DelayedRead(monkeypatch, second)
    judged.context.results.open(second)
    judged.context.results.open(first)
    qtbot.waitUntil(lambda: delay.n_read == 1, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "Result from" in run.record.opened, timeout=PATIENCE_MS)
    delay.released.set()
    qtbot.waitUntil(lambda: not judged.commands.is_busy, timeout=PATIENCE_MS)
    assert delay.n_read == 2 and run.record.result_id == first.id
    assert "is not shown" in judged.session.log[-1].text


def test_results_are_not_compared_once_another_image_is_open(qtbot, judged, monkeypatch):
    strip, volumes = judged.centre.strip, judged.session.volumes
    first, second = strip.results
    delay = DelayedRead(monkeypatch, second)
    drop(strip, 1, 0)
    judged.session.show_file(first.volume(), "other.nii")
    delay.released.set()
    qtbot.waitUntil(lambda: not judged.commands.is_busy, timeout=PATIENCE_MS)
    assert volumes.overlay is None and volumes.base.name == "other.nii"
    assert not judged.session.view.fusion.has_values


def test_judgement_is_marked_on_the_strip(qtbot, judged):
    strip, model = judged.centre.strip, judged.centre.strip.model()
    first, second = strip.results
    assert [model.judgement_of(row) for row in range(2)] == [None, None]
    before = strip.grab().toImage()
    sign(second, "A. Physicist", "acceptable")
    sign(first, "A. Physicist", "not acceptable", "The patient moved.")
    judged.context.results.refresh()
    qtbot.waitUntil(lambda: model.judgement_of(1) == "acceptable", timeout=PATIENCE_MS)
    assert model.index(1, 0).data().splitlines()[-1] == "Accepted"
    assert model.index(0, 0).data().splitlines()[-1] == "Rejected"
    after = strip.grab().toImage()
    corner = QPoint(strip.visualRect(model.index(1, 0)).left() + GAP_PX + THUMBNAIL_PX - 8, 15)
    ratio = strip.devicePixelRatioF()
    marked = [shot.pixelColor(corner * ratio) for shot in (before, after)]
    assert marked[0] != marked[1], "the corner of the thumbnail has no mark"


def test_results_of_another_scan_with_the_same_name_are_left_out(qtbot, judged):
    """Scanner exports often have equal names, and one file can replace another."""
    results, record = judged.session.results, judged.session.run.record
    own, digest = results.items[0], "0" * 64
    earlier = {"data": {"name": "scan", "sha256": digest}}
    known = {"data": "another scan"}
    for fingerprints, inputs in ((known, own.record.inputs), ({}, earlier)):
        study = record.study.model_copy(update={"fingerprints": fingerprints})
        Results().keep(NewResult(study, judged.session.image, {"axes": "LPS"}, inputs=inputs))
    moved = record.study.model_copy(update={"data": Path("/moved") / record.study.data.name})
    result = Results().keep(NewResult(moved, judged.session.image, {"axes": "LPS"}))
    n = len(results.items) + 3
    judged.context.results.refresh()
    qtbot.waitUntil(lambda: len(results.items) == n, timeout=PATIENCE_MS)
    assert sum(each.scan == own.scan for each in results.items) == 5
    shown = judged.centre.strip.results
    assert len(shown) == 3 and result.id in {each.id for each in shown}


def test_scans_of_results_are_not_read_in_the_thread_of_the_window(qtbot, judged, monkeypatch):
    """Each scan is in a file, and the results folder can be on a slow disk."""
    threads, read = set[Thread](), Result.study.func

    def noted(result: Result):
        threads.add(current_thread())
        return read(result)

    monkeypatch.setattr(Result, "study", property(noted))
    session = judged.session
    session.results = fresh = ResultList()
    fresh.scans_needed.connect(judged.context.results._read_scans)
    found = tuple(Results().newest_first())
    fresh.take(found, "", "")
    record = session.run.record
    asked = lambda: fresh.of_scan(record.study, record.known_inputs)  # noqa: E731
    assert asked() == ()
    qtbot.waitUntil(lambda: len(asked()) == 2, timeout=PATIENCE_MS)
    assert threads and main_thread() not in threads
