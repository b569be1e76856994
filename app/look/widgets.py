"""Small widgets used in several places: labels that fit, tones, buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.look.icons import set_icon
from app.look.theme import Theme
from app.views.plain_text import PlainLabel, plain_tip


def label(text: str, role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label of a role that the style sheet knows."""
    made = PlainLabel(text)
    made.setProperty("role", role)
    made.setWordWrap(wrap)
    return made


def set_paragraphs(target: QLabel, texts: Iterable[str], gap_px: int = 6) -> None:
    """Show plain texts in a label, each a paragraph of its own."""
    style = f"margin-top: 0; margin-bottom: {gap_px}px"
    target.setTextFormat(Qt.TextFormat.RichText)
    target.setText("".join(f'<p style="{style}">{escape(text)}</p>' for text in texts))


def scrolled(inside: QWidget) -> QScrollArea:
    """Put a column into an area that scrolls up and down only."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property the style sheet selects by, and draw anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def set_tone(widget: QWidget, tone: str) -> None:
    """Colour a label's words: "ok", "look", "missing", "muted" or ""."""
    set_property(widget, "tone", tone)


def button(text: str, action: Callable[[], object], tip: str = "", role: str = "") -> QPushButton:
    """Return a push button that calls `action`."""
    made = QPushButton(text)
    made.setToolTip(plain_tip(tip))
    made.setProperty("role", role)
    made.clicked.connect(lambda: action())
    return made


def icon_button(
    name: str, theme: Theme, action: Callable[[], object], tip: str, colour: str = "muted"
) -> QAbstractButton:
    """Return a flat button with an icon and no words; its tip names it."""
    made = QPushButton()
    made.setProperty("role", "quiet")
    made.setToolTip(plain_tip(tip))
    made.setAccessibleName(tip)
    made.clicked.connect(lambda: action())
    set_icon(made, name, theme, colour)
    return made


class ElidedLabel(PlainLabel):
    """One line of text; what does not fit ends in … and stands whole in the tip."""

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

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.full_text) + 2
        return QSize(width, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        fitted = self.fontMetrics().elidedText(self.full_text, self._mode, max(0, self.width()))
        self.setText(fitted)
        self.setToolTip(plain_tip(self.full_text if fitted != self.full_text else ""))
