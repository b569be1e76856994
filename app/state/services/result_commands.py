"""User actions on results: open, use settings, pin, delete."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from app.language.translation import tr
from app.state.models.images.volume_origin import Origin
from app.state.models.inputs import DATA
from app.state.models.messages import Problem
from app.state.models.protocols.text import marked
from app.state.models.result_list import origins_of
from app.state.models.run_images import ALL_FRAMES
from app.state.models.run_record import RunRecord
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.views.volume_facts import looked_through
from engine.core.errors import EngineError
from engine.data import FrameVolume, Plain, Volume
from engine.jobs.study_index import ImagingOrder
from engine.modalities import Study
from engine.results import EXPORTED, PINNED, Result, Results
from engine.results.reports import Judgement, signatures_of


class OpenedResult(NamedTuple):
    """A result with all its content."""

    result: Result
    volume: Volume
    study: Study
    provenance: Plain
    frames: tuple[FrameVolume, ...]
    order: ImagingOrder | None
    fault: str


class ResultCommands(QObject):
    """Acts on the results on disk, in threads, and updates the list of the session."""

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__()
        self._session, self._commands = session, commands
        self._n_asked = 0
        self.may_forget_image: Callable[[], bool] = lambda: True
        """Asks the user before an image is lost that exists only in memory."""
        session.run.begun.connect(self._take_order)
        session.order.changed.connect(self._take_order)
        session.run.result_stored.connect(self._keep_order)
        session.run.result_stored.connect(self.refresh)
        session.results.scans_needed.connect(self._read_scans)

    def refresh(self) -> None:
        """Read the list of results."""
        results = self._session.results
        known = results.items
        self._commands.run_task(
            lambda _: _all_results(known, results.unread_among), lambda found: results.take(*found)
        )

    def _read_scans(self) -> None:
        """Read the scans of results that have the name of the displayed one."""
        results = self._session.results
        unread = results.unread
        self._commands.run_task(lambda _: origins_of(unread), results.take_origins)

    def open(self, result: Result) -> None:
        """Show a result.

        Parameters
        ----------
        result
            the result; refused with a message while a run is active
        """
        if self._session.run.state.is_active:
            self._report_active_run(tr("The result cannot be opened."))
            return
        # The image of the last run would be lost if it was not stored.
        if not self.may_forget_image():
            return
        self._n_asked += 1
        asked = self._n_asked, self._session.study.inputs, self._session.run.record
        self._commands.run_task(
            lambda _: _read_result(result),
            lambda opened: self._show_newest(opened, asked),
            busy=tr("Reading the result for {scan}", scan=result.scan),
            failed=tr("The result cannot be opened."),
        )

    def use_settings(self, result: Result) -> None:
        """Use the protocol of a result; without an open scan, open its whole study.

        The study is refused if another file has taken the place of its scan.

        Parameters
        ----------
        result
            the result; a failure is shown to the user
        """
        if self._session.run.state.is_active:
            self._report_active_run(tr("The settings could not be applied."))
            return
        try:
            study = result.study
            if DATA in self._session.study.inputs:
                self._session.study.use_protocol(study.protocol)
            else:
                self._commands.open_result(study, result.record.inputs)
        except EngineError as e:
            self._session.raise_problem(Problem(tr("The settings could not be applied."), str(e)))

    def pin(self, result: Result, *, on: bool) -> None:
        """Pin a result or remove the pin.

        Parameters
        ----------
        result
            the result
        on
            True keeps it until the user deletes it, False lets the retention limits apply
        """
        self._mark(result.id, PINNED, on=on)

    def note_exported(self, result_id: str) -> None:
        """Mark a result as exported.

        Parameters
        ----------
        result_id
            ID of the result; "" is ignored
        """
        if result_id:
            self._mark(result_id, EXPORTED, on=True)

    def delete(self, result: Result, then: Callable[[], object] | None = None) -> None:
        """Delete a result from disk.

        Parameters
        ----------
        result
            the result
        then
            called after the attempt, even if it failed
        """

        def end() -> None:
            self.refresh()
            if then is not None:
                then()

        # In a thread: a dynamic scan has many large files.
        self._commands.run_task(
            lambda _: Results().delete(result),
            lambda _: self._note_deleted(result),
            failed=tr("The result could not be deleted."),
            on_end=end,
        )

    def show_in_folder(self, result: Result) -> None:
        """Open the folder of a result in the file manager.

        Parameters
        ----------
        result
            the result
        """
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(result.folder)))

    def _take_order(self) -> None:
        """Link a run of the open scan with the worklist order."""
        record, order = self._session.run.record, self._session.order.current
        if record.job and order is not None:
            # Both signals lead here: the order may be chosen before, during or after the run.
            record.order = order
            self._session.order.bind()
            self._keep_order()

    def _keep_order(self) -> None:
        """Store the order with the result, if it exists."""
        record = self._session.run.record
        order, id = record.order, record.result_id
        if order is not None and id:
            self._commands.run_task(
                lambda _: Results().open(id).assign_order(order),
                lambda _: self.refresh(),
                failed=tr("The patient details could not be added to the result."),
            )

    def _report_active_run(self, title: str) -> None:
        text = tr(
            "A reconstruction is running. Wait for it to end, or stop it with Finish or Abort."
        )
        self._session.raise_problem(Problem(title, text, tr("The run continues.")))

    def _mark(self, result_id: str, mark: str, *, on: bool) -> None:
        # Marks are files, so another window sees them too.
        self._commands.run_task(
            lambda _: Results().open(result_id).mark(mark, on=on),
            lambda _: self.refresh(),
            failed=tr("The result could not be changed."),
        )

    def _note_deleted(self, result: Result) -> None:
        record = self._session.run.record
        if record.result_id == result.id:
            record.result_id = ""  # the displayed image is no longer on disk
        self._session.add_log("info", tr("Result deleted: {title}.", title=result.record.title))

    def _show_newest(self, opened: OpenedResult, asked: tuple[int, object, object]) -> None:
        """Show a result unless the user opened another image since then."""
        session = self._session
        now = self._n_asked, session.study.inputs, session.run.record
        # By identity, because a file of a gigabyte can take longer than the next click.
        if asked[0] == now[0] and asked[1] is now[1] and asked[2] is now[2]:
            self._show(opened)
        else:
            words = tr(
                "The result for {scan} is not shown, because another image was opened meanwhile.",
                scan=opened.result.scan,
            )
            session.add_log("info", words)

    def _show(self, opened: OpenedResult) -> None:
        if self._session.run.state.is_active:
            return  # a run was started in the meantime
        result, stored = opened.result, opened.result.record
        run = stored.run_record
        record = RunRecord(
            f"{result.scan}, {marked(run.protocol.label)}",
            opened.study,
            provenance=opened.provenance,
            result_id=result.id,
            order=opened.order,
            run=run,
            opened=tr("Result from {created:%d %b %Y %H:%M}.", created=result.created),
            when=result.created,
        )
        if opened.fault:
            self._session.add_log("warning", opened.fault)
        # A partial image must never look like a finished one.
        label = run.describe_ending() if run.is_partial else "final"
        if opened.frames:
            label = ALL_FRAMES
        self._session.show_result(record, label, opened.volume, opened.frames)


def _read_result(result: Result) -> OpenedResult:
    """Read a result, in a thread. If its order is damaged, it opens without a patient."""
    order, fault = None, ""
    try:
        order = result.order
    except EngineError as e:
        fault = str(e)
    volume = looked_through(result.volume())
    made = result.study, result.provenance, result.frames()
    return OpenedResult(result, volume, *made, order, fault)


def _all_results(
    known: tuple[Result, ...], unread_among: Callable[[Iterable[Result]], list[Result]]
) -> tuple[tuple[Result, ...], str, str, dict[str, Judgement], dict[str, Origin]]:
    """Read the list of results, in a thread."""
    results = Results()
    found = tuple(results.newest_first(known))
    for result in found:
        _ = result.scan  # read in this thread, not while painting
    judged = {each.id: judgement for each in found if (judgement := _judgement_of(each))}
    origins = origins_of(unread_among(found))
    return found, results.retention.describe(), results.note, judged, origins


def _judgement_of(result: Result) -> Judgement | None:
    """Return the last judgement of a result; None without one, or if it was changed."""
    try:
        made = signatures_of(result)
    except EngineError:  # the card of the image states the fault
        return None
    return made[-1].judgement if made else None
