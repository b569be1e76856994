"""Labels and tooltips that show text literally, never as HTML."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QLabel, QWidget

LONG_WORD = re.compile(r"\S{21,}")
"""What may be broken within: file names have up to 255 characters and no space."""
BREAK = "\u200b"
"""A space of no width: a line may end there."""
SHORT_TIP = 90
"""A tip with more characters is wrapped; Qt shows plain ones in one line, however long."""


class LiteralLabel(QLabel):
    """A label that shows its text literally."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


def literal_tip(text: str) -> str:
    """Return a tooltip that shows this text literally: Qt would guess its format."""
    if len(text) <= SHORT_TIP and not GuiQt.mightBeRichText(text):
        return text
    return f'<p style="white-space: pre-wrap">{escape(breakable(text))}</p>'


def breakable(text: str) -> str:
    """Return a text that looks the same and whose long words may be broken anywhere."""
    return LONG_WORD.sub(lambda word: BREAK.join(word[0]), text)
