"""Content of the welcome card: demos, recent studies, interrupted jobs."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.language.translation import tr
from app.shell.unfinished_offers import edited_offers, unsent_offers
from app.shell.welcome import Offer, WelcomeCard, recent_offers
from app.state.models.messages import Problem
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.state.services.demo_maker import make_demo_in_process
from app.state.services.runner import Runner
from app.state.services.saving import may_write
from app.ui.theme.file_dialogs import ask_save
from app.ui.theme.questions import ask
from engine.modalities import DEMOS, Study

if TYPE_CHECKING:
    from engine.jobs import DemoSimulation
    from engine.live import Unfinished

MAX_JOBS = 3
MEANWHILE = tr(
    "Another scan was opened in the meantime and stays open. To open the demo, choose it again."
)
RECORDING_NAME, KINDS = "live-scan.h5", tr("Scans (*.h5 *.nxs)")
REFRESH_MS = (2000, 6000)
"""The engine of a killed window can run on for a moment; its job is then found later."""


class WelcomeLists(QObject):
    """Keep the lists of the welcome card up to date, and start demos."""

    def __init__(self, context: AppContext, card: WelcomeCard, runner: Runner) -> None:
        super().__init__(card)
        self._context, self._card, self._runner = context, card, runner
        self._jobs: list[Offer] = []
        self._recordings: list[Offer] = []
        self._is_making = False
        self._show()
        context.session.run.state_changed.connect(self._refresh_after_run)
        context.unfinished.changed.connect(self._show)
        for delay in REFRESH_MS:
            timer = QTimer(self)
            timer.setSingleShot(True)
            timer.timeout.connect(self._refresh)
            timer.start(delay)

    def refresh(self) -> None:
        """Search interrupted jobs in a thread."""
        self._context.commands.run_task(lambda _: _jobs_to_offer(), self._offer_jobs)
        self._context.commands.run_task(lambda _: recordings_to_offer(), self._offer_recordings)

    def _refresh(self) -> None:
        if self._card.isVisible():
            self.refresh()

    def _refresh_after_run(self) -> None:
        if self._context.session.run.state in (
            RunState.ABORTED,
            RunState.FAILED,
            RunState.FINISHED,
        ):
            self.refresh()

    def make_demo(self, key: str, begun: DemoSimulation | None = None) -> None:
        """Simulate a demo scan, then open and reconstruct it.

        Parameters
        ----------
        key
            key of `DEMOS`; if something else was opened meanwhile, the demo is only stored
        begun
            its simulation, if it runs already
        """
        # A second click during the simulation must not start another one.
        if self._is_making:
            if begun is not None:
                begun.end()
            return
        self._is_making = True
        demo, commands = DEMOS[key], self._context.commands
        # The serial number counts opened scans, so a change shows that the user has opened one.
        serial = commands.serial
        self._card.show_busy(demo.busy)
        commands.run_task(
            partial(make_demo_in_process, demo=demo, begun=begun),
            lambda study: self._open_demo(study, serial),
            busy=demo.busy,
            failed=tr("The demo could not be opened."),
            stoppable=True,
            on_progress=partial(self._card.show_busy, demo.busy),
            on_end=self._finish_demo,
        )

    def _finish_demo(self) -> None:
        self._is_making = False
        self._card.show_busy("")

    def _open_demo(self, study: Study | None, serial: int) -> None:
        session = self._context.session
        if study is None:
            session.add_log("info", tr("The demo was cancelled."))
        elif serial != self._context.commands.serial or session.run.state.is_active:
            session.raise_problem(Problem(tr("The demo is ready."), MEANWHILE, is_fault=False))
        else:
            session.order.forget()  # a phantom has no patient
            self._runner.open_and_start(study)

    def _offer_jobs(self, jobs: list[tuple[str, str, str]]) -> None:
        self._jobs = [
            Offer(
                tr("Resume {title}", title=title), detail, "resume", partial(self._runner.resume, i)
            )
            for i, title, detail in jobs
        ]
        self._show()

    def _offer_recordings(self, found: list[tuple[Path, str, str]]) -> None:
        self._recordings = [
            Offer(
                tr("Save recording: {text}", text=text), detail, "export",
                partial(self._save_recording, path),
                partial(self._discard_recording, path, f"{text}, {detail}"),
                tr("Delete this recording from the disk"),
            )
            for path, text, detail in found
        ]  # fmt: skip
        self._show()

    def _save_recording(self, path: Path) -> None:
        """Ask for a file, convert a recording, and delete it once the file was read back."""
        preferences = self._context.preferences
        folder = Path(preferences.export_folder or Path.home())
        target = ask_save(self._card, tr("Save the scan"), folder / RECORDING_NAME, KINDS)
        if target is None or not may_write(self._card, target, self._context.session):
            return
        preferences.export_folder = str(target.parent)

        def convert() -> None:
            from engine.live import convert_recording, remove_recording

            convert_recording(path, target)
            remove_recording(path)

        def converted(_: object) -> None:
            self._context.session.add_log("info", tr("Scan saved: {path}", path=target))
            self.refresh()

        self._context.commands.run_task(
            lambda _: convert(), converted, busy=tr("Saving the scan"),
            failed=tr("The scan could not be saved."),
        )  # fmt: skip

    def _discard_recording(self, path: Path, facts: str) -> None:
        """Delete a recording after a question."""
        question = tr("Delete this recording from the disk?\n\n{facts}", facts=facts)
        if not ask(self._card, tr("Discard the recording"), question, tr("Discard")):
            return

        def discard() -> None:
            from engine.live import remove_recording

            remove_recording(path)

        self._context.commands.run_task(
            lambda _: discard(), lambda _: self.refresh(),
            failed=tr("The recording could not be discarded."),
        )  # fmt: skip

    def _show(self) -> None:
        recent = recent_offers(self._context.preferences.recent, self._context.commands.open_path)
        context = self._context
        unsent, edited = unsent_offers(context, self._card), edited_offers(context)
        # Recordings first: a measurement cannot be repeated
        interrupted = [*self._recordings, *unsent, *self._jobs, *edited]
        self._card.show_offers({tr("Interrupted"): interrupted, tr("Recent"): recent})


def recordings_to_offer() -> list[tuple[Path, str, str]]:
    """Return (file, number of frames or events, detail) of recordings not in progress."""
    from engine.live import unfinished_recordings

    return [
        (each.path, _recorded_text(each.kind, each.count), _recording_detail(each))
        for each in unfinished_recordings()
        if not each.is_running
    ]


def _recorded_text(kind: str, count: int) -> str:
    if kind == "events":
        return tr("{n:,} events recorded", n=count)
    return tr("{n:,} frames recorded", n=count)


def _recording_detail(each: Unfinished) -> str:
    parts = [each.source, _local_time(each.begun_utc)]
    if each.saved:
        parts.append(tr("already saved as {name}", name=Path(each.saved).name))
    return ", ".join(parts)


def _local_time(utc: str) -> str:
    try:
        return f"{datetime.fromisoformat(utc).astimezone():%d %b %Y %H:%M}"
    except ValueError:  # a recording of another program or version
        return utc


def _jobs_to_offer() -> list[tuple[str, str, str]]:
    """Return (id, title, detail) of the newest jobs that can be resumed."""
    from engine.jobs import jobs

    found = [job for job in jobs() if job.resumable]
    return [
        (
            job.id,
            job.local_title,
            tr(
                "{done} of {updates} updates, {created:%d %b %H:%M}",
                done=job.done,
                updates=job.updates,
                created=job.created,
            ),
        )
        for job in found[:MAX_JOBS]
    ]
