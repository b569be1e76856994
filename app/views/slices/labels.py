"""Labels that wrap or shorten their text to fit."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from app.views.literal_text import LiteralLabel, literal_tip, wrapping
from engine.core.visible_text import visible_line, visible_text
from engine.results import BETWEEN, VISIBLE


def shortened(text: str, max_length: int) -> str:
    """Shorten a text in the middle.

    Parameters
    ----------
    text
        the text
    max_length
        largest number of characters

    Returns
    -------
    the end keeps a third, since file names often differ there; control characters are marks
    """
    text = visible_line(text)
    if len(text) <= max_length:
        return text
    # Two thirds from the beginning, one third from the end, which has the file type.
    head = (max_length - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (max_length - 1 - head) :]}"


def shortened_name(name: str) -> str:
    """Shorten the name of a volume for captions.

    Names of images differ at the beginning; names of files often at the end, so they are shortened
    in the middle.

    Parameters
    ----------
    name
        the name
    """
    name = visible_line(name)
    if BETWEEN not in name or len(name) <= VISIBLE:
        return shortened(name, VISIBLE)
    return f"{name[: VISIBLE - 1]}…"


def shortened_words(text: str, max_length: int) -> str:
    """Shorten long words of a text in their middle.

    Parameters
    ----------
    text
        the text
    max_length
        largest number of characters of a word
    """
    return re.sub(rf"\S{{{max_length + 1},}}", lambda word: shortened(word[0], max_length), text)


class WrappedLabel(LiteralLabel):
    """Text on as many lines as needed. Our own markup is not changed."""

    def __init__(self, text: str = "") -> None:
        self._text = ""
        super().__init__()
        self.setWordWrap(True)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._text = visible_text(text)
        is_rich = self.textFormat() is Qt.TextFormat.RichText
        super().setText(self._text if is_rich else wrapping(self._text))

    def text(self) -> str:
        # Copying and screen readers need the text without the invisible breaks.
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
        """Set the text.

        Parameters
        ----------
        text
            the whole text; the tooltip shows it if it is elided
        """
        self.full_text = visible_line(text)
        self._fit()

    def show_within(self, text: str, min_px: int, max_px: int) -> None:
        """Set the text and a width that fits it.

        Parameters
        ----------
        text
            the whole text
        min_px, max_px
            limits of the width [px]
        """
        self.full_text = visible_line(text)
        # A layout gives an Ignored widget no space, whatever its minimum width.
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedWidth(min(max(self.sizeHint().width(), min_px), max_px))
        self._fit()

    def minimumSizeHint(self) -> QSize:
        # A long file name must not widen the window.
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
        space = max(0, self.contentsRect().width())
        fitted = self.fontMetrics().elidedText(self.full_text, self._mode, space)
        self.setText(fitted)
        self.setToolTip(literal_tip(self.full_text if fitted != self.full_text else ""))
