"""Make previews of raw projections, in the process that reads foreign files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.state.models.import_model import ImportModel
from app.state.services.commands import Commands
from app.state.services.threads import Task
from engine.core.errors import EngineError
from engine.raw_import import Draft, ImportPreview, write_draft

WAIT_MS = 200
"""Delay between the last answer and the next preview [ms]."""


class ImportJob(QObject):
    """Makes a new preview after each answer. Only the newest counts.

    Signals
    -------
    written : path of the description that was saved next to the scan
    refused : reason why it was not saved, one sentence
    """

    written = Signal(object)
    refused = Signal(str)

    def __init__(self, commands: Commands, model: ImportModel, parent: QObject) -> None:
        super().__init__(parent)
        self._commands, self._model = commands, model
        self._is_stopped = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self.refresh)
        model.answers_changed.connect(self._timer.start)

    def refresh(self) -> None:
        """Start a preview with the current answers, unless one is being made."""
        model = self._model
        if model.is_busy or self._is_stopped:
            return
        model.begin()
        # A copy: the user may answer while the thread works.
        answers = dict(model.answers)

        def work(task: Task) -> ImportPreview | str:
            from engine.jobs import ForeignFiles

            files = ForeignFiles(self._commands.loader(), task.isInterruptionRequested)
            try:
                return files.import_preview(model.source, answers)
            except EngineError as e:
                return str(e)

        self._commands.run_task(
            work,
            lambda found: model.take(answers, found),
            failed=tr("The files could not be read."),
            on_failure=lambda text: model.take(answers, text),
            on_end=self._after_preview,
        )

    def write(self, draft: Draft, name: str) -> None:
        """Save the description next to the scan.

        Parameters
        ----------
        draft
            its content
        name
            file name, without a folder
        """

        def work(task: Task) -> Path | str:
            try:
                return write_draft(draft, draft.path.with_name(name))
            except (EngineError, ValueError) as e:
                return str(e)

        def done(found: Path | str) -> None:
            (self.refused if isinstance(found, str) else self.written).emit(found)

        self._commands.run_task(work, done, failed=tr("The description could not be saved."))

    def stop(self) -> None:
        """Start no more previews."""
        self._is_stopped = True
        self._timer.stop()

    def _after_preview(self) -> None:
        self._model.end()
        # An answer during the preview makes its result obsolete.
        if not self._model.is_current:
            self.refresh()
