"""Keys of the window that are in no menu, and the focus after a scan was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut, QTextDocumentFragment
from PySide6.QtWidgets import QScrollArea

from app.state.models.inputs import DATA

if TYPE_CHECKING:
    from app.shell.main_window import MainWindow


def add_keys(window: MainWindow) -> None:
    """Add keys to a window, and let it follow newly opened scans."""
    rest = QShortcut(QKeySequence("Space"), window.centre.views, window.runner.pause)
    # Only in the views: elsewhere Space presses the focused button.
    rest.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    escape = QShortcut(QKeySequence("Esc"), window, window.centre.message_bar.clear)
    # An active shortcut would keep Esc from other widgets while there is no message.
    escape.setEnabled(False)
    window.centre.message_bar.shown.connect(escape.setEnabled)
    for i, step in enumerate(window.workflow.cards, 1):
        QShortcut(QKeySequence(f"Ctrl+{i}"), window, lambda s=step: s.set_open(not s.is_open))
    pages = window.pages
    QShortcut(
        QKeySequence("Ctrl+J"),
        window,
        lambda: pages.show("judge" if pages.current == "prepare" else "prepare"),
    )
    window.installEventFilter(RefusedKeys(window))
    NewScan(window)


class RefusedKeys(QObject):
    """Show in the status line why the action of a key is not available."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Explain key presses that no widget or shortcut has handled.

        Parameters
        ----------
        watched
            object that gets the event
        event
            event of Qt

        Returns
        -------
        bool
            always False: the event is not consumed
        """
        is_press = event.type() == QEvent.Type.KeyPress
        if watched is self._window and is_press and isinstance(event, QKeyEvent):
            self._show_reason(QKeySequence(event.keyCombination()))
        return False

    def _show_reason(self, keys: QKeySequence) -> None:
        for action in self._window.actions_.named().values():
            if action.isVisible() and not action.isEnabled() and action.shortcut() == keys:
                # Tooltips are HTML; the status line shows plain text.
                why = QTextDocumentFragment.fromHtml(action.toolTip()).toPlainText()
                self._window.status.flash(why)


class NewScan(QObject):
    """Scroll the left panel to the top for each new scan, and focus Start."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self._scan: object = None
        self._needs_focus = False
        self._session.study.inputs_changed.connect(self._follow)
        window.actions_.start.changed.connect(self._focus)

    def _follow(self) -> None:
        scan = self._session.study.inputs.get(DATA)
        # Other inputs of the same scan must not move the panel.
        if scan is self._scan:
            return
        self._scan, self._needs_focus = scan, scan is not None
        for area in self._window.workflow.findChildren(QScrollArea):
            area.verticalScrollBar().setValue(0)
        self._focus()

    def _focus(self) -> None:
        """Focus Start when it is enabled, unless a run has already started."""
        if self._session.run.state.is_active:
            self._needs_focus = False
        start = self._window.header.choice.start
        if self._needs_focus and self._window.actions_.start.isEnabled() and start.isVisible():
            self._needs_focus = False
            start.setFocus(Qt.FocusReason.OtherFocusReason)
