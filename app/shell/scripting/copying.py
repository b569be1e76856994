"""Copy a study as a Python script or as a command, to run it again elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.shell.page.pages import Pages
from app.state.models.inputs import DATA
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.views.literal_text import literal_tip
from engine.core.errors import EngineError
from engine.modalities import Study

NO_STUDY = tr("Open a scan first.")
NO_FILES = tr("This image was read from a file, so the program does not know its study.")
PYTHON_TIP = tr("Copy a Python script that makes the same image")
COMMAND_TIP = tr("Copy a command for the terminal that makes the same image")


class ScriptActions(QObject):
    """Copy the study: on the page Judge that of the displayed image, otherwise the open one.

    Attributes
    ----------
    python, command : actions of the File menu
    """

    def __init__(self, parent: QWidget, context: AppContext, pages: Pages) -> None:
        super().__init__(parent)
        self._session, self._pages = context.session, pages
        self.python = QAction(tr("Copy as Python"), parent)
        self.command = QAction(tr("Copy as command"), parent)
        self.python.triggered.connect(partial(self._copy, "python"))
        self.command.triggered.connect(partial(self._copy, "command"))
        session = self._session
        for changed in (pages.changed, session.study.inputs_changed, session.run.begun):
            changed.connect(self.refresh)
        session.run.state_changed.connect(lambda *_: self.refresh())
        self.refresh()

    def refresh(self) -> None:
        """Enable the actions if there is a study; their tooltips state the reason if not."""
        why = self.obstacle()
        for action, tip in ((self.python, PYTHON_TIP), (self.command, COMMAND_TIP)):
            action.setEnabled(not why)
            action.setToolTip(literal_tip(why or tip))

    def obstacle(self) -> str:
        """Return the reason why there is no study; empty if there is one."""
        if self._shows_judge:
            return "" if self._session.run.record.study is not None else NO_FILES
        return "" if DATA in self._session.study.inputs else NO_STUDY

    @property
    def _shows_judge(self) -> bool:
        return self._pages.current == "judge"

    def study(self) -> Study | None:
        """Return the study of the displayed page; None if there is none."""
        if self.obstacle():
            return None
        made_from = self._session.run.record.study
        if self._shows_judge and made_from is not None:
            return made_from
        return self._session.study.to_study()

    def _copy(self, kind: str) -> None:
        # Imported late: few sessions copy a study.
        from engine.jobs import command_of, script_of

        writers: dict[str, Callable[..., str]] = {"python": script_of, "command": command_of}
        on = self._session.device.in_use
        threads = on.threads if on is not None and on.key == "cpu" else None
        study = self.study()
        if study is None:
            return
        try:
            text = writers[kind](
                study,
                Path("image.nii.gz"),
                device=on.key if on is not None else "auto",
                threads=threads,
            )
        except EngineError as e:
            self._session.raise_problem(Problem(tr("The study was not copied."), str(e)))
            return
        QGuiApplication.clipboard().setText(text)
        done = tr("A Python script for {study} was copied to the clipboard.", study=study.title)
        if kind == "command":
            done = tr("A command for {study} was copied to the clipboard.", study=study.title)
        self._session.add_log("info", done)
