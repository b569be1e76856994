"""Log of the session, line by line, with the time."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.messages import MAX_LOG_LINES, LogLine
from app.state.services.context import AppContext
from engine.core.visible_text import visible_text

WORDS = {"info": "", "warning": tr("Warning: "), "error": tr("Error: ")}
TONES = {"info": "muted", "warning": "warning", "error": "missing"}


class LogPanel(QWidget):
    """Text of the session's log, which can be selected and copied.

    It has text only while it is shown: Qt needs several kilobytes for each line.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        # Qt drops the oldest lines.
        self.text.setMaximumBlockCount(MAX_LOG_LINES)
        self.text.setAccessibleName(tr("Log"))
        self.text.setPlaceholderText(tr("The log is empty."))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
        self._is_filled = False
        self._session.log_added.connect(self._add)
        # Colours are part of the text, so a new theme writes all lines again.
        self._theme.changed.connect(self._show_all)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_filled:
            self._is_filled = True
            self._show_all()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # A minimised window shows the same lines at the same place again.
        if not event.spontaneous():
            self._is_filled = False
            self.text.clear()

    def show_newest(self) -> None:
        """Scroll to the last line."""
        bar = self.text.verticalScrollBar()
        # The bar knows its maximum only after the layout, so this waits for the next turn of the
        # event loop.
        QTimer.singleShot(0, bar, lambda: bar.setValue(bar.maximum()))

    def _show_all(self) -> None:
        self.text.clear()
        for line in self._session.log:
            self._add(line)

    def _add(self, line: LogLine) -> None:
        if not self._is_filled:
            return
        colour = getattr(self._theme.colours, TONES[line.level])
        # File names can contain "<" and "&".
        words = escape(visible_text(f"{line.time:%H:%M:%S}  {WORDS[line.level]}{line.text}"))
        # HTML merges lines and spaces, which would destroy the columns of the log.
        words = words.replace("\n", "<br>").replace("  ", "&nbsp; ")
        self.text.appendHtml(f'<span style="color:{colour}">{words}</span>')
