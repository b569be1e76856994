"""Tests of the questions of queued scans, their answers, and the choice of a protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from app.state.services.queueing.queue_intake import QueueAnswer
from app.workspace.queue.question_panel import choices_of
from app.workspace.queue.queue_dialog import QueueDialog
from engine.core import paths
from engine.jobs.queue import StudyQueue
from engine.jobs.queue.question import InputFile, Question
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study

QUESTIONS = (
    Question(kind="scanner", text="a.l: the scanner is not named.", format="SAFIR"),
    Question(kind="scanner", text="b.l: the scanner is not named.", format="SAFIR"),
    Question(kind="assumption", text="c.l: 1 mm.", assumed=("c.l: 1 mm.",), has_protocol=True),
    Question(kind="protocol", text="The box is too large.", has_protocol=True),
    Question(kind="import", text="It may be projections."),
)


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyQueue:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    new_queue = StudyQueue()
    for name, question in zip("abcde", QUESTIONS, strict=True):
        (tmp_path / f"{name}.l").write_bytes(name.encode())
        study = Study(data=tmp_path / f"{name}.l", protocol=ListModeProtocol())
        new_queue.add(study, question=question, scanner_kind="Ring")
    return new_queue


@pytest.fixture
def dialog(qtbot, controls, queue: StudyQueue) -> QueueDialog:
    controls.context.queue.start_runner = lambda _: None
    new_dialog = QueueDialog(None, controls.context)
    qtbot.addWidget(new_dialog)
    new_dialog.show()
    qtbot.waitUntil(lambda: new_dialog.list.count() == len(QUESTIONS))
    new_dialog.said_answers = []
    new_dialog._commands.intake.answer = lambda entries, answer: new_dialog.said_answers.append(
        ([entry.files[0].name for entry in entries], answer)
    )
    yield new_dialog
    controls.context.queue._timer.stop()


def test_no_scanner_is_selected_by_default(dialog: QueueDialog) -> None:
    dialog.list.setCurrentRow(0)
    panel = dialog.question
    assert panel.isVisible() and panel.reason.text() == QUESTIONS[0].text
    assert panel.choice.currentIndex() == -1 and not panel.act.isEnabled()
    assert panel.act.toolTip() == "Choose an answer in the list."
    panel.choice.setCurrentIndex(panel.choice.findData("safir"))
    panel.act.click()
    assert dialog.said_answers == [(["a.l"], QueueAnswer(scanner="safir"))]
    assert panel.others.text() == "Also for 1 more with this question"
    panel.others.setChecked(True)
    panel.act.click()
    assert dialog.said_answers[-1] == (["a.l", "b.l"], QueueAnswer(scanner="safir"))
    expected: list[bool] = []
    dialog.scanner_wanted.connect(lambda: expected.append(True))
    panel.choice.setCurrentIndex(panel.choice.findData("file"))
    panel.act.click()
    assert expected == [True] and len(dialog.said_answers) == 2


def test_assumption_is_accepted_with_the_keyboard(qtbot, dialog: QueueDialog) -> None:
    dialog.list.setCurrentRow(2)
    dialog.question.act.setFocus()
    qtbot.keyClick(dialog.question.act, Qt.Key.Key_Space)
    assert dialog.said_answers == [(["c.l"], QueueAnswer(accepts=True))]


def test_unusable_protocol_cannot_be_accepted_but_another_can(
    dialog: QueueDialog,
) -> None:
    dialog.list.setCurrentRow(3)
    assert not dialog.question.act.isEnabled()
    assert dialog.protocol.isVisible() and dialog.protocol.box.count() > 1
    used: list[tuple[list[str], str]] = []
    dialog.protocol.chosen.connect(
        lambda entries, protocol: used.append(([e.files[0].name for e in entries], protocol.name))
    )
    dialog.protocol.box.setCurrentIndex(1)
    dialog.protocol.box.activated.emit(1)
    assert used == [(["d.l", "c.l"], dialog.protocol.box.itemText(1))]


def test_scan_without_a_protocol_shows_none(dialog: QueueDialog) -> None:
    dialog.list.setCurrentRow(4)
    assert not dialog.protocol.isVisible()
    assert dialog.list.item(4).text().startswith("e.l, The data have no description.")
    expected: list[str] = []
    dialog.import_wanted.connect(lambda entry: expected.append(entry.files[0].name))
    dialog.question.act.click()
    assert expected == ["e.l"]


def test_single_scan_dropped_on_the_queue_is_added(dialog: QueueDialog, tmp_path) -> None:
    added: list[tuple[Path, ...]] = []
    dialog._commands.intake.add = added.append
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "x.h5"))])
    no_key, left_button = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    dialog.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left_button, no_key))
    assert added == [(tmp_path / "x.h5",)]


def test_files_with_the_same_role_are_never_used_together(tmp_path) -> None:
    mu, other = (InputFile(role="attenuation", path=tmp_path / n) for n in ("mu.nii", "b.nii"))
    norm = InputFile(role="normalisation", path=tmp_path / "norm.n")
    assert [files for _, files in choices_of((mu, other))] == [(mu,), (other,), ()]
    assert [files for _, files in choices_of((mu, norm))] == [(mu, norm), (mu,), (norm,), ()]
