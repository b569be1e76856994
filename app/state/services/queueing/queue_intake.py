"""Add many scans to the queue without opening them, and take the answers to their questions.

Scans are read one after the other in a thread. Each gets the protocol of its scanner and kind, as
if it were opened alone. A scan that leaves a value open waits in the queue with its question.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.outcomes import NewStudy, Wanted
from app.state.services.queueing.batch_reading import SortedFiles, Unread, read_scan, sort_files
from app.state.services.queueing.queued_study import QueuedStudy, queued_scan, unread_scan
from app.state.services.queueing.scan_to_read import ScanToRead
from app.state.services.threads import Task
from engine.core.errors import EngineError, ReadingStoppedError
from engine.jobs import InputFile, Question, QueueEntry, StudyQueue, UnreadScan
from engine.modalities import Protocol, Study, modality_of

Act = Callable[[StudyQueue], object]


@dataclass(frozen=True)
class QueueAnswer:
    """Answer of the user to the question of a queued scan.

    Attributes
    ----------
    scanner : name or file of the scanner
    complete_events : True to use the complete part of a truncated scan
    imported : description of raw projections that the user has written
    fingerprint : fingerprint of the scan that it describes; empty if unknown
    protocol : protocol to use
    inputs : auxiliary files that belong to the scan
    accepts : True to accept the assumed values, or the protocol that does not fit
    """

    scanner: str | None = None
    complete_events: bool = False
    imported: Path | None = None
    fingerprint: str = ""
    protocol: Protocol | None = None
    inputs: tuple[InputFile, ...] = ()
    accepts: bool = False


class QueueIntake(QObject):
    """Reads scans for the queue, in order.

    Signals
    -------
    begun : scans are about to be added, so that the queue should be shown
    changed : the number of scans that are still to be read
    ended : all scans have been read

    Parameters
    ----------
    act : changes the queue in a thread: action, title of an error, callback after success,
        callback in every case
    """

    begun = Signal()
    changed = Signal()
    ended = Signal()

    def __init__(
        self,
        session: Session,
        commands: Commands,
        preferences: Preferences,
        act: Callable[[Act, str, Callable[[], object], Callable[[], object]], object],
    ) -> None:
        super().__init__()
        self._session, self._commands, self._preferences = session, commands, preferences
        self._act = act
        self._unsorted: list[tuple[Path, ...]] = []
        self._left: deque[ScanToRead] = deque()
        self._current: ScanToRead | None = None
        self._is_reading = self._is_sorting = self._is_writing = False
        self.done = self.total = 0

    @property
    def is_busy(self) -> bool:
        """True while files are sorted or read."""
        return self._is_sorting or self._is_reading or self._is_writing or bool(self._left)

    @property
    def unsorted(self) -> tuple[Path, ...]:
        """Files and folders among which scans are still searched."""
        return tuple(path.absolute() for paths in self._unsorted for path in paths)

    @property
    def unread(self) -> tuple[UnreadScan, ...]:
        """Scans that are not in the queue yet."""
        current = (self._current,) if self._current is not None else ()
        return tuple(each.to_unread() for each in (*current, *self._left) if not each.is_written)

    # Requests

    def sort(self, paths: tuple[Path, ...], alone: Callable[[], object]) -> None:
        """Add the scans among files to the queue if there are several.

        Parameters
        ----------
        paths
            files and folders that were dropped or chosen together
        alone
            called instead if there are not several scans
        """

        def on_sorted(found: SortedFiles) -> None:
            if len(found.scans) > 1:
                self._add_found(found)
            else:
                alone()

        self._sort(paths, on_sorted)

    def add(self, paths: tuple[Path, ...]) -> None:
        """Add all scans among files to the queue.

        Parameters
        ----------
        paths
            files and folders
        """
        self._sort(paths, self._add_found)

    def resume_reading(self, scans: Iterable[ScanToRead], paths: tuple[Path, ...]) -> None:
        """Read the scans that an earlier window did not read.

        Parameters
        ----------
        scans
            the scans
        paths
            files and folders among which it had not searched for scans yet
        """
        self._start(scans)
        if paths:
            self.add(paths)

    def answer(self, entries: Iterable[QueueEntry], answer: QueueAnswer) -> None:
        """Take an answer to the question of scans; each is read again with it.

        Parameters
        ----------
        entries
            entries with a question
        answer
            the answer
        """
        self._start(_answered(entry, answer) for entry in entries if entry.question)

    def use_protocol(self, entries: Iterable[QueueEntry], protocol: Protocol) -> None:
        """Use another protocol for scans that have not begun.

        Parameters
        ----------
        entries
            their entries; those of another modality stay as they are
        protocol
            the protocol
        """
        kind = modality_of(protocol)
        suiting = [e for e in entries if modality_of(e.to_study().protocol) is kind]
        self._start(_answered(entry, QueueAnswer(protocol=protocol)) for entry in suiting)

    # Reading

    def _sort(self, paths: tuple[Path, ...], on_sorted: Callable[[SortedFiles], object]) -> None:
        self._is_sorting = True
        self._unsorted.append(paths)

        def work(task: Task) -> SortedFiles:
            from engine.jobs import ForeignFiles

            files = ForeignFiles(self._commands.loader(), task.isInterruptionRequested)
            try:
                return sort_files(files, paths)
            except ReadingStoppedError:
                return SortedFiles(skipped=(tr("Reading was cancelled."),))

        def end() -> None:
            self._is_sorting = False
            if paths in self._unsorted:
                self._unsorted.remove(paths)

        def on_end() -> None:
            end()
            self.changed.emit()

        def done(found: SortedFiles) -> None:
            end()
            on_sorted(found)

        self._commands.run_task(
            work,
            done,
            busy=tr("Searching for scans …"),
            failed=tr("The files could not be read."),
            stoppable=True,
            on_end=on_end,
        )
        self.changed.emit()

    def _add_found(self, found: SortedFiles) -> None:
        if found.skipped or not found.scans:
            title = tr("Some files were not added to the queue.")
            text = " ".join(found.skipped) or tr("They contain no scan.")
            self._session.raise_problem(Problem(title, text, is_fault=False))
        if found.scans:
            self.begun.emit()
        self._start(ScanToRead(Wanted(path), found.inputs) for path in found.scans)

    def _start(self, readings: Iterable[ScanToRead]) -> None:
        more = tuple(readings)
        is_idle = not (self._left or self._is_reading or self._is_writing)
        if is_idle:
            self.done = self.total = 0
        self._left.extend(more)
        self.total += len(more)
        self.changed.emit()
        if is_idle:
            self._next()

    def _next(self) -> None:
        if not self._left:
            if self.total:
                self.ended.emit()
            return
        reading = self._current = self._left.popleft()
        self._is_reading = True
        wanted, remembered = reading.wanted, self._commands.remembered

        def work(task: Task) -> NewStudy | Unread | str:
            from engine.jobs import ForeignFiles

            files = ForeignFiles(self._commands.loader(), task.isInterruptionRequested)
            try:
                return read_scan(files, remembered, wanted)
            except ReadingStoppedError:
                return tr("Reading was cancelled.")

        self._commands.run_task(
            work,
            lambda found: self._store(reading, found),
            busy=tr("Reading {name}", name=wanted.data.name),
            failed=tr("{name} cannot be opened.", name=wanted.data.name),
            stoppable=True,
            on_end=self._after_reading,
        )

    def _after_reading(self) -> None:
        self._is_reading = False
        self._finish_scan()

    def _after_writing(self) -> None:
        self._is_writing = False
        self._finish_scan()

    def _finish_scan(self) -> None:
        # The next scan is read only after this one is written, which keeps their order.
        if self._is_reading or self._is_writing:
            return
        self.done += 1
        self._current = None
        self.changed.emit()
        self._next()

    def _store(self, reading: ScanToRead, found: NewStudy | Unread | str) -> None:
        """Write a scan to the queue; one that is refused does not stop the others."""
        name = reading.wanted.data.name
        title = tr("{name} could not be added to the queue.", name=name)
        if isinstance(found, str):  # the user stopped the reading of all
            self._left.clear()
            self._session.raise_problem(Problem(title, found, is_fault=False))
            return
        try:
            queued = self._queued(reading, found)
        except EngineError as e:
            files = (reading.wanted.data,)
            self._session.raise_problem(Problem(title, str(e), files=files))
            return
        entry, agreed = reading.entry, reading.agreed
        self._is_writing = True

        def write(queue: StudyQueue) -> None:
            if entry is not None:
                queued.replace_in(queue, entry, agreed)
            else:
                queued.add_to(queue)
            # Here in the thread: a window that closes receives no callbacks any more.
            reading.is_written = True

        def log() -> None:
            if entry is None:
                text = tr("Added to the queue: {title}.", title=queued.study.title)
                self._session.add_log("info", text, (queued.study.data,))

        self._act(write, title, log, self._after_writing)

    def _queued(self, reading: ScanToRead, found: NewStudy | Unread) -> QueuedStudy:
        identified = self._preferences.identify
        if isinstance(found, Unread):
            wanted, loose = reading.wanted, reading.loose
            return unread_scan(found, wanted, identified=identified, loose=loose)
        agreed = (*reading.agreed, *(reading.entry.agreed if reading.entry is not None else ()))
        return queued_scan(
            found,
            self._session.study,
            identified=identified,
            agreed=agreed,
            loose=reading.loose,
        )


def _of_unchanged(study: Study, answer: QueueAnswer) -> dict[str, str]:
    """Return the fingerprints of the files that an answer does not replace."""
    given = {each.role: each.path for each in answer.inputs}
    known = study.with_inputs(given).fingerprints
    if answer.imported is None:
        return known
    # The description is another file, but of the scan that the user has seen while describing it.
    known = {role: digest for role, digest in known.items() if role != DATA}
    return known | ({DATA: answer.fingerprint} if answer.fingerprint else {})


def _answered(entry: QueueEntry, answer: QueueAnswer) -> ScanToRead:
    """Return what to read for an entry after an answer."""
    study, asked = entry.to_study(), entry.open_question
    question = asked or Question(kind="protocol", text="", has_protocol=True)
    given = {role: str(path) for role, path in study.inputs.items()}
    given |= {each.role: str(each.path) for each in answer.inputs}
    wanted = Wanted(
        answer.imported or study.data,
        answer.scanner or study.scanner,
        given,
        study.protocol if question.has_protocol else None,
        # A scan that was read names all of its files; a placeholder finds those next to it.
        is_whole=question.has_protocol,
        complete_events=answer.complete_events or study.complete_events,
        # The answer is for the scan that the question was about.
        fingerprints=_of_unchanged(study, answer),
    )
    if answer.protocol is not None:
        wanted = replace(wanted, protocol=answer.protocol)
    # Files that were offered to this scan are not offered again.
    loose = () if question.kind == "input" else question.files
    return ScanToRead(wanted, loose, question.assumed if answer.accepts else (), entry)
