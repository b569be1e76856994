"""The steps of the work, one above the other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.look.widgets import scrolled
from app.study.step_panel import StepPanel

LEAST_PX = 300


def column_of(steps: Sequence[StepPanel]) -> QWidget:
    """Return the steps in a column that scrolls."""
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
    return area
