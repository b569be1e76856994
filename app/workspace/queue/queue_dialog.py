"""The queue: waiting, running and finished studies in their order, with reasons of failures."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.models.queue_model import same_question, state_of
from app.state.services.context import AppContext
from app.state.services.queueing.queue_intake import QueueAnswer
from app.ui.theme.formatting import sentence_case
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, fit_to_screen, icon_button, label, set_tone
from app.views.literal_text import literal_tip
from app.workspace.queue.protocol_row import ProtocolRow
from app.workspace.queue.question_panel import QuestionPanel
from app.workspace.queue.queue_delegate import ENTRY
from app.workspace.queue.queue_list import QueueList
from engine.jobs import QueueEntry

SIZE_PX, BAR_PX = (720, 640), 4
EMPTY = tr(
    "The queue is empty. To add scans, drop them here or choose Add scans. To add the open "
    "study with its current settings, choose Run > Add to queue. To add a study in a terminal, "
    "use the command isocenter queue add."
)
AT_ONCE = (
    (tr("One at a time"), 1),
    (tr("Two at a time"), 2),
    (tr("Four at a time"), 4),
    (tr("As many as memory allows"), 0),
)
RUNS = tr("Studies start in this order, even after you close this window or Isocenter.")
RESTS = tr("The queue is paused. No new studies will start.")
CHOOSE = tr("Select a study in the list.")


class QueueDialog(QDialog):
    """Shows the queue and passes on the user's actions. It stays open next to the window.

    Signals
    -------
    files_wanted, folder_wanted : the user wants to add scans from files or from a folder
    scanner_wanted : the user wants to answer a question with a scanner from a file
    import_wanted : the user wants to describe the data of an entry
    """

    files_wanted = Signal()
    folder_wanted = Signal()
    scanner_wanted = Signal()
    import_wanted = Signal(object)

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Queue"))
        fit_to_screen(self, *SIZE_PX)
        self._commands, self._model = context.queue, context.session.queue
        self._theme, self._chosen = context.theme, ""
        self._seeks_question = False
        self.list = QueueList(context.theme, self._model)
        self.run = button(tr("Run the queue"), self._run_or_pause, role="primary")
        self.at_once = QComboBox()
        self.at_once.setAccessibleName(tr("Parallel studies"))
        self.at_once.setToolTip(
            literal_tip(
                tr(
                    "Studies run in parallel only if the memory that they are estimated to need is "
                    "available"
                )
            )
        )
        for text, number in AT_ONCE:
            self.at_once.addItem(text, number)
        self.at_once.activated.connect(self._set_at_once)
        self.add = button(tr("Add scans …"), self.files_wanted.emit)
        self.add.setToolTip(literal_tip(tr("Choose one or more scans for the queue")))
        self.add_folder = button(tr("Add folder …"), self.folder_wanted.emit)
        self.add_folder.setToolTip(literal_tip(tr("Add all scans in a folder to the queue")))
        self.question = QuestionPanel(context)
        self.protocol = ProtocolRow(context)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(BAR_PX)
        self.progress.setAccessibleName(tr("Scans read"))
        self.pause = button(tr("Pause"), self._pause_or_resume)
        self.retry = button(tr("Retry"), self._retry)
        self.remove = button(tr("Remove"), self._remove)
        self.clear = button(
            tr("Clear finished"),
            self._commands.clear,
            tr("Remove finished studies. Their images remain in the panel Results."),
        )
        self.up = icon_button("up", context.theme, lambda: self._shift(-1), tr("Move up (Alt+Up)"))
        self.down = icon_button(
            "down", context.theme, lambda: self._shift(1), tr("Move down (Alt+Down)")
        )
        self.reason = label("", wrap=True)
        self.message = label("", "muted", wrap=True)
        self._lay_out()
        self._connect(context)
        self._show()

    def _lay_out(self) -> None:
        empty = label(EMPTY, "muted", wrap=True)
        empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        empty.setContentsMargins(14, 12, 14, 12)
        self._pages = QStackedWidget()
        self._pages.addWidget(empty)
        self._pages.addWidget(self.list)
        top, row = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.run)
        top.addWidget(self.at_once)
        top.addStretch(1)
        top.addWidget(self.add)
        top.addWidget(self.add_folder)
        for each in (self.pause, self.retry, self.remove):
            row.addWidget(each)
        row.addStretch(1)
        row.addWidget(self.clear)
        row.addWidget(self.up)
        row.addWidget(self.down)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self.message)
        column.addWidget(self._pages, 1)
        column.addWidget(self.progress)
        column.addWidget(self.question)
        column.addWidget(self.protocol)
        column.addWidget(self.reason)
        column.addLayout(row)
        for each in (self.run, *self._secondary_buttons()):
            # Enter in the list must not press a button.
            each.setAutoDefault(False)

    def _secondary_buttons(self) -> tuple[QPushButton, ...]:
        """Return the buttons except the first one."""
        return self.pause, self.retry, self.remove, self.clear, self.add, self.add_folder

    def _connect(self, context: AppContext) -> None:
        intake = self._commands.intake
        intake.changed.connect(self._show_progress)
        intake.ended.connect(self._follow_intake)
        self.question.answered.connect(self._answer)
        self.question.scanner_wanted.connect(self.scanner_wanted)
        self.question.import_wanted.connect(self.import_wanted)
        self.protocol.chosen.connect(intake.use_protocol)
        self.setAcceptDrops(True)
        self._show_progress()
        self.list.currentItemChanged.connect(self._follow_selection)
        self.list.model().rowsMoved.connect(self._apply_dragged_order)
        self._model.changed.connect(self._show)
        context.theme.changed.connect(self._repaint)
        for keys, act in (("Alt+Up", -1), ("Alt+Down", 1)):
            QShortcut(QKeySequence(keys), self, lambda by=act: self._shift(by))
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list, self._remove)
        # Delete in another field of the dialog must not remove a study.
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)

    @property
    def current(self) -> QueueEntry | None:
        """The selected study; None if there is none."""
        return next((each for each in self._model.entries if each.id == self._chosen), None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.list.setFocus()
        self._commands.refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        # Closing by the window manager must emit the same signals as Esc.
        self.reject()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = tuple(Path(url.toLocalFile()) for url in event.mimeData().urls())
        self._commands.intake.add(paths)

    def _show_progress(self) -> None:
        intake = self._commands.intake
        self.progress.setVisible(intake.is_busy)
        # While files are sorted, the number of scans is unknown.
        self.progress.setRange(0, intake.total)
        self.progress.setValue(intake.done)
        self._show_text()

    def _follow_intake(self) -> None:
        """Show the next question; without one, put the focus on the button that starts."""
        self._seeks_question = True
        if self.isActiveWindow() and not self._model.settings.runs:
            self.run.setFocus()
        self._show()

    def _show_next_question(self) -> None:
        entry = self.current
        if not self._seeks_question or (entry is not None and entry.question):
            return
        states = [each.state for each in self._model.entries]
        if "asking" in states:
            self._seeks_question = False
            self.list.setCurrentRow(states.index("asking"))

    def _show(self) -> None:
        self.list.show_entries(self._chosen)
        self._pages.setCurrentIndex(1 if self._model.entries else 0)
        index = self.at_once.findData(self._model.settings.at_once)
        # The command line allows any number.
        if index < 0:
            number = self._model.settings.at_once
            self.at_once.addItem(tr("{number} at a time", number=number), number)
            index = self.at_once.count() - 1
        self.at_once.setCurrentIndex(index)
        self._repaint()
        self._show_next_question()
        self._show_text()
        self._show_buttons()

    def _show_text(self) -> None:
        model = self._model
        if model.fault:
            self.message.setText(tr("The queue cannot be read. {fault}", fault=model.fault))
        else:
            how = RUNS if model.settings.runs else RESTS
            standing = f"{sentence_case(model.describe())}. {how}" if model.entries else ""
            intake = self._commands.intake
            if intake.total and intake.is_busy:
                n, total = intake.done + 1, intake.total
                reading = tr("Reading scan {n} of {total} …", n=min(n, total), total=total)
                standing = f"{reading} {standing}".strip()
            self.message.setText(standing)
        self.message.setVisible(bool(self.message.text()))
        set_tone(self.message, "warning" if model.fault else "")
        entry = self.current
        text = entry.text if entry is not None and not entry.question else ""
        self.reason.setText(text)
        self.reason.setVisible(bool(text))
        set_tone(self.reason, "missing" if text else "")
        self._show_question()
        self.protocol.show_study(self.current)

    def _show_buttons(self) -> None:
        entry, runs = self.current, self._model.settings.runs
        state = state_of(entry) if entry is not None else ""
        set_icon(self.run, "pause" if runs else "start", self._theme, "on_accent")
        self.run.setText(tr("Pause the queue") if runs else tr("Run the queue"))
        tip = (
            tr("Do not start any more studies. Running studies save a checkpoint.")
            if runs
            else tr("Start the studies in this order")
        )
        waits = runs or any(each.is_ready for each in self._model.entries)
        _enable_or_explain(self.run, "" if waits else tr("The queue is empty."), tip)
        # A running study is paused after its next checkpoint. Until then the request counts.
        is_paused = state == "paused" or (entry is not None and entry.wish == "pause")
        self.pause.setText(tr("Resume") if is_paused else tr("Pause"))
        no_pause = "" if state in ("waiting", "running", "paused") else tr("This study has ended.")
        tip = (
            tr("Put the study back in the queue")
            if is_paused
            else tr("Pause the study and save a checkpoint")
        )
        _enable_or_explain(self.pause, no_pause if entry else CHOOSE, tip)
        no_retry = "" if state == "failed" else tr("This study has not failed.")
        _enable_or_explain(
            self.retry, no_retry if entry else CHOOSE, tr("Put the study back in the queue")
        )
        _enable_or_explain(
            self.remove,
            "" if entry else CHOOSE,
            tr("Remove the study from the queue. Its results are kept. (Delete)"),
        )
        has_finished = any(each.state == "finished" for each in self._model.entries)
        _enable_or_explain(
            self.clear,
            "" if has_finished else tr("No study has finished."),
            tr("Remove finished studies. Their images remain in the panel Results."),
        )
        last = self.list.count() - 1
        row = self.list.currentRow() if entry is not None else -1
        for each, end, why, words in (
            (self.up, 0, tr("This study is already first."), tr("Move up (Alt+Up)")),
            (self.down, last, tr("This study is already last."), tr("Move down (Alt+Down)")),
        ):
            _enable_or_explain(each, CHOOSE if row < 0 else why if row == end else "", words)

    def _show_question(self) -> None:
        entry = self.current
        self.question.show_question(entry, len(self._with_same_question(entry)))

    def _with_same_question(self, entry: QueueEntry | None) -> list[QueueEntry]:
        if entry is None:
            return []
        others = (each for each in self._model.entries if each.id != entry.id)
        return [each for each in others if same_question(entry, each)]

    def _answer(self, answer: QueueAnswer, for_others: bool) -> None:
        entry = self.current
        if entry is not None:
            others = self._with_same_question(entry) if for_others else []
            self._commands.intake.answer((entry, *others), answer)

    def _repaint(self) -> None:
        self.list.viewport().update()

    def _follow_selection(self, item: QListWidgetItem | None) -> None:
        self._chosen = item.data(ENTRY) if item is not None else ""
        self._show_text()
        self._show_buttons()

    def _apply_dragged_order(
        self, parent: QModelIndex, start: int, end: int, to: QModelIndex, row: int
    ) -> None:
        """Apply the order that the user made by dragging."""
        # Qt counts the target row before the moved one is removed.
        place = row if row < start else row - 1
        self._commands.move(self.list.item(place).data(ENTRY), place)

    def _shift(self, by: int) -> None:
        row = self.list.currentRow()
        if self.current is not None and 0 <= row + by < self.list.count():
            self._commands.move(self._chosen, row + by)

    def _run_or_pause(self) -> None:
        if self._model.settings.runs:
            self._commands.pause_all()
        else:
            self._commands.run(self.at_once.currentData())

    def _set_at_once(self) -> None:
        self._commands.set_at_once(self.at_once.currentData())

    def _pause_or_resume(self) -> None:
        entry = self.current
        if entry is not None:
            is_paused = entry.state == "paused" or entry.wish == "pause"
            (self._commands.resume if is_paused else self._commands.pause)(entry.id)

    def _retry(self) -> None:
        if self.current is not None:
            self._commands.retry(self._chosen)

    def _remove(self) -> None:
        if self.current is not None:
            self._commands.remove(self._chosen)


def _enable_or_explain(target: QAbstractButton, obstacle: str, tip: str) -> None:
    """Enable a button, or show in its tooltip why it is disabled."""
    target.setEnabled(not obstacle)
    target.setToolTip(literal_tip(obstacle or tip))
