"""Open files one after the other, in the order of the user's requests.

Each is read for the study that is open when its turn comes. If a scan is refused, files for it are
refused too: they must not be added to the previous scan.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.inputs import DATA, Inputs
from app.state.models.messages import Answer, Problem
from app.state.models.preferences import Preferences
from app.state.models.scanner_inputs import RememberedInputs
from app.state.models.session import Session
from app.state.services.opening_request import Request
from app.state.services.outcomes import (
    Addition,
    Choice,
    LoadedVolume,
    NewStudy,
    Outcome,
    Revision,
    Wanted,
)
from app.state.services.raw_projections import UndescribedError, undescribed
from app.state.services.reading import StudyReader
from app.state.services.tasks import Tasks
from engine.core.errors import (
    CutOffError,
    EngineError,
    ReadingStoppedError,
    ScannerMissingError,
    SeveralItemsError,
)

if TYPE_CHECKING:  # the loader is not needed to open the window
    from app.state.services.threads import Task
    from engine.jobs import Loader


class Opening(QObject):
    """Reads requested files and passes valid ones to the study.

    Signals
    -------
    import_requested : a file or folder that the user agreed to import
    item_requested : a folder, and the scans and images in it to choose from

    Attributes
    ----------
    serial : increases whenever the user opens or clears something
    """

    import_requested = Signal(object)
    item_requested = Signal(object, object)

    def __init__(
        self,
        session: Session,
        preferences: Preferences,
        remembered: RememberedInputs,
        tasks: Tasks,
        loader: Callable[[], Loader],
    ) -> None:
        super().__init__(tasks)
        self._session, self._preferences, self._remembered = session, preferences, remembered
        self._study, self._run = session.study, session.run
        self._tasks, self._loader = tasks, loader
        self._queue: deque[Request] = deque()
        self._current: Request | None = None
        self._lost = ""
        self._waiting: Wanted | None = None
        self.serial = 0

    def add(self, request: Request) -> None:
        """Read a file after all earlier requests.

        Parameters
        ----------
        request
            refused with a message while a run is active
        """
        if self._run.state.is_active:
            self._refuse_while_running(request)
            return
        self.serial += 1
        self._queue.append(request)
        if self._current is None:
            self._next()
        self._show()

    def stop(self) -> None:
        """Drop waiting requests and ask the current one to stop."""
        self._queue.clear()
        self._tasks.stop()
        self._show()

    def cancel(self) -> None:
        """Drop waiting requests and ignore the result of the current one."""
        # Panels compare this number to notice that their request is obsolete.
        self.serial += 1
        self._queue.clear()
        self._current = self._waiting = None
        self._tasks.stop()
        self._show()

    def _show(self) -> None:
        requests = [self._current, *self._queue]
        self._study.show_reading({each.role: each.name for each in requests if each is not None})

    def _next(self) -> None:
        if not self._queue:
            self._current, self._lost = None, ""
            self._show()
            return
        request = self._current = self._queue.popleft()
        inputs, roles, title = self._study.inputs, self._study.roles, self._study.modality.title
        waiting = self._waiting
        # The thread gets a copy: the study may change while the file is being read.
        copy = Inputs(**inputs)

        def work(task: Task) -> Outcome | EngineError:
            from engine.jobs import ForeignFiles

            files = ForeignFiles(self._loader(), task.isInterruptionRequested)
            try:
                agreed = request.complete_events
                reader = StudyReader(files, self._remembered, copy, roles, title, waiting, agreed)
                return request.work(reader)
            except EngineError as e:
                is_scan = request.role in ("", DATA)
                # Recognising raw projections reads files, so it happens in the thread too.
                return undescribed(e, request.path if is_scan else None, files)

        self._tasks.run_task(
            work,
            lambda outcome: self._take(request, inputs, outcome),
            busy=tr("Reading {name}", name=request.name),
            failed=request.refusal,
            stoppable=True,
            on_end=lambda: self._end_request(request),
        )

    def _end_request(self, request: Request) -> None:
        if self._current is request:
            self._next()

    def _take(self, request: Request, inputs: Inputs, outcome: Outcome | EngineError) -> None:
        """Apply what was read, unless the user has cancelled it."""
        if self._current is not request:
            return
        if isinstance(outcome, EngineError):
            self._refuse(request, outcome)
            return
        if self._run.state.is_active:
            self._refuse_while_running(request)
            return
        # An additional file was checked against the scan that was open when reading started.
        if isinstance(outcome, Addition | Revision) and not self._belongs(request, inputs):
            return
        try:
            self._apply(outcome)
        except EngineError as e:
            self._refuse(request, e)
            return
        # Later requests might replace this study, so its callback must not start a run.
        if request.done is not None and not self._queue:
            self._study.show_reading({})
            request.done()

    def _belongs(self, request: Request, inputs: Inputs) -> bool:
        """Return True if a file is for the open scan; otherwise show a message."""
        text = ""
        if self._lost:
            text = tr("{lost} could not be opened. This file belongs to it.", lost=self._lost)
        elif self._study.inputs is not inputs:
            text = tr("This file belongs to a scan that was closed; open the scan again.")
        if text:
            self._session.raise_problem(Problem(request.refusal, text))
        return not text

    def _apply(self, outcome: Outcome) -> None:
        study = self._study
        match outcome:
            case NewStudy():
                # A valid scan ends the state in which a scan was missing its scanner.
                self._lost, self._waiting = "", None
                self._session.opened_from = outcome.path
                study.begin(outcome.inputs, outcome.protocol)
                self._preferences.remember(outcome.path)
                self._show_left_out(outcome.refused)
                self._show_changed_files(outcome)
            case Revision():
                study.revise(outcome.inputs)
            case Addition():
                study.set_input(outcome.role, outcome.found)
            case LoadedVolume():
                self._show_volume(outcome)
            case Choice():
                study.use_protocol(outcome.protocol)

    def _show_volume(self, found: LoadedVolume) -> None:
        from engine.protocols.privacy import pseudonym_of

        name, identify = found.path.name, self._preferences.identify
        alias = name if identify else pseudonym_of(found.path, "volume")
        self._session.show_file(
            found.volume, name, alias, found.frames, format=found.format, path=found.path
        )

    def _show_left_out(self, refused: tuple[str, ...]) -> None:
        # The scan is open, so this is one message about all files and not an error each.
        if refused:
            title = tr("A file that belongs to this scan was skipped.")
            self._session.raise_problem(Problem(title, " ".join(refused)))

    def _show_changed_files(self, found: NewStudy) -> None:
        """Warn that a study was saved with other files than those that were read now."""
        if not found.changed:
            return
        title = tr("A file has changed since this study was saved.")
        if DATA in found.inputs and found.inputs[DATA].name in found.changed:
            title = tr("The scan file has changed since this study was saved.")
        text = tr(
            "{names}: another file has this name now, perhaps of another patient. Check the "
            "patient, the dose and all settings before you start.",
            names=", ".join(found.changed),
        )
        self._session.raise_problem(Problem(title, text))

    def _refuse(self, request: Request, fault: EngineError) -> None:
        """Show why a file is refused. The study does not change."""
        text, before = str(fault), self._study.inputs.get(DATA)
        safe = tr("{name} stays open.", name=before.name) if before is not None else ""
        safe = f"{request.safe} {safe}".strip()
        if isinstance(fault, ReadingStoppedError):
            title = tr("{name} was not opened.", name=request.name)
            self._session.raise_problem(
                Problem(title, tr("Reading was cancelled."), safe, is_fault=False)
            )
            return
        # Not an error for the user: a dialog lists the scans in the folder.
        if isinstance(fault, SeveralItemsError):
            self.item_requested.emit(request.path, fault.items)
            return
        if isinstance(fault, ScannerMissingError):
            text = f"{text} {tr('Choose the scanner or crystal map to open the scan.')}"
        if request.role in ("", DATA):
            # Files that follow in the queue probably belong to this scan.
            self._lost = request.name
            self._waiting = self._without_scanner(request, fault)
        if isinstance(fault, UndescribedError):
            self._offer_import(request, text, safe)
            return
        files = (request.path,) if request.path is not None else ()
        answer = None
        if isinstance(fault, CutOffError):
            text = tr(
                "{what}. Copy the file again, or use only the complete part. Every image will "
                "then state that its scan is incomplete.",
                what=fault.what,
            )
            answer = self._answer(request, fault)
        self._session.raise_problem(
            Problem(request.refusal, text, safe, answer=answer, files=files)
        )

    def _offer_import(self, request: Request, text: str, safe: str) -> None:
        answer = Answer(
            tr("Import …"),
            tr("Review the values found in the files and enter the missing ones"),
            lambda: self.import_requested.emit(request.path),
        )
        title = tr("{name} has no description of its data.", name=request.name)
        self._session.raise_problem(Problem(title, text, safe, answer=answer, is_fault=False))

    def _without_scanner(self, request: Request, fault: EngineError) -> Wanted | None:
        """Return the scan that can be opened once its scanner has been chosen."""
        if request.path is None or not isinstance(fault, ScannerMissingError):
            return None
        return Wanted(request.path, complete_events=request.complete_events)

    def _answer(self, request: Request, fault: CutOffError) -> Answer | None:
        """Return the action to use the complete part of a truncated scan."""
        if not fault.n_events:
            return None
        agreed = replace(request, complete_events=True)
        return Answer(
            tr("Use the {n_events:,} complete events", n_events=fault.n_events),
            tr("Open the scan without the incomplete record at its end"),
            lambda: self.add(agreed),
        )

    def _refuse_while_running(self, request: Request) -> None:
        text = tr("A reconstruction is running; finish or abort it before changing the study.")
        self._session.raise_problem(Problem(request.refusal, text, tr("The run continues.")))
