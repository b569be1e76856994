"""Small shared widgets: labels, buttons, pages, and sizes that fit the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.views.literal_text import LiteralLabel, literal_tip, wrapping
from app.views.slices.labels import WrappedLabel
from engine.core.visible_text import visible_text

TITLE_PX, FRAME_PX = 32, 2
"""Space that a window manager may add around a window."""
ICON_PX, WORD_MARGIN_PX, MAX_WORD_PX, WORD_PT = 18, 4, 80, 8.0
"""Sizes of a tool button with a word below its icon; the font is that of the style sheet."""


def label(text: str, role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label.

    Parameters
    ----------
    text
        its text, shown literally
    role
        role of the style sheet, such as "caption" or "muted"
    wrap
        True to wrap long lines
    """
    made = WrappedLabel(text) if wrap else LiteralLabel(text)
    made.setProperty("role", role)
    return made


def set_paragraphs(target: QLabel, texts: Iterable[str], gap_px: int = 6) -> None:
    """Show texts as paragraphs of a label.

    Parameters
    ----------
    target
        the label
    texts
        plain texts
    gap_px
        space between paragraphs
    """
    style = f"margin-top: 0; margin-bottom: {gap_px}px"
    target.setTextFormat(Qt.TextFormat.RichText)
    # Escaped, because texts may contain file names that look like HTML.
    target.setText(
        "".join(f'<p style="{style}">{escape(wrapping(visible_text(text)))}</p>' for text in texts)
    )


def scrolled(inside: QWidget) -> QScrollArea:
    """Return a vertical scroll area.

    Parameters
    ----------
    inside
        its content
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    # The Tab key should go to the fields, not to the area around them.
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet uses, and apply the style again.

    Parameters
    ----------
    widget
        the widget
    name
        name of the property
    value
        its value
    """
    if widget.property(name) != value:
        widget.setProperty(name, value)
        # Qt evaluates property selectors only when a widget is polished.
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def set_tone(widget: QWidget, tone: str) -> None:
    """Set the colour of a label.

    Parameters
    ----------
    widget
        the label
    tone
        "ok", "warning", "missing", "muted" or ""
    """
    set_property(widget, "tone", tone)


def button(text: str, action: Callable[[], object], words: str = "", role: str = "") -> QPushButton:
    """Return a push button.

    Parameters
    ----------
    text
        its text
    action
        called without arguments at a click
    words
        its tooltip
    role
        role of the style sheet
    """
    made = QPushButton(text)
    made.setToolTip(literal_tip(words))
    made.setProperty("role", role)
    # `clicked` passes a bool, which `action` does not accept.
    made.clicked.connect(lambda: action())
    return made


def icon_button(
    name: str, theme: Theme, action: Callable[[], object], words: str, colour: str = "muted"
) -> QAbstractButton:
    """Return a flat button with an icon and no text.

    Parameters
    ----------
    name
        key of `icons.GLYPHS`
    theme
        the theme
    action
        called without arguments at a click
    words
        its tooltip and accessible name
    colour
        field of `Colours`
    """
    made = QPushButton()
    made.setProperty("role", "quiet")
    made.setToolTip(literal_tip(words))
    made.setAccessibleName(words)
    made.clicked.connect(lambda: action())
    set_icon(made, name, theme, colour)
    return made


def word_under_icon(made: QToolButton) -> QSize:
    """Show the text of a tool button in small letters below its icon.

    Parameters
    ----------
    made
        button with icon and text; its height is fixed here

    Returns
    -------
    size that the word needs [px], at most `MAX_WORD_PX` wide
    """
    made.setProperty("role", "tool")
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
    made.setIconSize(QSize(ICON_PX, ICON_PX))
    font = QFont(made.font())
    font.setPointSizeF(WORD_PT)
    metrics = QFontMetrics(font)
    space = MAX_WORD_PX - 2 * WORD_MARGIN_PX
    made.setText(metrics.elidedText(made.text(), Qt.TextElideMode.ElideRight, space))
    size = QSize(
        max(metrics.horizontalAdvance(made.text()) + 2 * WORD_MARGIN_PX, ICON_PX),
        ICON_PX + metrics.height() + 3 * WORD_MARGIN_PX,
    )
    made.setFixedHeight(size.height())
    return size


def remove_widgets(layout: QLayout) -> None:
    """Remove and delete all widgets of a layout.

    Parameters
    ----------
    layout
        a layout that contains only widgets
    """
    # Not by `takeAt`: it hands the item to Python, which never frees it.
    widgets = [_widget_at(layout, i) for i in range(layout.count())]
    for widget in filter(None, widgets):
        layout.removeWidget(widget)
        # `deleteLater` acts after this event; until then the widget would stay visible.
        widget.hide()
        widget.deleteLater()


def _widget_at(layout: QLayout, i: int) -> QWidget | None:
    # The variable ends here: an item that Python still holds is not freed by the layout.
    item = layout.itemAt(i)
    return None if item is None else item.widget()


def fitted(wanted: QSize, available: QSize) -> QSize:
    """Return a window size that fits on a screen.

    Parameters
    ----------
    wanted
        preferred size
    available
        free area of the screen
    """
    # The available area does not include the window frame.
    space = available - QSize(2 * FRAME_PX, TITLE_PX + FRAME_PX)
    return wanted.boundedTo(space)


def fit_to_screen(window: QWidget, width: int, height: int) -> None:
    """Resize a window, but not beyond its screen.

    Parameters
    ----------
    window
        the window
    width, height
        preferred size [px]
    """
    window.resize(fitted(QSize(width, height), window.screen().availableSize()))


def grow_to_fit(window: QWidget) -> None:
    """Make a window high enough for its texts. Layouts do not do this by themselves.

    Parameters
    ----------
    window
        the window; its width is kept
    """
    layout = window.layout()
    if layout is not None and window.isVisible():
        # Pending changes of the texts are applied first, or the old height would be measured.
        layout.activate()
        window.resize(
            window.width(), max(window.height(), layout.totalHeightForWidth(window.width()))
        )


class PageStack(QStackedWidget):
    """A stack of pages. The displayed page alone sets the minimum size."""

    def __init__(self) -> None:
        super().__init__()
        # The layout caches the size of the previous page otherwise.
        self.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        """Return the size of the displayed page; hidden pages need no space."""
        shown = self.currentWidget()
        return super().minimumSizeHint() if shown is None else shown.minimumSizeHint()
