"""Tests of unfinished work of a window, which the next window continues or offers."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from app.state.services.queueing.queue_intake import QueueAnswer
from engine.core.paths import HOME_VARIABLE, windows_dir
from engine.geometry import RingScanner
from engine.io import write_listmode
from engine.jobs import Loader, StudyQueue, WindowWork, WindowWorkFile
from engine.modalities import Study, digest_of
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.app.conftest import PATIENCE_MS, Controls
from tests.app.engine_in_thread import EngineInThread
from tests.farm.scans import write_crystal_map, write_safir


@pytest.fixture
def start(
    qtbot, qapp, preferences, loader: Loader, tmp_path, monkeypatch
) -> Callable[[], Controls]:
    """Start a window without widgets, which takes over the work of earlier windows."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))

    def started() -> Controls:
        window = Controls(preferences, loader)
        window.problems = []
        window.session.problem_raised.connect(
            lambda p: window.problems.append(f"{p.title} {p.text}")
        )
        window.context.queue.start_runner = lambda _: None
        window.context.unfinished.recover()
        qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
        return window

    return started


@pytest.fixture
def scans(tiny_ring, tmp_path: Path) -> tuple[Path, ...]:
    """Return scans of four patients with the same file name."""
    folders = [tmp_path / f"patient {k}" for k in range(4)]
    for seed, folder in enumerate(folders):
        folder.mkdir()
        write_scan(folder / "scan.h5", tiny_ring, seed)
    return tuple(folder / "scan.h5" for folder in folders)


def write_scan(path: Path, scanner: RingScanner, seed: int) -> None:
    """Write a scan; all files have the same size."""
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    data = simulate_listmode(phantom, scanner, n_prompts=20_000, seed=seed, attenuation=False)
    write_listmode(data, path)
    # Compressed sizes differ; readers ignore bytes after the end.
    path.write_bytes(path.read_bytes().ljust(400_000, b"\0"))


def close(controls: Controls) -> None:
    """Save unfinished work like the close event."""
    controls.commands.wait()
    controls.context.unfinished.close()


def settle(qtbot, controls: Controls) -> None:
    """Wait until all files are read and written."""
    intake = controls.context.queue.intake
    quiet = lambda: not (intake.is_busy or controls.commands.is_busy)  # noqa: E731
    qtbot.waitUntil(quiet, timeout=PATIENCE_MS)


def queued() -> list[Path]:
    """Return the scans in the queue."""
    return [entry.files[0] for entry in StudyQueue().entries()]


def test_unread_scans_of_a_closed_window_are_queued_by_the_next(qtbot, start, scans) -> None:
    first = start()
    first.context.queue.intake.add(scans)
    qtbot.waitUntil(lambda: first.context.queue.intake.done == 1, timeout=PATIENCE_MS)
    close(first)
    assert 1 <= len(queued()) < len(scans)
    second = start()
    settle(qtbot, second)
    assert queued() == list(scans)
    assert any("gets more scans" in text for text in second.problems)
    assert not any("could not be added" in text for text in second.problems), (
        "a scan was added twice"
    )
    close(second)
    assert list(windows_dir().iterdir()) == [], "files of a closed window remain"


def test_unsearched_files_of_a_closed_window_are_searched_by_the_next(qtbot, start, scans) -> None:
    first = start()
    first.context.queue.intake.add(scans)
    close(first)
    assert queued() == []
    second = start()
    settle(qtbot, second)
    assert queued() == list(scans)


def test_killed_window_loses_no_scan(qtbot, start, scans, monkeypatch) -> None:
    first = start()
    first.context.queue.intake.add(scans)
    qtbot.waitUntil(lambda: first.context.queue.intake.done == 1, timeout=PATIENCE_MS)
    # a killed window cannot save the interrupted reading
    first.context.queue.intake.blockSignals(True)
    first.commands.wait()
    assert len(queued()) < len(scans)
    waits = start()
    settle(qtbot, waits)
    assert len(queued()) < len(scans), "the work of an open window was taken over"
    close(waits)
    monkeypatch.setattr("engine.jobs.checkpoint.owner.Owner.alive", False)
    second = start()
    settle(qtbot, second)
    assert sorted(set(queued())) == sorted(scans)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGSTOP")
def test_scans_with_cancelled_reading_do_not_return(qtbot, start, scans, loader) -> None:
    first = start()
    intake = first.context.queue.intake
    intake.changed.connect(lambda: suspend() if intake.done == 1 else None)

    def suspend() -> None:
        intake.changed.disconnect()
        os.kill(loader.pid, signal.SIGSTOP)  # reading the second scan never ends
        QTimer.singleShot(200, first.commands.stop)

    intake.add(scans)
    qtbot.waitUntil(lambda: intake.done == 2, timeout=PATIENCE_MS)
    settle(qtbot, first)
    assert len(queued()) == 1
    close(first)
    second = start()
    settle(qtbot, second)
    assert len(queued()) == 1


def test_answered_question_is_not_asked_again(qtbot, start, tiny_ring, tmp_path) -> None:
    scan = tmp_path / "scan.clm.safir"
    write_safir(scan, tiny_ring, seed=1)
    write_crystal_map(tmp_path / "places.txt", tiny_ring)
    first = start()
    first.context.queue.intake.add((scan,))
    settle(qtbot, first)
    entries = StudyQueue().entries()
    assert [entry.state for entry in entries] == ["asking"]
    answer = QueueAnswer(scanner=str(tmp_path / "places.txt"))
    first.context.queue.intake.answer(entries, answer)
    close(first)
    assert [entry.state for entry in StudyQueue().entries()] == ["asking"]
    second = start()
    settle(qtbot, second)
    (entry,) = StudyQueue().entries()
    assert entry.id == entries[0].id and entry.state == "waiting"
    assert entry.to_study().scanner == str(tmp_path / "places.txt")


def test_answer_to_a_removed_study_is_dropped(qtbot, start, tiny_ring, tmp_path) -> None:
    scan = tmp_path / "scan.clm.safir"
    write_safir(scan, tiny_ring, seed=1)
    write_crystal_map(tmp_path / "places.txt", tiny_ring)
    first = start()
    first.context.queue.intake.add((scan,))
    settle(qtbot, first)
    (entry,) = StudyQueue().entries()
    first.context.queue.intake.answer([entry], QueueAnswer(scanner=str(tmp_path / "places.txt")))
    close(first)
    StudyQueue().remove(entry.id)
    second = start()
    settle(qtbot, second)
    assert StudyQueue().entries() == []


def open_study(qtbot, controls: Controls, study: Study) -> None:
    controls.commands.open_study(study)
    opened = lambda: "data" in controls.session.study.inputs  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)


def edit(controls: Controls) -> None:
    """Change a setting as a form does."""
    protocol = controls.session.study.protocol
    algorithm = protocol.algorithm.model_copy(update={"iterations": 17})
    controls.session.study.set_protocol(protocol.model_copy(update={"algorithm": algorithm}))


def test_edited_settings_that_never_ran_are_offered_by_the_next_window(
    qtbot, start, small_study
) -> None:
    first = start()
    open_study(qtbot, first, small_study)
    edit(first)
    close(first)
    second = start()
    (offered,) = second.context.unfinished.left.edited
    assert offered.to_study().protocol.algorithm.iterations == 17
    second.context.unfinished.reopen(offered)
    reopened = lambda: not second.context.unfinished.left.edited  # noqa: E731
    qtbot.waitUntil(reopened, timeout=PATIENCE_MS)
    assert second.session.study.protocol.algorithm.iterations == 17
    assert second.session.study.to_study().data == small_study.data
    close(second)
    third = start()
    (offered,) = third.context.unfinished.left.edited  # it has still not run
    third.context.unfinished.drop_edited(offered)
    close(third)
    assert start().context.unfinished.left.edited == ()


def test_opening_another_scan_stores_the_edits_of_the_first(
    qtbot, start, scans, small_study
) -> None:
    """Opening another scan once dropped settings that never ran, without a message."""
    first, shown = start(), []
    first.session.problem_raised.connect(shown.append)
    one, other = (small_study.model_copy(update={"data": path}) for path in scans[:2])
    open_study(qtbot, first, one)
    edit(first)
    protocol = first.session.study.protocol
    first.commands.open_path(other.data)
    qtbot.waitUntil(lambda: opened_scan(first) == other.data, timeout=PATIENCE_MS)
    assert first.session.study.protocol.algorithm.iterations != 17
    assert first.session.study.edited is None
    (retained,) = first.context.unfinished.left.edited
    assert retained.to_study().data == one.data
    assert "The changed settings of scan.h5" in shown[-1].title and not shown[-1].is_fault
    shown[-1].answer.act()
    back = lambda: first.session.study.protocol.algorithm.iterations == 17  # noqa: E731
    qtbot.waitUntil(back, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not first.commands.is_busy, timeout=PATIENCE_MS)
    assert opened_scan(first) == one.data
    assert digest_of(first.session.study.protocol) == digest_of(protocol)
    assert first.context.unfinished.left.edited == () and first.session.study.edited is not None


def test_changed_settings_are_offered_when_their_scan_is_opened_again(
    qtbot, start, scans, small_study
) -> None:
    first, shown = start(), []
    first.session.problem_raised.connect(shown.append)
    open_study(qtbot, first, small_study.model_copy(update={"data": scans[0]}))
    edit(first)
    for path in scans[1:3]:
        first.commands.open_path(path)
        qtbot.waitUntil(lambda path=path: opened_scan(first) == path, timeout=PATIENCE_MS)
    assert len(shown) == 1, "opening an unedited scan gave a message"
    first.commands.open_path(scans[0])
    qtbot.waitUntil(lambda: opened_scan(first) == scans[0], timeout=PATIENCE_MS)
    assert first.session.study.protocol.algorithm.iterations != 17, (
        "settings were restored without a question"
    )
    assert shown[-1].title == "This scan has changed settings that never ran."
    first.context.unfinished.close()
    second = start()  # the next window repeats the offer
    shown.clear()
    second.session.problem_raised.connect(shown.append)
    second.commands.open_path(scans[0])
    qtbot.waitUntil(lambda: opened_scan(second) == scans[0], timeout=PATIENCE_MS)
    (offer,) = shown
    offer.answer.act()
    back = lambda: second.session.study.protocol.algorithm.iterations == 17  # noqa: E731
    qtbot.waitUntil(back, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not second.commands.is_busy, timeout=PATIENCE_MS)
    assert len(shown) == 1, "restored settings are offered again"
    assert second.context.unfinished.left.edited == ()


def test_edits_dropped_after_many_scans_are_logged(
    qtbot, start, scans, small_study, monkeypatch
) -> None:
    monkeypatch.setattr("engine.jobs.window_work.MAX_EDITS", 1)
    first = start()
    for path in scans[:2]:
        first.commands.open_path(path)
        qtbot.waitUntil(lambda path=path: opened_scan(first) == path, timeout=PATIENCE_MS)
        edit(first)
    first.commands.open_path(scans[2])
    qtbot.waitUntil(lambda: opened_scan(first) == scans[2], timeout=PATIENCE_MS)
    (retained,) = first.context.unfinished.left.edited
    assert retained.to_study().data == scans[1]
    (line,) = [each.text for each in first.session.log if "It has deleted" in each.text]
    assert scans[0].name not in line, "the log contains a file name"


def opened_scan(controls: Controls) -> Path | None:
    """Return the open scan, or None."""
    found = controls.session.study.inputs.get("data")
    return None if found is None else Path(found.value)


def test_study_without_changes_is_not_offered(qtbot, start, small_study) -> None:
    first = start()
    open_study(qtbot, first, small_study)
    edit(first)
    first.session.study.undo()
    close(first)
    assert start().context.unfinished.left.is_empty


def test_saved_and_queued_studies_are_not_offered(qtbot, start, small_study, tmp_path) -> None:
    first = start()
    open_study(qtbot, first, small_study)
    edit(first)
    assert first.session.study.edited is not None
    first.commands.save_study(tmp_path / "study.toml")
    assert first.session.study.edited is None
    protocol = first.session.study.protocol
    first.session.study.set_protocol(protocol.model_copy(update={"name": "Mine"}))
    assert first.session.study.edited is not None
    first.context.queue.add()
    settle(qtbot, first)
    assert first.session.study.edited is None


def test_finished_run_leaves_nothing_to_offer(qtbot, start, small_study) -> None:
    first = start()
    open_study(qtbot, first, small_study)
    edit(first)
    first.runner.engine = EngineInThread
    first.runner.start()
    qtbot.waitUntil(lambda: first.session.run.state.name == "FINISHED", timeout=PATIENCE_MS)
    assert first.session.study.edited is None
    first.runner.shut_down()
    close(first)


def test_edit_is_saved_while_the_window_is_open(qtbot, start, small_study) -> None:
    """A killed window cannot save its edits at the end."""
    first = start()
    open_study(qtbot, first, small_study)
    edit(first)

    def is_written() -> bool:
        files = list(windows_dir().glob("*.json"))
        return any(WindowWork.from_text(file.read_bytes()).edited for file in files)

    qtbot.waitUntil(is_written, timeout=PATIENCE_MS)


def test_damaged_file_is_named_and_preserved(qtbot, start, small_study) -> None:
    first = start()
    open_study(qtbot, first, small_study)
    edit(first)
    close(first)
    (file,) = windows_dir().glob("*.json")
    file.write_bytes(file.read_bytes().replace(b'"iterations', b'"iteration'))
    second = start()
    (problem,) = second.problems
    assert file.name in problem and "does not match the checksum" in problem
    assert file.with_suffix(".damaged").exists() and not file.exists()
    close(second)
    assert start().problems == [], "the damaged file was reported again"


def test_two_windows_do_not_take_over_the_same_work(tmp_path, small_study) -> None:
    work = WindowWork.model_validate({"unsent": [{"id": "1", "title": "a"}]})
    WindowWorkFile(tmp_path).write(work, closed=True)
    first = WindowWorkFile(tmp_path).recover()
    assert [each.id for each in first.work.unsent] == ["1"]
    assert WindowWorkFile(tmp_path).recover().work.is_empty
