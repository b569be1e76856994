"""Make previews of raw projections, in the process that reads foreign files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.state.models.import_model import ImportModel
from app.state.services.commands import Commands
from app.state.services.threads import Task
from engine.core.errors import DataError, EngineError
from engine.raw_import import Draft, FileStates, ImportPreview, states_of, write_draft

WAIT_MS = 200
"""Delay between the last answer and the next preview [ms]."""


class ImportJob(QObject):
    """Makes a new preview after each answer. Only the newest counts.

    Signals
    -------
    written : path of the description that was saved next to the scan, and the fingerprint of both
    refused : reason why it was not saved, one sentence
    """

    written = Signal(object, str)
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
        preview = self._model.preview
        shown = preview.states if preview is not None else ()

        def work(task: Task) -> tuple[Path, str] | str:
            from engine.jobs import ForeignFiles

            files = ForeignFiles(self._commands.loader(), task.isInterruptionRequested)
            path: Path | None = None
            try:
                _refuse_changed(draft, shown)
                path = write_draft(draft, draft.path.with_name(name))
                fingerprint = files.fingerprint(path)
                _refuse_changed(draft, shown)
            except (EngineError, ValueError) as e:
                if path is not None:  # a description of a scan that is gone
                    path.unlink(missing_ok=True)
                return str(e)
            return path, fingerprint

        def done(found: tuple[Path, str] | str) -> None:
            if isinstance(found, str):
                self.refused.emit(found)
            else:
                self.written.emit(*found)

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


def _refuse_changed(draft: Draft, shown: FileStates) -> None:
    """Refuse to describe files that are not those of the preview."""
    if states_of(draft) != shown:
        raise DataError(
            tr(
                "The files have changed since this preview, perhaps to the scan of another "
                "patient. Open the import again, and check the values."
            )
        )
