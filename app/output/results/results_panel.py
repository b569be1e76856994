"""List of results: show, open, use settings, pin, delete."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.output.results.result_delegate import ResultDelegate
from app.output.results.result_rows import ResultRows
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.questions import ask
from app.ui.theme.widgets import button, label, set_tone
from app.views.literal_text import literal_tip
from engine.results import Result

EMPTY = tr(
    "No results yet. Every finished image is saved here with its settings and date. Nothing "
    "is lost when you start another run, open another scan or quit."
)
RUNNING = tr("A reconstruction is running.")


class ResultsTab(QWidget):
    """Results on disk, the newest first."""

    title = tr("Results")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._session, self._commands = context.session, context.results
        self._results, self._run = context.session.results, context.session.run
        self._volumes = context.volumes
        self._chosen = ""
        self.confirm: Callable[[str, str], bool] = self._confirm_deletion
        self.list = QListView()
        self.list.setModel(ResultRows(self._results, self.list))
        self.list.setAccessibleName(tr("Results"))
        self.list.setItemDelegate(ResultDelegate(context.theme, self._results, self.list))
        # Qt then asks the delegate for one size, which matters for hundreds of results.
        self.list.setUniformItemSizes(True)
        # The delegate paints the item under the pointer in another shade.
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.open = button(tr("Open"), self._open, "", "primary")
        self.settings = button(tr("Use settings"), self._use_settings)
        self.more = button(
            "", self._show_menu, tr("Compare, overlay, pin, delete or show in folder")
        )
        self.more.setAccessibleName(tr("More"))
        set_icon(self.more, "menu", context.theme)
        self._total = label("", wrap=True)
        self._limits = label("", "muted", wrap=True)
        self._note = label("", wrap=True)
        set_tone(self._note, "warning")
        self._lay_out()
        self.list.selectionModel().currentRowChanged.connect(self._choose)
        self.list.activated.connect(self._open)
        self.list.customContextMenuRequested.connect(self._show_menu)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list, self._delete)
        # Only in the list: Delete in another field must not remove a result.
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        self._results.changed.connect(self._show)
        self._run.state_changed.connect(self._show_buttons)
        context.theme.changed.connect(self._repaint)
        self._show()

    @property
    def current(self) -> Result | None:
        """The selected result."""
        return next((each for each in self._results.items if each.id == self._chosen), None)

    def select(self, row: int) -> None:
        """Select the result in a row.

        Parameters
        ----------
        row
            row, from 0 for the newest result
        """
        self.list.setCurrentIndex(self.list.model().index(row, 0))

    def menu(self) -> QMenu:
        """Return the menu of further actions for the selected result."""
        made, result = QMenu(self), self.current
        if result is not None:
            pin = made.addAction(tr("Pinned"))
            pin.setCheckable(True)
            pin.setChecked(result.pinned)
            pin.triggered.connect(lambda on: self._commands.pin(result, on=on))
            folder = made.addAction(tr("Show in folder"))
            folder.triggered.connect(lambda: self._commands.show_in_folder(result))
            made.addSeparator()
            compare = made.addAction(tr("Compare with the displayed volume"))
            compare.triggered.connect(lambda: self._volumes.open_result(result, "compare"))
            over = made.addAction(tr("Overlay on the displayed volume"))
            over.triggered.connect(lambda: self._volumes.open_result(result, "overlay"))
            instead = made.addAction(tr("Show without closing the image of the current run"))
            instead.triggered.connect(lambda: self._volumes.open_result(result, "base"))
            made.addSeparator()
            made.addAction(tr("Delete …")).triggered.connect(self._delete)
        return made

    def _lay_out(self) -> None:
        empty = label(EMPTY, "muted", wrap=True)
        empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        empty.setContentsMargins(14, 12, 14, 12)
        self._pages = QStackedWidget()
        self._pages.addWidget(empty)
        self._pages.addWidget(self.list)
        row = QHBoxLayout()
        row.setContentsMargins(10, 4, 10, 0)
        row.setSpacing(8)
        row.addWidget(self.open)
        row.addWidget(self.settings, 1)
        row.addWidget(self.more)
        words = QVBoxLayout()
        words.setContentsMargins(12, 0, 12, 10)
        words.setSpacing(3)
        for each in (self._total, self._limits, self._note):
            words.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._pages, 1)
        column.addLayout(row)
        column.addLayout(words)

    def _show(self) -> None:
        # The list forgets its selection when it is filled again
        rows = [row for row, each in enumerate(self._results.items) if each.id == self._chosen]
        for row in rows:
            self.select(row)
        self._pages.setCurrentIndex(1 if self._results.items else 0)
        self._total.setText(f"{self._results.describe()}.")
        self._limits.setText(self._results.retained_until)
        self._note.setText(self._results.note)
        self._note.setVisible(bool(self._results.note))
        self._show_buttons()

    def _choose(self, current: QModelIndex) -> None:
        items, row = self._results.items, current.row()
        self._chosen = items[row].id if 0 <= row < len(items) else ""
        self._show_buttons()

    def _repaint(self) -> None:
        self.list.viewport().update()

    def _show_buttons(self) -> None:
        obstacle = tr("Select a result in the list.") if self.current is None else ""
        # Opening a result would replace the image of the run.
        busy = RUNNING if self._run.state.is_active else obstacle
        for each, why, tip in (
            (self.open, busy, tr("Show this image and its provenance (Return)")),
            (self.settings, busy, tr("Use the protocol from this result for the open scan")),
            (self.more, obstacle, tr("Compare, overlay, pin, delete or show in folder")),
        ):
            each.setEnabled(not why)
            each.setToolTip(literal_tip(why or tip))

    def _open(self) -> None:
        if self.current is not None:
            self._commands.open(self.current)

    def _use_settings(self) -> None:
        if self.current is not None:
            self._commands.use_settings(self.current)

    def _show_menu(self, at: QPoint | None = None) -> None:
        below = self.more.mapToGlobal(self.more.rect().bottomLeft())
        self.menu().popup(self.list.viewport().mapToGlobal(at) if at is not None else below)

    def _delete(self) -> None:
        result = self.current
        if result is None:
            return
        text = tr(
            "Delete {scan}, {name}, {created:%d %b %Y %H:%M} from disk?",
            scan=result.scan,
            name=self._results.names[result.id],
            created=result.created,
        )
        # The only copy of this image is about to be deleted.
        if not result.exported:
            text += " " + tr("This result has not been exported.")
        if self.confirm(tr("Delete this result?"), text):
            self._commands.delete(result)

    def _confirm_deletion(self, title: str, text: str) -> bool:
        return ask(self, title, text, tr("Delete"))
