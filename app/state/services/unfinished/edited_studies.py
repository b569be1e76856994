"""Edited settings that have never run: stored with the fingerprint of their scan, and offered.

Another scan never takes over edited settings, so opening it ends their study. They are offered on
the start page, and whenever their scan is opened again. A path does not identify a scan: the export
of a scanner can replace the file by that of another patient.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.inputs import DATA, Input
from app.state.models.messages import Answer, Problem
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.result_commands import ResultCommands
from engine.jobs import MAX_EDITS, EditedStudy, WindowWork
from engine.modalities import Study, digest_of


class EditedStudies(QObject):
    """Edited studies of this window and of earlier ones.

    Signals
    -------
    changed : other studies are offered

    Attributes
    ----------
    left : edited studies for the user to decide, the newest first: those of earlier windows, and
        those that another scan replaced in this one
    """

    changed = Signal()

    def __init__(self, session: Session, commands: Commands, results: ResultCommands) -> None:
        super().__init__()
        self._session, self._commands, self._results = session, commands, results
        self.left: tuple[EditedStudy, ...] = ()
        self._current: EditedStudy | None = None
        self._looked_for: tuple[str, str] | None = None
        session.study.scan_replaced.connect(self._store_current)
        session.study.inputs_changed.connect(self._find_offer)

    @property
    def current(self) -> EditedStudy | None:
        """The edited study of this window, with the time of its last change; None without one."""
        study = self._session.study.edited
        if study is None:
            self._current = None
            return None
        text = study.model_dump_json()
        if self._current is None or self._current.study != text:
            self._current = EditedStudy(study=text, changed=datetime.now().astimezone())
        return self._current

    def add(self, edited: Iterable[EditedStudy]) -> None:
        """Offer more edited studies.

        Parameters
        ----------
        edited
            the studies; above `MAX_EDITS` the oldest are dropped
        """
        more = WindowWork(edited=tuple(edited))
        self.left = WindowWork(edited=self.left).with_work_of(more).edited
        self.changed.emit()

    def drop(self, edited: EditedStudy) -> None:
        """Offer an edited study no longer.

        Parameters
        ----------
        edited
            an offered study
        """
        self.left = tuple(each for each in self.left if each != edited)
        self.changed.emit()

    def reopen(self, edited: EditedStudy, place: Path | None = None) -> None:
        """Open an edited study; it stays unfinished until it runs or is saved.

        It is refused, and stays offered, if another scan has taken the place of its own.

        Parameters
        ----------
        edited
            an offered study; a failure is shown to the user
        place
            path of its scan now; None if it was not moved
        """
        study = edited.to_study()
        if place is not None:
            study = study.model_copy(update={"data": place})
        if edited.fingerprint:
            self._open(edited, study)
            return
        title = tr("The program cannot check the scan of these settings.")
        text = tr(
            "An earlier version stored the settings of {title} without a fingerprint of the scan. "
            "{name} may be the file of another patient now. Compare the patient and the dose "
            "after you open it.",
            title=study.title,
            name=study.data.name,
        )
        tip = tr("Open {title} with the changed settings", title=study.title)
        answer = Answer(tr("Open anyway"), tip, lambda: self._open(edited, study))
        self._session.raise_problem(Problem(title, text, is_fault=False, answer=answer))

    def _open(self, edited: EditedStudy, study: Study) -> None:
        if not self._results.may_forget_image():
            return

        def opened() -> None:
            self._session.study.note_edited()
            self.drop(edited)

        self._commands.restore(study, opened)

    def _store_current(self) -> None:
        """Store the edited study that another scan is about to replace, and tell the user."""
        self._looked_for, edited = None, self.current
        if edited is None:
            return
        before = {each.study: each for each in (edited, *self.left)}
        self.add((edited,))
        title = tr("The changed settings of {title} never ran.", title=edited.to_study().title)
        text = tr(
            "The program has stored them. To restore them, open this scan again, or choose Reopen "
            "here or on the start page."
        )
        self._offer(edited, Problem(title, text), tr("Reopen"))
        for each in before.values():
            if each not in self.left:
                self._show_dropped(each)

    def _find_offer(self) -> None:
        """Offer the newest edited settings of the scan that has just been opened."""
        data = self._session.study.inputs.get(DATA)
        wanted = None if data is None else (data.value, data.fingerprint)
        if wanted == self._looked_for:
            return
        self._looked_for = wanted
        if data is None:
            return
        known = data.fingerprint
        newest = next((each for each in self.left if known and each.fingerprint == known), None)
        if newest is None:
            self._show_other_scan(data)
        elif not self._is_open(newest):
            self._offer_for(data, newest)

    def _is_open(self, edited: EditedStudy) -> bool:
        """Return True if the open study has the edited settings already, since it was reopened."""
        now, then = self._session.study.to_study(), edited.to_study()
        same = (now.scanner, now.inputs) == (then.scanner, then.inputs)
        return same and digest_of(now.protocol) == digest_of(then.protocol)

    def _offer_for(self, data: Input, edited: EditedStudy) -> None:
        title = tr("This scan has changed settings that never ran.")
        text = tr(
            "They were changed on {changed:%d %b %H:%M}. The scan was opened with the settings of "
            "its protocol instead.",
            changed=edited.changed,
        )
        problem, button = Problem(title, text), tr("Use the changed settings")
        self._offer(edited, problem, button, Path(data.value))

    def _show_other_scan(self, data: Input) -> None:
        """Tell why settings that were stored for this path are not offered."""
        path = Path(data.value)
        ours = next((each for each in self.left if each.to_study().data == path), None)
        if ours is None:
            return
        title = tr("Stored settings belong to another scan.")
        text = tr(
            "{name} was another scan on {changed:%d %b %H:%M}, when its settings were changed. "
            "They are not offered for this scan, and are still on the start page.",
            name=path.name,
            changed=ours.changed,
        )
        if not (ours.fingerprint and data.fingerprint):
            title = tr("Stored settings may belong to another scan.")
            text = tr(
                "Settings for {name} were changed on {changed:%d %b %H:%M}. The program cannot "
                "check that it was the same scan, so they are only on the start page.",
                name=path.name,
                changed=ours.changed,
            )
        self._session.add_log("info", f"{title} {text}", (path,))
        self._session.raise_problem(Problem(title, text, is_fault=False))

    def _offer(
        self, edited: EditedStudy, problem: Problem, button: str, place: Path | None = None
    ) -> None:
        study = edited.to_study()
        tip = tr("Open {title} with the changed settings", title=study.title)
        answer = Answer(button, tip, lambda: self.reopen(edited, place))
        self._session.add_log("info", f"{problem.title} {problem.text}", (study.data,))
        self._session.raise_problem(replace(problem, is_fault=False, answer=answer))

    def _show_dropped(self, edited: EditedStudy) -> None:
        study = edited.to_study()
        text = tr(
            "The program stores at most {n} changed studies. It has deleted the settings of "
            "{title} from {changed:%d %b %H:%M}.",
            n=MAX_EDITS,
            title=study.title,
            changed=edited.changed,
        )
        self._session.add_log("warning", text, (study.data,))
