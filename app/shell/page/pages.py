"""The two pages of the window: Prepare before a run, Judge during and after it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.state.models.inputs import DATA
from app.state.models.session import Session

Page = Literal["prepare", "judge"]


class Pages(QObject):
    """The current page. It follows the session, and the user can change it at any time.

    Signals
    -------
    changed : the other page is shown

    Attributes
    ----------
    current : the displayed page
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.current: Page = "prepare"
        self._run, self._study = session.run, session.study
        self._scan: object = None
        self._run.begun.connect(self._follow_run)
        self._study.inputs_changed.connect(self._follow_scan)

    def show(self, page: Page) -> None:
        """Show a page.

        Parameters
        ----------
        page
            "prepare" or "judge"
        """
        if page != self.current:
            self.current = page
            self.changed.emit()

    def _follow_run(self) -> None:
        # A run that was cleared has an empty record without a title.
        self.show("judge" if self._run.record.title else "prepare")

    def _follow_scan(self) -> None:
        scan = self._study.inputs.get(DATA)
        # Other inputs of the same scan must not change the page.
        if scan is not self._scan:
            self._scan = scan
            if scan is not None and not self._run.state.is_active:
                self.show("prepare")
