"""Labels that wrap or shorten their text to fit."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from app.views.literal_text import LiteralLabel, breakable, literal_tip
from engine.results import BETWEEN, VISIBLE


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, its middle left out where it is longer."""
    if len(text) <= most:
        return text
    head = (most - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def shortened_name(name: str) -> str:
    """Return as much of a volume's name as is always visible.

    Names of images differ at their beginning; files often at their end, so their middle goes.
    """
    if BETWEEN not in name or len(name) <= VISIBLE:
        return shortened(name, VISIBLE)
    return f"{name[: VISIBLE - 1]}…"


def shortened_words(text: str, most: int) -> str:
    """Return a text whose words have at most `most` characters: names keep both their ends."""
    return re.sub(rf"\S{{{most + 1},}}", lambda word: shortened(word[0], most), text)


class WrappedLabel(LiteralLabel):
    """Words on as many lines as they need; markup of ours is left as it is."""

    def __init__(self, text: str = "") -> None:
        self._text = ""
        super().__init__()
        self.setWordWrap(True)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._text = text
        is_rich = self.textFormat() is Qt.TextFormat.RichText
        super().setText(text if is_rich else breakable(text))

    def text(self) -> str:
        return self._text


class ElidedLabel(LiteralLabel):
    """One line of text. Text that does not fit ends in …, and the tooltip shows all of it."""

    def __init__(
        self, text: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
    ) -> None:
        super().__init__()
        self._mode = mode
        self.full_text = text
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.set_full_text(text)

    def set_full_text(self, text: str) -> None:
        """Show another text."""
        self.full_text = text
        self._fit()

    def show_within(self, text: str, least_px: int, most_px: int) -> None:
        """Show a text, in as much room as it needs between these widths."""
        self.full_text = text
        # a layout gives what is ignored no room, whatever its least width
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedWidth(min(max(self.sizeHint().width(), least_px), most_px))
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self.full_text) + 2
        height = self.fontMetrics().height() + margins.top() + margins.bottom()
        return QSize(width + margins.left() + margins.right(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = max(0, self.contentsRect().width())
        fitted = self.fontMetrics().elidedText(self.full_text, self._mode, room)
        self.setText(fitted)
        self.setToolTip(literal_tip(self.full_text if fitted != self.full_text else ""))
