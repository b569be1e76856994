"""Keys of the window that no menu shows, and where the focus goes once a scan is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut, QTextDocumentFragment
from PySide6.QtWidgets import QScrollArea

from app.state.models.inputs import DATA

if TYPE_CHECKING:
    from app.shell.main_window import MainWindow


def add_keys(window: MainWindow) -> None:
    """Give a window its keys, and let it follow the scans that are opened."""
    rest = QShortcut(QKeySequence("Space"), window.centre.views, window.runner.pause)
    rest.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    escape = QShortcut(QKeySequence("Esc"), window, window.centre.message_bar.clear)
    escape.setEnabled(False)
    window.centre.message_bar.shown.connect(escape.setEnabled)
    for i, step in enumerate(window.steps, 1):
        QShortcut(QKeySequence(f"Ctrl+{i}"), window, lambda s=step: s.set_open(not s.is_open))
    window.installEventFilter(RefusedKeys(window))
    NewScan(window)


class RefusedKeys(QObject):
    """Says in the status line why the action of a key cannot be used now."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See the keys that nothing else has taken."""
        is_press = event.type() == QEvent.Type.KeyPress
        if watched is self._window and is_press and isinstance(event, QKeyEvent):
            self._explain(QKeySequence(event.keyCombination()))
        return False

    def _explain(self, keys: QKeySequence) -> None:
        for action in self._window.actions_.named().values():
            if action.isVisible() and not action.isEnabled() and action.shortcut() == keys:
                why = QTextDocumentFragment.fromHtml(action.toolTip()).toPlainText()
                self._window.status.flash(why)


class NewScan(QObject):
    """Scrolls the left panel to the top for each new scan, and puts the focus on Start."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self._scan: object = None
        self._wants_focus = False
        self._session.study.inputs_changed.connect(self._follow)
        window.actions_.start.changed.connect(self._focus)

    def _follow(self) -> None:
        scan = self._session.study.inputs.get(DATA)
        if scan is self._scan:
            return
        self._scan, self._wants_focus = scan, scan is not None
        for area in self._window.workflow.findChildren(QScrollArea):
            area.verticalScrollBar().setValue(0)
        self._focus()

    def _focus(self) -> None:
        """Focus Start once it can be pressed, unless the run has begun by itself."""
        if self._session.run.state.is_active:
            self._wants_focus = False
        start = self._window.header.choice.start
        if self._wants_focus and self._window.actions_.start.isEnabled() and start.isVisible():
            self._wants_focus = False
            start.setFocus(Qt.FocusReason.OtherFocusReason)
