"""Tests of the queue dialog: its list, its buttons, and their tooltips."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt

from app.workspace.queue.queue_dialog import RESTS, RUNS, QueueDialog
from app.workspace.queue.queue_text import describe_state
from engine.core import paths
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue import QueueEntry, StudyQueue
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.protocol_identity import identified
from engine.modalities.studies import Study


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyQueue:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    new_queue = StudyQueue()
    for name in "abc":
        (tmp_path / f"{name}.l").write_bytes(name.encode())
        new_queue.add(Study(data=tmp_path / f"{name}.l", protocol=ListModeProtocol()))
    return new_queue


@pytest.fixture
def dialog(qtbot, controls, queue: StudyQueue) -> QueueDialog:
    started: list[bool] = []
    controls.context.queue.start_runner = lambda queue: started.append(queue.settings.runs)
    new_dialog = QueueDialog(None, controls.context)
    new_dialog.started = started
    qtbot.addWidget(new_dialog)
    new_dialog.show()
    qtbot.waitUntil(lambda: new_dialog.list.count() == 3)
    yield new_dialog
    controls.context.queue._timer.stop()


def names(queue: StudyQueue) -> str:
    return "".join(entry.title[0] for entry in queue.entries())


def fail(queue: StudyQueue, id: str, text: str) -> None:
    queue.change(id, lambda now: now.model_copy(update={"state": "failed", "text": text}))


def test_queue_lists_waiting_studies_and_can_run_them(qtbot, dialog: QueueDialog, queue) -> None:
    assert dialog.message.text() == f"3 waiting. {RESTS}"
    assert dialog.run.isEnabled() and not dialog.pause.isEnabled()
    assert dialog.pause.toolTip() == "Select a study in the list."
    dialog.at_once.setCurrentIndex(dialog.at_once.findData(0))
    dialog.run.click()
    qtbot.waitUntil(lambda: dialog.message.text() == f"3 waiting. {RUNS}")
    assert queue.settings.runs and queue.settings.at_once == 0 and dialog.started[-1]
    assert dialog.run.text() == "Pause the queue"
    dialog.run.click()
    qtbot.waitUntil(lambda: dialog.message.text().endswith(RESTS))
    assert not queue.settings.runs


def test_queue_runs_in_the_order_of_the_list(qtbot, dialog: QueueDialog, queue) -> None:
    model = dialog.list.model()
    model.moveRow(QModelIndex(), 2, QModelIndex(), 0)  # like a drag
    qtbot.waitUntil(lambda: names(queue) == "cab")
    dialog.list.setCurrentRow(0)
    assert not dialog.up.isEnabled() and dialog.up.toolTip() == "This study is already first."
    qtbot.keyClick(dialog, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: names(queue) == "acb")
    qtbot.waitUntil(lambda: dialog.list.currentRow() == 1), "the same study stays chosen"


def test_study_is_paused_resumed_and_removed(qtbot, dialog: QueueDialog, queue) -> None:
    first = queue.entries()[0].id
    dialog.list.setCurrentRow(0)
    dialog.pause.click()
    qtbot.waitUntil(lambda: dialog.pause.text() == "Resume")
    assert queue.get(first).state == "paused"
    dialog.pause.click()
    qtbot.waitUntil(lambda: queue.get(first).state == "waiting")
    dialog.list.setFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: dialog.list.count() == 2)
    assert names(queue) == "bc"


def test_failed_study_shows_its_reason_and_can_be_retried(qtbot, dialog, controls, queue) -> None:
    problems: list[object] = []
    controls.session.problem_raised.connect(problems.append)
    second = queue.entries()[1].id
    fail(queue, second, "b.l: 0 events; nothing to reconstruct.")
    controls.context.queue.refresh()
    dialog.list.setCurrentRow(1)
    qtbot.waitUntil(lambda: dialog.reason.isVisible())
    assert dialog.reason.text() == "b.l: 0 events; nothing to reconstruct."
    assert dialog.message.text() == f"2 waiting, 1 failed. {RESTS}"
    assert [problem.title for problem in problems] == ["Queued study failed: b.l, Standard."]
    logged = controls.session.log[-1].text  # a pseudonym may end with "b"
    assert not re.search(r"\bb\.l", logged), "the log contains a file name"
    dialog.retry.click()
    qtbot.waitUntil(lambda: queue.get(second).state == "waiting")
    qtbot.waitUntil(lambda: not dialog.reason.isVisible())


def test_unreadable_queue_gives_one_sentence(qtbot, dialog, controls, queue) -> None:
    for file in queue.folder.glob("*.json"):
        file.unlink()
    (queue.folder / "a.json").mkdir()
    controls.context.queue.refresh()
    # A thread reads the folder; a busy machine can delay it.
    qtbot.waitUntil(lambda: "cannot be read" in dialog.message.text(), timeout=30_000)


def test_open_study_is_queued_with_its_settings(qtbot, dialog, controls, queue, small_study):
    assert controls.context.queue.obstacle() == "Open a scan first."
    controls.commands.open_study(small_study)
    qtbot.waitUntil(lambda: controls.context.queue.obstacle() == "")
    controls.context.queue.add()
    qtbot.waitUntil(lambda: len(queue.entries()) == 4)
    added = queue.entries()[-1]
    assert added.to_study().protocol == identified(small_study.protocol)
    assert added.memory_bytes > 0 and not added.on_gpu
    qtbot.waitUntil(lambda: dialog.list.count() == 4)


def test_state_of_a_study_is_described() -> None:
    now = datetime(2026, 11, 26, 3, 12, tzinfo=UTC)
    entry = QueueEntry(id="1", title="scan.l, Brain FDG", added_utc=now)
    in_progress = {
        "state": "running",
        "owner": Owner.current(),
        "doing": "Iterations",
        "done": 0.45,
    }
    for words, values in (
        ("Waiting", {}),
        ("Waiting to continue from its checkpoint", {"updates": 3}),
        ("Paused; will continue from its checkpoint", {"state": "paused", "updates": 3}),
        ("Iterations, 45 %", in_progress),
        ("Pausing …", in_progress | {"wish": "pause"}),
        ("Failed: no scan", {"state": "failed", "text": "no scan"}),
    ):
        assert describe_state(entry.model_copy(update=values)) == words
    dead = Owner.current().model_copy(update={"started_s": 1.0})
    left = entry.model_copy(update=in_progress | {"owner": dead})
    assert describe_state(left) == "Waiting to continue after its process ended unexpectedly"


def test_automatic_pause_states_its_reason(queue: StudyQueue) -> None:
    entry = queue.entries()[0].model_copy(update={"state": "paused", "updates": 3})
    assert describe_state(entry) == "Paused; will continue from its checkpoint"
    assert describe_state(entry.model_copy(update={"text": "No worker."})) == "Paused: No worker."
