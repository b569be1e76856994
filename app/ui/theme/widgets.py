"""Small shared widgets: labels, buttons, pages, and screen fitting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.views.literal_text import LiteralLabel, breakable, literal_tip
from app.views.slices.labels import WrappedLabel

TITLE_PX, FRAME_PX = 32, 2
"""Space that a window manager may add around a window."""


def label(text: str, role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label of a role that the style sheet knows."""
    made = WrappedLabel(text) if wrap else LiteralLabel(text)
    made.setProperty("role", role)
    return made


def set_paragraphs(target: QLabel, texts: Iterable[str], gap_px: int = 6) -> None:
    """Show plain texts in a label, each a paragraph of its own."""
    style = f"margin-top: 0; margin-bottom: {gap_px}px"
    target.setTextFormat(Qt.TextFormat.RichText)
    target.setText("".join(f'<p style="{style}">{escape(breakable(text))}</p>' for text in texts))


def scrolled(inside: QWidget) -> QScrollArea:
    """Put a column into an area that scrolls up and down only."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet uses, and redraw."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def set_tone(widget: QWidget, tone: str) -> None:
    """Colour a label's words: "ok", "look", "missing", "muted" or ""."""
    set_property(widget, "tone", tone)


def button(text: str, action: Callable[[], object], words: str = "", role: str = "") -> QPushButton:
    """Return a push button that calls `action`; `words` are its tip."""
    made = QPushButton(text)
    made.setToolTip(literal_tip(words))
    made.setProperty("role", role)
    made.clicked.connect(lambda: action())
    return made


def icon_button(
    name: str, theme: Theme, action: Callable[[], object], words: str, colour: str = "muted"
) -> QAbstractButton:
    """Return a flat button with an icon and no words; its tip names it."""
    made = QPushButton()
    made.setProperty("role", "quiet")
    made.setToolTip(literal_tip(words))
    made.setAccessibleName(words)
    made.clicked.connect(lambda: action())
    set_icon(made, name, theme, colour)
    return made


def fitted(wanted: QSize, available: QSize) -> QSize:
    """Return the size of a window on a screen: as wanted, with room for its frame."""
    room = available - QSize(2 * FRAME_PX, TITLE_PX + FRAME_PX)
    return wanted.boundedTo(room)


def fit_to_screen(window: QWidget, width: int, height: int) -> None:
    """Make a window as large as wished, but no larger than its screen."""
    window.resize(fitted(QSize(width, height), window.screen().availableSize()))


def grow_to_fit(window: QWidget) -> None:
    """Make a window as high as its words need at its width; a layout does so only by hand."""
    layout = window.layout()
    if layout is not None and window.isVisible():
        layout.activate()
        window.resize(
            window.width(), max(window.height(), layout.totalHeightForWidth(window.width()))
        )


class PageStack(QStackedWidget):
    """A stack of pages. The displayed page alone sets the minimum size."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        """As small as the displayed page: hidden pages need no space."""
        shown = self.currentWidget()
        return super().minimumSizeHint() if shown is None else shown.minimumSizeHint()
