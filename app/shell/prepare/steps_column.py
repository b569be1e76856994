"""Column of the workflow steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.ui.theme.widgets import scrolled
from app.workspace.steps.step_panel import StepPanel

MIN_PX, MARGIN_PX = 300, 8


def column_of(cards: Sequence[StepPanel], inner: Sequence[StepPanel]) -> QWidget:
    """Return the cards in a column that scrolls.

    Parameters
    ----------
    cards
        cards from top to bottom
    inner
        steps inside a card
    """
    inside = QWidget()
    inside.setObjectName("Workflow")
    column = QVBoxLayout(inside)
    column.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
    column.setSpacing(MARGIN_PX)
    for card in cards:
        column.addWidget(card)
    column.addStretch(1)
    area = scrolled(inside)
    area.setMinimumWidth(MIN_PX)
    inside.installEventFilter(MinimumWidth(area, inside))
    for step in (*cards, *inner):
        # The step has its new height only after the layout, in the next turn of the event loop.
        step.opened.connect(partial(QTimer.singleShot, 0, area, partial(_reveal, area, step)))
    return area


class MinimumWidth(QObject):
    """Keep a scroll area at least as wide as its content, which would be cut off otherwise."""

    def __init__(self, area: QScrollArea, inside: QWidget) -> None:
        super().__init__(area)
        self._area, self._inside = area, inside

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the content.

        Parameters
        ----------
        watched
            the content
        event
            event of Qt

        Returns
        -------
        bool
            always False: the event is not consumed
        """
        if event.type() == QEvent.Type.LayoutRequest:
            bar = self._area.verticalScrollBar().sizeHint().width()
            needed = self._inside.minimumSizeHint().width() + bar
            self._area.setMinimumWidth(max(MIN_PX, needed))
        return False


def _reveal(area: QScrollArea, step: StepPanel) -> None:
    """Scroll as little as possible to show an opened step, at least its top."""
    bar, height = area.verticalScrollBar(), area.viewport().height()
    top = step.mapTo(area.viewport(), QPoint()).y() + bar.value()
    bottom = top + step.height()
    if bottom > bar.value() + height:
        bar.setValue(min(top, bottom - height))
    # The top of a high step has priority over its end.
    elif top < bar.value():
        bar.setValue(top)
