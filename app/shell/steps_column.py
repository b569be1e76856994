"""Column of the workflow steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.ui.theme.widgets import scrolled
from app.workspace.steps.step_panel import StepPanel

LEAST_PX = 300


def column_of(steps: Sequence[StepPanel]) -> QWidget:
    """Return the steps in a column that scrolls.

    Parameters
    ----------
    steps
        steps from top to bottom
    """
    inside = QWidget()
    inside.setObjectName("Workflow")
    column = QVBoxLayout(inside)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for step in steps:
        column.addWidget(step)
    column.addStretch(1)
    area = scrolled(inside)
    area.setMinimumWidth(LEAST_PX)
    for step in steps:
        # The step has its new height only after the layout, in the next turn of the event loop.
        step.opened.connect(partial(QTimer.singleShot, 0, area, partial(_reveal, area, step)))
    return area


def _reveal(area: QScrollArea, step: StepPanel) -> None:
    """Scroll as little as possible to show an opened step, at least its top."""
    bar, room = area.verticalScrollBar(), area.viewport().height()
    top, bottom = step.y(), step.y() + step.height()
    if bottom > bar.value() + room:
        bar.setValue(min(top, bottom - room))
    # The top of a high step has priority over its end.
    elif top < bar.value():
        bar.setValue(top)
