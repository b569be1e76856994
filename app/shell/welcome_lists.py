"""What the welcome card offers: demos, recent studies, interrupted jobs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer

from app.control.context import AppContext
from app.control.demo_maker import make_demo_apart
from app.control.runner import Runner
from app.models.run_record import RunState
from app.shell.welcome import Offer, WelcomeCard, recent_offers
from engine.modalities import DEMOS, Study

MAX_JOBS = 3
LOOK_AGAIN_MS = (2000, 6000)
"""The engine of a window that was killed may outlive it for a moment; its job is offered then."""


class WelcomeLists(QObject):
    """Keeps the welcome card's lists, and starts a demo."""

    def __init__(self, context: AppContext, card: WelcomeCard, runner: Runner) -> None:
        super().__init__(card)
        self._context, self._card, self._runner = context, card, runner
        self._jobs: list[Offer] = []
        self._show()
        context.session.run.state_changed.connect(self._refresh_after_run)
        for delay in LOOK_AGAIN_MS:
            timer = QTimer(self)
            timer.setSingleShot(True)
            timer.timeout.connect(self._look_again)
            timer.start(delay)

    def refresh(self) -> None:
        """Look for interrupted jobs, in a thread."""
        self._context.commands.run_task(lambda _: _resumable(), self._took_jobs)

    def _look_again(self) -> None:
        if self._card.isVisible():
            self.refresh()

    def _refresh_after_run(self) -> None:
        if self._context.session.run.state in (
            RunState.ABORTED,
            RunState.FAILED,
            RunState.FINISHED,
        ):
            self.refresh()

    def make_demo(self, key: str) -> None:
        """Simulate a demo scan, then open and reconstruct it."""
        demo = DEMOS[key]
        self._card.show_busy(demo.busy)
        self._context.commands.run_task(
            partial(make_demo_apart, demo=demo),
            self._open_demo,
            busy=demo.busy,
            failed="No demo.",
            on_progress=partial(self._card.show_busy, demo.busy),
            on_end=lambda: self._card.show_busy(""),
        )

    def _open_demo(self, study: Study) -> None:
        self._context.commands.open_study(study)
        self._runner.start_when_ready()

    def _took_jobs(self, jobs: list[tuple[str, str, str]]) -> None:
        self._jobs = [
            Offer(f"Resume {title}", detail, "resume", partial(self._runner.resume, i))
            for i, title, detail in jobs
        ]
        self._show()

    def _show(self) -> None:
        recent = recent_offers(self._context.preferences.recent, self._context.commands.open_path)
        self._card.show_offers({"Interrupted": self._jobs, "Recent": recent})


def _resumable() -> list[tuple[str, str, str]]:
    """Return (id, title, detail) of the newest jobs with an image to go on from."""
    from engine.jobs import jobs

    stopped = ("aborted", "failed")
    found = [job for job in jobs() if job.done and (job.interrupted or job.status in stopped)]
    return [
        (job.id, job.title, f"{job.done} of {job.updates} updates, {job.created:%d %b %H:%M}")
        for job in found[:MAX_JOBS]
    ]
