"""All studies, and the orders of the worklist."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.theme.widgets import button, fit_to_screen
from app.workspace.study_list.studies_page import StudiesPage
from app.workspace.study_list.worklist_page import WorklistPage

SIZE_PX = (940, 600)


class StudiesDialog(QDialog):
    """A list of studies and a list of orders."""

    def __init__(
        self,
        parent: QWidget | None,
        context: AppContext,
        resume: Callable[[str], object],
        show_queue: Callable[[], object],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Studies"))
        fit_to_screen(self, *SIZE_PX)
        self.studies = StudiesPage(context, resume, show_queue)
        self.worklist = WorklistPage(context)
        self.tabs = QTabWidget()
        self.tabs.addTab(self.studies, tr("Studies"))
        self.tabs.addTab(self.worklist, tr("Worklist"))
        self.close_button = button(tr("Close"), self.accept)
        self.close_button.setAutoDefault(False)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 16, 14)
        column.setSpacing(10)
        column.addWidget(self.tabs, 1)
        column.addLayout(row)
        self.studies.done.connect(self.accept)
        self.worklist.done.connect(self.accept)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.studies.search.setFocus()
        # Other windows and the queue may have added studies.
        self.studies.refresh()
