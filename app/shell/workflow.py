"""Left panel: the steps of the workflow, or those of the technician."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.shell.steps_column import LEAST_PX, column_of
from app.shell.technician.panel import TechnicianPanel
from app.state.services.context import AppContext
from app.ui.theme.widgets import scrolled
from app.workspace.steps.step_panel import StepPanel


class Workflow(QWidget):
    """Both columns; one is visible."""

    def __init__(
        self,
        steps: Sequence[StepPanel],
        context: AppContext,
        open_scan: Callable[[], object],
        start: Callable[[], object],
    ) -> None:
        super().__init__()
        self.steps = column_of(steps)
        self.panel = TechnicianPanel(context, open_scan, start)
        self.technician = scrolled(self.panel)
        self.technician.setMinimumWidth(LEAST_PX)
        # Both columns exist from the start, so that technician mode can change without a new
        # window.
        self.technician.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.steps)
        column.addWidget(self.technician)
