"""A card that drops down from a button over the views, without moving them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import icon_button, label, scrolled

WIDTH_PX, GAP_PX = 380, 6
MARGINS_PX = 14, 8, 10, 12
MOVES = (QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Move)


class DropDown(QFrame):
    """A card over the window. It stays until it is closed.

    Signals
    -------
    closed : the user closed the card

    Parameters
    ----------
    title : heading of the card
    inside : content
    theme : the theme
    anchor : widget below which it appears; the card hides with it
    """

    closed = Signal()

    def __init__(self, title: str, inside: QWidget, theme: Theme, anchor: QWidget) -> None:
        super().__init__(anchor)
        self.setProperty("role", "drop-down")
        self._anchor, self._inside = anchor, inside
        head = QHBoxLayout()
        head.addWidget(label(title, "heading"))
        head.addStretch(1)
        head.addWidget(icon_button("remove", theme, self._close, tr("Close")))
        column = QVBoxLayout(self)
        column.setContentsMargins(*MARGINS_PX)
        column.setSpacing(6)
        column.addLayout(head)
        self._area = scrolled(inside)
        self._area.setObjectName("DropDown")
        column.addWidget(self._area)
        escape = QShortcut(QKeySequence("Esc"), self, self._close)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        for each in (anchor, inside):
            each.installEventFilter(self)
        self.hide()

    def show_card(self, on: bool) -> None:
        """Show or hide the card.

        Parameters
        ----------
        on
            True to show it
        """
        window = self._anchor.window()
        if on and self.parentWidget() is not window:
            # The anchor is in its window only after the window was built.
            self.setParent(window)
            window.installEventFilter(self)
        self.setVisible(on)
        if on:
            self.raise_()
            self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the card below its anchor, and as high as its content.

        Parameters
        ----------
        watched
            the anchor, the content or the window
        event
            event of Qt

        Returns
        -------
        bool
            always False: the event is not consumed
        """
        if watched is self._anchor and event.type() == QEvent.Type.Hide:
            self.hide()
        elif event.type() in MOVES and self.isVisible():
            self._place()
        return False

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def _place(self) -> None:
        window = self._anchor.window()
        corner = self._anchor.mapTo(window, QPoint(0, self._anchor.height() + GAP_PX))
        left = max(min(corner.x(), window.width() - WIDTH_PX - GAP_PX), 0)
        frame = self.sizeHint() - self._area.sizeHint()
        layout = self._inside.layout()
        across = WIDTH_PX - MARGINS_PX[0] - MARGINS_PX[2]
        tall = layout.totalHeightForWidth(across) if layout is not None else -1
        tall = self._inside.sizeHint().height() if tall < 0 else tall
        height = window.height() - corner.y() - 2 * GAP_PX
        self.setGeometry(left, corner.y(), WIDTH_PX, min(tall + frame.height() + 4, height))
