"""Unfinished work of this window on the disk, and that of windows that have ended.

Work is scans that are still to be read for the queue, signed results that are still to be sent, and
edited settings that have never run. The file follows every change, because a window may be killed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.queueing.queue_commands import QueueCommands
from app.state.services.queueing.scan_to_read import ScanToRead, scans_to_read
from app.state.services.result_commands import ResultCommands
from app.state.services.unfinished.edited_studies import EditedStudies
from engine.core.errors import EngineError
from engine.jobs import (
    EditedStudy,
    RecoveredWork,
    StudyQueue,
    UnsentResult,
    WindowWork,
    WindowWorkFile,
)

EDIT_MS = 1000
"""Time after the last change of a setting until the edited study is written."""


@dataclass(frozen=True)
class _Found:
    """Work of earlier windows, with the scans that are still to be read.

    Attributes
    ----------
    recovered : the work and its files
    scans : scans that are still to be read
    edited : edited studies that this version can open
    faults : a sentence for each file or study that cannot be used
    """

    recovered: RecoveredWork
    scans: tuple[ScanToRead, ...]
    edited: tuple[EditedStudy, ...]
    faults: tuple[str, ...]


class UnfinishedWork(QObject):
    """Writes the unfinished work of this window, and takes over that of earlier ones.

    Signals
    -------
    changed : there are other offers

    Attributes
    ----------
    edited : edited studies, with those that are offered
    """

    changed = Signal()

    def __init__(
        self,
        session: Session,
        commands: Commands,
        queue: QueueCommands,
        results: ResultCommands,
    ) -> None:
        super().__init__()
        self._session, self._commands, self._intake = session, commands, queue.intake
        self._file, self._written = WindowWorkFile(), WindowWork()
        self.edited = EditedStudies(session, commands, results)
        self._unsent: tuple[UnsentResult, ...] = ()
        self._is_closed = self._has_failed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(EDIT_MS)
        self._timer.timeout.connect(self._write)
        for edits in (session.study.inputs_changed, session.study.protocol_changed):
            edits.connect(self._timer.start)
        session.study.stored.connect(self._timer.start)
        self.edited.changed.connect(self._follow)
        self._intake.changed.connect(self._write)
        session.outbox.changed.connect(self._write)
        session.outbox.sent.connect(self._take_sent)

    @property
    def left(self) -> WindowWork:
        """Signed results and edited studies for the user to decide."""
        return WindowWork(unsent=self._unsent, edited=self.edited.left)

    def recover(self) -> None:
        """Find the work of windows that have ended: continue the reading, offer the rest."""

        def find(_: object) -> _Found:
            recovered = self._file.recover()
            scans = (
                scans_to_read(StudyQueue(), recovered.work.unread) if recovered.work.unread else ()
            )
            refusals = {each: _refusal(each) for each in recovered.work.edited}
            edited = tuple(each for each, why in refusals.items() if not why)
            faults = (*recovered.faults, *filter(None, refusals.values()))
            return _Found(recovered, scans, edited, faults)

        failed = tr("The unfinished work of earlier windows could not be read.")
        self._commands.run_task(find, self._offer_found, failed=failed)

    def reopen(self, edited: EditedStudy) -> None:
        """Open an edited study again; it stays unfinished until it runs or is saved.

        Parameters
        ----------
        edited
            an offered study; a failure is shown to the user
        """
        self.edited.reopen(edited)

    def drop_edited(self, edited: EditedStudy) -> None:
        """Offer an edited study no longer.

        Parameters
        ----------
        edited
            an offered study
        """
        self.edited.drop(edited)

    def drop_unsent(self, id: str) -> None:
        """Offer a signed result no longer.

        Parameters
        ----------
        id
            ID of the result
        """
        rest = tuple(each for each in self._unsent if each.id != id)
        if rest != self._unsent:
            self._unsent = rest
            self._follow()

    def close(self) -> None:
        """Write the work that is left when the window closes; it changes no more afterwards."""
        self._timer.stop()
        self._write(closed=True)
        self._is_closed = True

    def _follow(self) -> None:
        self._write()
        self.changed.emit()

    def _offer_found(self, found: _Found) -> None:
        recovered, work = found.recovered, found.recovered.work
        if found.faults:
            title = tr("Unfinished work of an earlier window could not be read.")
            self._session.raise_problem(Problem(title, " ".join(found.faults)))
        self._intake.resume_reading(found.scans, work.unsorted)
        self._unsent = self.left.with_work_of(WindowWork(unsent=work.unsent)).unsent
        self.edited.add(found.edited)  # which writes the file, and shows the offers
        if self._write():
            # Only now, so that a crash in between loses nothing.
            with suppress(OSError):
                recovered.remove_files()
        self._show_found(found)

    def _show_found(self, found: _Found) -> None:
        files = found.recovered.work.unsorted
        if found.scans or files:
            text = tr(
                "The last window ended before it had read all scans for the queue. This window "
                "reads them now."
            )
            title = tr("The queue gets more scans.")
            self._session.raise_problem(Problem(title, text, is_fault=False))
        if titles := ", ".join(each.title for each in self.left.unsent):
            text = tr(
                "The last window ended before the archive had accepted {title}. Send or discard "
                "it on the start page.",
                title=titles,
            )
            self._session.raise_problem(Problem(tr("A signed result was not sent."), text))

    def _take_sent(self, id: str, _: str) -> None:
        self.drop_unsent(id)
        self._write()

    def _write(self, *, closed: bool = False) -> bool:
        """Write the file if it has changed; return False if it cannot be written."""
        if self._is_closed:
            return False
        work = self._current()
        if work == self._written and not closed:
            return True
        try:
            self._file.write(work, closed=closed)
        except EngineError as e:
            if not self._has_failed:  # one sentence is enough
                self._session.add_log("warning", str(e))
            self._has_failed = True
            return False
        self._written, self._has_failed = work, False
        return True

    def _current(self) -> WindowWork:
        """Return all unfinished work of this window, with the offers of earlier ones."""
        outbox, edited = self._session.outbox, self.edited.current
        own = WindowWork(
            unsorted=self._intake.unsorted,
            unread=self._intake.unread,
            unsent=tuple(
                UnsentResult(id=id, title=title, with_image=with_image)
                for id, (title, with_image) in outbox.unsent.items()
            ),
            edited=() if edited is None else (edited,),
        )
        return own.with_work_of(self.left)


def _refusal(edited: EditedStudy) -> str:
    """Return the reason why this version cannot open an edited study; empty if it can."""
    try:
        edited.to_study()
    except (EngineError, ValueError, KeyError) as e:
        return str(e)
    return ""
