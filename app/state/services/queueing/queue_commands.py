"""User actions on the queue: add, order, pause, retry, remove, start.

A separate process works on the queue. The window starts it and communicates through files. The
process therefore continues when the window closes or crashes, and the next window finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.queueing.queue_intake import QueueIntake
from app.state.services.queueing.queued_study import QueuedStudy
from app.state.services.queueing.scan_to_read import NOT_BEGUN
from app.state.services.result_commands import ResultCommands
from engine.core.errors import EngineError
from engine.jobs import QueueEntry, QueueSettings, StudyQueue, ensure_runner
from engine.modalities import Protocol, modality_of

POLL_MS = 1000
"""Polling interval while something may change [ms]."""
Found = tuple[tuple[QueueEntry, ...], QueueSettings, bool]


class QueueCommands(QObject):
    """Changes the queue on disk, in threads, and updates the model of the session.

    Attributes
    ----------
    intake : adds many scans at once, and takes the answers to their questions
    """

    def __init__(
        self,
        session: Session,
        commands: Commands,
        preferences: Preferences,
        results: ResultCommands,
    ) -> None:
        super().__init__()
        self._session, self._commands, self._preferences = session, commands, preferences
        self._model, self._results = session.queue, results
        self._is_looking = False
        # Replaceable, so that tests need no process.
        self.start_runner: Callable[[StudyQueue], object] = ensure_runner
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._refresh)
        self._model.ended.connect(self._report_end)
        self.intake = QueueIntake(session, commands, preferences, self._change_queue)
        self.intake.setParent(self)

    def refresh(self) -> None:
        """Read the queue, and start its process if it should run and none is alive."""
        # A slow disk can take longer than the polling interval.
        if self._is_looking:
            return
        self._is_looking = True

        def find(_: object) -> Found:
            queue = StudyQueue()
            self.start_runner(queue)
            return _read_queue(queue)

        self._commands.run_task(
            lambda task: _result_or_fault(lambda: find(task)),
            self._update_model,
            on_end=self._finish_reading,
        )

    def obstacle(self) -> str:
        """Return the reason why the open study cannot be added; empty if it can."""
        if "data" not in self._session.study.inputs:
            return tr("Open a scan first.")
        session = self._session
        return session.study.obstacle() or session.order.obstacle(session.patients())

    def add(self) -> None:
        """Add the open study, with its current settings, at the end."""
        session = self._session
        session.unlock_key()
        if obstacle := self.obstacle():
            session.add_log(
                "warning",
                tr("The study cannot be added to the queue. {obstacle}", obstacle=obstacle),
            )
            return
        queued = QueuedStudy.of(session.study, identified=self._preferences.identify)
        # Read here and not in the thread: the user may release the order meanwhile.
        order = session.order.current

        def added() -> None:
            # Only after success: a scan that was not queued is not bound to the patient.
            session.order.bind()
            session.study.note_stored(queued.study)
            self._log_added(queued.study.title)

        self._change_queue(
            lambda queue: queued.add_to(queue, order),
            tr("The study could not be added to the queue."),
            added,
        )

    def protocols_for(self, entry: QueueEntry) -> list[Protocol]:
        """Return the protocols that a study may use instead of its own.

        Parameters
        ----------
        entry
            its entry

        Returns
        -------
        an empty list if the study has begun, or has no protocol of its own yet
        """
        if entry.state not in NOT_BEGUN or not (entry.study and entry.has_protocol):
            return []
        kind = modality_of(entry.to_study().protocol)
        listed = [each.protocol for each in self._preferences.library.listed(kind)]
        # In technician mode only approved protocols are offered.
        return list(self._session.study.offered(kind)) or listed

    def alike(self, entry: QueueEntry) -> list[QueueEntry]:
        """Return the other studies of the same kind of scanner that have not begun.

        Parameters
        ----------
        entry
            entry of the queue
        """
        kind = entry.scanner_kind
        return [
            each
            for each in self._model.entries
            if kind and each.scanner_kind == kind and each.id != entry.id
            if each.state in NOT_BEGUN and each.has_protocol
        ]

    def run(self, at_once: int | None = None) -> None:
        """Start waiting studies.

        Parameters
        ----------
        at_once
            number of parallel studies; None keeps the setting
        """
        self._session.unlock_key()
        self._change_queue(
            lambda queue: queue.set_running(True, at_once), tr("The queue could not be started.")
        )

    def pause_all(self) -> None:
        """Start no more studies; running ones save a checkpoint and wait."""
        self._change_queue(
            lambda queue: queue.set_running(False), tr("The queue could not be paused.")
        )

    def set_at_once(self, at_once: int) -> None:
        """Set the number of parallel studies.

        Parameters
        ----------
        at_once
            0 for as many as the estimated memory allows
        """
        self._change_queue(
            lambda queue: queue.change_settings(at_once=at_once),
            tr("The number of parallel studies could not be changed."),
        )

    def pause(self, id: str) -> None:
        """Pause a study.

        Parameters
        ----------
        id
            ID of its entry
        """
        self._change_queue(lambda queue: queue.pause(id), tr("The study could not be paused."))

    def resume(self, id: str) -> None:
        """Let a paused study wait for its turn again.

        Parameters
        ----------
        id
            ID of its entry
        """
        self._change_queue(lambda queue: queue.resume(id), tr("The study could not be resumed."))

    def retry(self, id: str) -> None:
        """Let a failed study wait for its turn again.

        Parameters
        ----------
        id
            ID of its entry
        """
        self._change_queue(lambda queue: queue.retry(id), tr("The study could not be retried."))

    def remove(self, id: str) -> None:
        """Remove a study; its results stay.

        Parameters
        ----------
        id
            ID of its entry
        """
        self._change_queue(lambda queue: queue.remove(id), tr("The study could not be removed."))

    def clear(self) -> None:
        """Remove finished studies; their results stay."""
        self._change_queue(
            lambda queue: queue.clear_finished(), tr("The queue could not be changed.")
        )

    def move(self, id: str, to: int) -> None:
        """Move a study.

        Parameters
        ----------
        id
            ID of its entry
        to
            new position, counted from 0
        """
        self._change_queue(
            lambda queue: queue.move(id, to), tr("The order of the studies could not be changed.")
        )

    def _change_queue(
        self,
        act: Callable[[StudyQueue], object],
        failed: str,
        done: Callable[[], object] | None = None,
        on_end: Callable[[], object] | None = None,
    ) -> None:
        def work(_: object) -> Found:
            queue = StudyQueue()
            act(queue)
            # The process ends when nothing is left to do, so each change may have to start it
            # again.
            self.start_runner(queue)
            return _read_queue(queue)

        def update(found: Found) -> None:
            self._update_model(found)
            if done is not None:
                done()

        self._commands.run_task(work, update, failed=failed, on_end=on_end)

    def _log_added(self, title: str, files: tuple[Path, ...] = ()) -> None:
        self._session.add_log("info", tr("Added to the queue: {title}.", title=title), files)

    def _update_model(self, found: Found | str) -> None:
        if isinstance(found, str):
            self._model.refuse(found)
            return
        entries, settings, runs = found
        self._model.take(entries, settings, runs=runs)
        # Polling stops for an idle queue, which keeps the disk asleep.
        if self._model.may_change:
            self._timer.start()
        else:
            self._timer.stop()

    def _refresh(self) -> None:
        self.refresh()

    def _finish_reading(self) -> None:
        self._is_looking = False

    def _report_end(self, entry: QueueEntry) -> None:
        if entry.state == "finished":
            self._session.add_log(
                "info", tr("Queued study finished: {title}.", title=entry.title), entry.files
            )
            self._results.refresh()
            return
        title = tr("Queued study failed: {title}.", title=entry.title)
        # A failed study was not started in this window, so nobody may be watching it.
        problem = Problem(title, entry.text, tr("The queue continues."), files=entry.files)
        self._session.raise_problem(problem)


def _read_queue(queue: StudyQueue) -> Found:
    settings = queue.settings
    return tuple(queue.entries()), settings, settings.runs and settings.has_runner


def _result_or_fault(find: Callable[[], Found]) -> Found | str:
    """Return an error as text: polling would otherwise raise it every second."""
    try:
        return find()
    except EngineError as e:
        return str(e)
