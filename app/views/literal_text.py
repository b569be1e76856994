"""Labels and tooltips that show text literally: no HTML, and marks for control characters."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QLabel, QWidget

from engine.core.visible_text import visible_text
from engine.data import NO_BREAK, unbroken

MAX_CHARACTERS = 20
LONG_WORD = re.compile(rf"\S{{{MAX_CHARACTERS + 1},}}")
"""Words that may be broken. File names have up to 255 characters and no spaces."""
PIECE = re.compile(r"[^/\\_.\-]+[/\\_.\-]*|[/\\_.\-]+")
"""Piece of a path or file name with the separators after it."""
BREAK = "\u200b"
"""Zero-width space: a line may break there."""
JOIN = "\u2060"
"""Word joiner: no line ends there. Qt ends lines after a slash, "kBq/" and "mL"."""
UNIT_SLASH = re.compile(r"(?<=[A-Za-z\d²³])/(?=(?:m?L|[cmµ]?m[²³]?|k?g|s|min|h)(?!\w))")
"""Slash within a unit."""
SHORT_TIP = 90
"""Longer tooltips are wrapped. Qt shows plain text in a single line, however long it is."""


class LiteralLabel(QLabel):
    """A label that shows its text literally."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The default format interprets "<b>" in a file name as HTML.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        # Bidirectional characters would reverse the name of a file or a patient.
        super().setText(visible_text(text))


def literal_tip(text: str) -> str:
    """Return a tooltip that shows a text literally. Qt would guess its format.

    Parameters
    ----------
    text
        any text, including names of files with "<"
    """
    text = visible_text(text)
    if len(text) <= SHORT_TIP and not GuiQt.mightBeRichText(text):
        return text
    return f'<p style="white-space: pre-wrap">{escape(wrapping(text))}</p>'


def wrapping(text: str) -> str:
    """Return a text for a widget that wraps its lines: long words may be broken, quantities not.

    Parameters
    ----------
    text
        any text

    Returns
    -------
    text that looks the same; `as_written` reverses it
    """
    return breakable(UNIT_SLASH.sub(f"/{JOIN}", unbroken(text)))


def as_written(text: str) -> str:
    """Return the text that `wrapping` has prepared, for the clipboard.

    Parameters
    ----------
    text
        text of a widget, or a part of it
    """
    return text.replace(BREAK, "").replace(JOIN, "").replace(NO_BREAK, " ")


def breakable(text: str) -> str:
    """Insert invisible breaks into long words, in paths and file names after their separators.

    Parameters
    ----------
    text
        any text

    Returns
    -------
    text that looks the same
    """
    return LONG_WORD.sub(lambda word: BREAK.join(map(_with_breaks, PIECE.findall(word[0]))), text)


def _with_breaks(piece: str) -> str:
    return piece if len(piece) <= MAX_CHARACTERS else BREAK.join(piece)
