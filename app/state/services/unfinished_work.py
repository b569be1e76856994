"""Unfinished work of this window on the disk, and that of windows that have ended.

Work is scans that are still to be read for the queue, signed results that are still to be sent, and
edited settings that have never run. The file follows every change, because a window may be killed.

Another scan never takes over edited settings, so opening it ends their study. They stay here, and
are offered on the start page and whenever their scan is opened again.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.messages import Answer, Problem
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.queueing.queue_commands import QueueCommands
from app.state.services.queueing.scan_to_read import ScanToRead, scans_to_read
from app.state.services.result_commands import ResultCommands
from engine.core.errors import EngineError
from engine.jobs import (
    MOST_EDITS,
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
    taken : the work and its files
    scans : scans that are still to be read
    edited : edited studies that this version can open
    faults : a sentence for each file or study that cannot be used
    """

    taken: RecoveredWork
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
    left : signed results and edited studies of earlier windows, and edited studies that another
        scan replaced in this one, for the user to decide
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
        self._results = results
        self._session, self._commands, self._intake = session, commands, queue.intake
        self._file, self._written = WindowWorkFile(), WindowWork()
        self.left = WindowWork()
        self._edited: EditedStudy | None = None
        self._reopened: EditedStudy | None = None
        self._looked_for: Path | None = None
        self._is_closed = self._has_failed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(EDIT_MS)
        self._timer.timeout.connect(self._write)
        for edits in (session.study.inputs_changed, session.study.protocol_changed):
            edits.connect(self._timer.start)
        session.study.stored.connect(self._timer.start)
        session.study.scan_replaced.connect(self._keep_edited)
        session.study.inputs_changed.connect(self._offer_edited)
        self._intake.changed.connect(self._write)
        session.outbox.changed.connect(self._write)
        session.outbox.sent.connect(self._take_sent)

    def take_over(self) -> None:
        """Find the work of windows that have ended: continue the reading, offer the rest."""

        def find(_: object) -> _Found:
            taken = self._file.take_over()
            scans = scans_to_read(StudyQueue(), taken.work.unread) if taken.work.unread else ()
            refusals = {each: _refusal(each) for each in taken.work.edited}
            edited = tuple(each for each, why in refusals.items() if not why)
            faults = (*taken.faults, *filter(None, refusals.values()))
            return _Found(taken, scans, edited, faults)

        failed = tr("The unfinished work of earlier windows could not be read.")
        self._commands.run_task(find, self._took, failed=failed)

    def reopen(self, edited: EditedStudy) -> None:
        """Open an edited study again; it stays unfinished until it runs or is saved.

        Parameters
        ----------
        edited
            an offered study; a failure is shown to the user
        """
        if not self._results.may_forget_image():
            return

        def opened() -> None:
            self._session.study.note_edited()
            self.drop_edited(edited)

        self._reopened = edited
        try:
            self._commands.open_study(edited.to_study(), done=opened)
        except EngineError as e:
            title = tr("The study cannot be opened.")
            self._session.raise_problem(Problem(title, str(e)))

    def drop_edited(self, edited: EditedStudy) -> None:
        """Offer an edited study no longer.

        Parameters
        ----------
        edited
            an offered study
        """
        rest = tuple(each for each in self.left.edited if each != edited)
        self._leave(self.left.model_copy(update={"edited": rest}))

    def drop_unsent(self, id: str) -> None:
        """Offer a signed result no longer.

        Parameters
        ----------
        id
            ID of the result
        """
        rest = tuple(each for each in self.left.unsent if each.id != id)
        if rest != self.left.unsent:
            self._leave(self.left.model_copy(update={"unsent": rest}))

    def close(self) -> None:
        """Write the work that is left when the window closes; it changes no more afterwards."""
        self._timer.stop()
        self._write(closed=True)
        self._is_closed = True

    def _leave(self, left: WindowWork) -> None:
        self.left = left
        self._write()
        self.changed.emit()

    def _took(self, found: _Found) -> None:
        taken, work = found.taken, found.taken.work
        if found.faults:
            title = tr("Unfinished work of an earlier window could not be read.")
            self._session.raise_problem(Problem(title, " ".join(found.faults)))
        offered = WindowWork(unsent=work.unsent, edited=found.edited)
        self.left = self.left.with_work_of(offered)
        self._intake.take_up(found.scans, work.unsorted)
        if self._write():
            # Only now, so that a crash in between loses nothing.
            with suppress(OSError):
                taken.remove_files()
        self._tell(found)
        self.changed.emit()

    def _tell(self, found: _Found) -> None:
        files = found.taken.work.unsorted
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

    def _keep_edited(self) -> None:
        """Store the edited study that another scan is about to replace, and tell the user."""
        self._looked_for, edited = None, self._edit()
        if edited is None:
            return
        before = {each.study: each for each in (edited, *self.left.edited)}
        self._leave(self.left.with_work_of(WindowWork(edited=(edited,))))
        study = edited.to_study()
        title = tr("The changed settings of {title} never ran.", title=study.title)
        text = tr(
            "The program has stored them. To restore them, open this scan again, or choose Reopen "
            "here or on the start page."
        )
        self._offer(edited, Problem(title, text), tr("Reopen"))
        for each in before.values():
            if each not in self.left.edited:
                self._tell_dropped(each)

    def _offer_edited(self) -> None:
        """Offer the newest edited settings of the scan that has just been opened."""
        data = self._session.study.inputs.get(DATA)
        path = None if data is None else Path(data.value)
        if path == self._looked_for:
            return
        self._looked_for = path
        ours = [each for each in self.left.edited if each.to_study().data == path]
        newest = next(iter(ours), None)
        if newest is None or newest == self._reopened:
            self._reopened = None
            return
        title = tr("This scan has changed settings that never ran.")
        text = tr(
            "They were changed on {changed:%d %b %H:%M}. The scan was opened with the settings of "
            "its protocol instead.",
            changed=newest.changed,
        )
        self._offer(newest, Problem(title, text), tr("Use the changed settings"))

    def _offer(self, edited: EditedStudy, problem: Problem, button: str) -> None:
        tip = tr("Open {title} with the changed settings", title=edited.to_study().title)
        answer = Answer(button, tip, lambda: self.reopen(edited))
        files = (edited.to_study().data,)
        self._session.add_log("info", f"{problem.title} {problem.text}", files)
        self._session.raise_problem(replace(problem, is_fault=False, answer=answer))

    def _tell_dropped(self, edited: EditedStudy) -> None:
        study = edited.to_study()
        text = tr(
            "The program stores at most {n} changed studies. It has deleted the settings of "
            "{title} from {changed:%d %b %H:%M}.",
            n=MOST_EDITS,
            title=study.title,
            changed=edited.changed,
        )
        self._session.add_log("warning", text, (study.data,))

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
        outbox, edited = self._session.outbox, self._edit()
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

    def _edit(self) -> EditedStudy | None:
        """Return the edited study of this window; the time is that of its last change."""
        study = self._session.study.edited
        if study is None:
            self._edited = None
            return None
        text = study.model_dump_json()
        if self._edited is None or self._edited.study != text:
            self._edited = EditedStudy(study=text, changed=datetime.now().astimezone())
        return self._edited


def _refusal(edited: EditedStudy) -> str:
    """Return the reason why this version cannot open an edited study; empty if it can."""
    try:
        edited.to_study()
    except (EngineError, ValueError, KeyError) as e:
        return str(e)
    return ""
