"""The queue: waiting, running and finished studies in their order, with reasons of failures."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.models.queue_model import state_of
from app.state.services.context import AppContext
from app.ui.theme.formatting import sentence_case
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, fit_to_screen, icon_button, label, set_tone
from app.views.literal_text import literal_tip
from app.workspace.queue.queue_delegate import ENTRY, QueueDelegate
from app.workspace.queue.queue_text import standing_of, tip_of, title_of
from engine.jobs import QueueEntry

SIZE_PX = (640, 520)
EMPTY = tr(
    "The queue is empty. To add the open study with its current settings, choose Run > "
    "Add to queue. To add a study in a terminal, use the command isocenter queue add."
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
    """Shows the queue and passes on the user's actions. It stays open next to the window."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Queue"))
        fit_to_screen(self, *SIZE_PX)
        self._commands, self._model = context.queue, context.session.queue
        self._theme, self._chosen = context.theme, ""
        self.list = self._make_list(context)
        self.run = button(tr("Run the queue"), self._run_or_rest, role="primary")
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
        self.pause = button(tr("Pause"), self._pause_or_resume)
        self.retry = button(tr("Retry"), self._retry)
        self.remove = button(tr("Remove"), self._remove)
        self.clear = button(
            tr("Clear finished"),
            self._commands.clear,
            tr("Remove finished studies. Their images remain in the Results tab."),
        )
        self.up = icon_button("up", context.theme, lambda: self._shift(-1), tr("Move up (Alt+Up)"))
        self.down = icon_button(
            "down", context.theme, lambda: self._shift(1), tr("Move down (Alt+Down)")
        )
        self.reason = label("", wrap=True)
        self.said = label("", "muted", wrap=True)
        self._lay_out()
        self._connect(context)
        self._show()

    def _make_list(self, context: AppContext) -> QListWidget:
        made = QListWidget()
        made.setAccessibleName(tr("Studies in the queue"))
        made.setItemDelegate(QueueDelegate(context.theme, self._model, made))
        made.setUniformItemSizes(True)
        made.setMouseTracking(True)
        made.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        return made

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
        column.addWidget(self.said)
        column.addWidget(self._pages, 1)
        column.addWidget(self.reason)
        column.addLayout(row)
        for each in (self.run, self.pause, self.retry, self.remove, self.clear):
            # Enter in the list must not press a button.
            each.setAutoDefault(False)

    def _connect(self, context: AppContext) -> None:
        self.list.currentItemChanged.connect(self._choose)
        self.list.model().rowsMoved.connect(self._moved)
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

    def _show(self) -> None:
        ids = [self.list.item(i).data(ENTRY) for i in range(self.list.count())]
        # Items are only replaced if the order has changed, or a drag would be interrupted.
        if ids != [entry.id for entry in self._model.entries]:
            self._fill()
        for i, entry in enumerate(self._model.entries):
            item = self.list.item(i)
            name = self._model.names.get(entry.id, "")
            item.setText(f"{title_of(entry, name)}, {standing_of(entry)}")  # read aloud
            item.setToolTip(literal_tip(tip_of(entry, name)))
        self._pages.setCurrentIndex(1 if self._model.entries else 0)
        index = self.at_once.findData(self._model.settings.at_once)
        # The command line allows any number.
        if index < 0:
            number = self._model.settings.at_once
            self.at_once.addItem(tr("{number} at a time", number=number), number)
            index = self.at_once.count() - 1
        self.at_once.setCurrentIndex(index)
        self._repaint()
        self._show_words()
        self._show_buttons()

    def _fill(self) -> None:
        # Clearing would otherwise report that nothing is selected.
        self.list.blockSignals(True)
        self.list.clear()
        for entry in self._model.entries:
            item = QListWidgetItem()
            item.setData(ENTRY, entry.id)
            self.list.addItem(item)
            if entry.id == self._chosen:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)

    def _show_words(self) -> None:
        model = self._model
        if model.fault:
            self.said.setText(tr("The queue cannot be read. {fault}", fault=model.fault))
        else:
            how = RUNS if model.settings.runs else RESTS
            standing = f"{sentence_case(model.describe())}. {how}" if model.entries else ""
            self.said.setText(standing)
        self.said.setVisible(bool(self.said.text()))
        set_tone(self.said, "look" if model.fault else "")
        entry = self.current
        text = entry.text if entry is not None else ""
        self.reason.setText(text)
        self.reason.setVisible(bool(text))
        set_tone(self.reason, "missing" if text else "")

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
        _allow(self.run, "" if waits else tr("The queue is empty."), tip)
        # A running study is paused after its next checkpoint. Until then the request counts.
        is_held = state == "paused" or (entry is not None and entry.wish == "pause")
        self.pause.setText(tr("Resume") if is_held else tr("Pause"))
        no_pause = "" if state in ("waiting", "running", "paused") else tr("This study has ended.")
        tip = (
            tr("Put the study back in the queue")
            if is_held
            else tr("Pause the study and save a checkpoint")
        )
        _allow(self.pause, no_pause if entry else CHOOSE, tip)
        no_retry = "" if state == "failed" else tr("This study has not failed.")
        _allow(self.retry, no_retry if entry else CHOOSE, tr("Put the study back in the queue"))
        _allow(
            self.remove,
            "" if entry else CHOOSE,
            tr("Remove the study from the queue. Its results are kept. (Delete)"),
        )
        has_finished = any(each.state == "finished" for each in self._model.entries)
        _allow(
            self.clear,
            "" if has_finished else tr("No study has finished."),
            tr("Remove finished studies. Their images remain in the Results tab."),
        )
        last = self.list.count() - 1
        row = self.list.currentRow() if entry is not None else -1
        for each, end, why, words in (
            (self.up, 0, tr("This study is already first."), tr("Move up (Alt+Up)")),
            (self.down, last, tr("This study is already last."), tr("Move down (Alt+Down)")),
        ):
            _allow(each, CHOOSE if row < 0 else why if row == end else "", words)

    def _repaint(self) -> None:
        self.list.viewport().update()

    def _choose(self, item: QListWidgetItem | None) -> None:
        self._chosen = item.data(ENTRY) if item is not None else ""
        self._show_words()
        self._show_buttons()

    def _moved(self, parent: QModelIndex, start: int, end: int, to: QModelIndex, row: int) -> None:
        """Apply the order that the user made by dragging."""
        # Qt counts the target row before the moved one is removed.
        place = row if row < start else row - 1
        self._commands.move(self.list.item(place).data(ENTRY), place)

    def _shift(self, by: int) -> None:
        row = self.list.currentRow()
        if self.current is not None and 0 <= row + by < self.list.count():
            self._commands.move(self._chosen, row + by)

    def _run_or_rest(self) -> None:
        if self._model.settings.runs:
            self._commands.rest()
        else:
            self._commands.run(self.at_once.currentData())

    def _set_at_once(self) -> None:
        self._commands.set_at_once(self.at_once.currentData())

    def _pause_or_resume(self) -> None:
        entry = self.current
        if entry is not None:
            is_held = entry.state == "paused" or entry.wish == "pause"
            (self._commands.resume if is_held else self._commands.pause)(entry.id)

    def _retry(self) -> None:
        if self.current is not None:
            self._commands.retry(self._chosen)

    def _remove(self) -> None:
        if self.current is not None:
            self._commands.remove(self._chosen)


def _allow(target: QAbstractButton, obstacle: str, tip: str) -> None:
    """Enable a button, or show in its tooltip why it is disabled."""
    target.setEnabled(not obstacle)
    target.setToolTip(literal_tip(obstacle or tip))
