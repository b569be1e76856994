"""Start, pause, finish, abort, resume: one reconstruction at a time, in a process of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.commands import Commands
from app.job import Job
from app.messages import Problem
from app.preferences import Preferences
from app.run_record import RunState
from app.session import Session
from engine.errors import EngineError
from engine.events import Aborted, Checkpointed, Event, Failed, Finished
from engine.study import Study

SPEED_BOUNDS = (0.02, 50.0)


class Runner(QObject):
    """Owns the thread of the run."""

    def __init__(self, session: Session, preferences: Preferences, commands: Commands) -> None:
        super().__init__()
        self._session, self._preferences, self._commands = session, preferences, commands
        self.job: Job | None = None
        self._job_id = ""
        self.has_checkpoint = False
        """Whether the job can be resumed from disk."""
        self._estimate_s: float | None = None
        session.speed_ratio = preferences.speed_ratio

    def start(self) -> None:
        """Reconstruct the study of the session."""
        _commit_edit()
        session = self._session
        if obstacle := session.obstacle():
            session.add_log("warning", f"Cannot start. {obstacle}")
            return
        needs = session.needs()
        self._estimate_s = needs.seconds / session.speed_ratio if needs else None
        self._run(session.study(), job_id="")

    def start_when_ready(self) -> None:
        """Start as soon as all inputs are read; not at all if one is at fault."""
        self._session.inputs_changed.connect(self._start_if_ready)
        self._start_if_ready()

    def _start_if_ready(self) -> None:
        inputs = self._session.inputs
        if any(found.is_reading for found in inputs.values()):
            return
        self._session.inputs_changed.disconnect(self._start_if_ready)
        if "data" in inputs:
            self.start()

    def resume(self, job_id: str) -> None:
        """Go on with an interrupted job from its last checkpoint."""
        from engine.checkpoint import Job as KeptJob

        if self._session.state.is_active:
            return
        try:
            study = KeptJob.open(job_id).study
        except EngineError as e:
            self._session.raise_problem(Problem("The job cannot be resumed.", str(e)))
            return
        self._estimate_s = None
        if not self._is_open(study):
            self._commands.open_study(study)
        self._run(study, job_id=job_id)

    def pause(self) -> None:
        """Rest after the update at work, or go on."""
        if self.job is None:
            return
        if self._session.state is RunState.PAUSED:
            self.job.process.resume_run()
            self._session.set_state(self._session.record.state_of_stage)
        elif self._session.state is RunState.RUNNING:
            self.job.process.pause()
            self._session.set_state(RunState.PAUSED)

    def finish(self) -> None:
        """End after the iteration at work, filter and keep the image."""
        if self.job is not None and self._session.state in (RunState.RUNNING, RunState.PAUSED):
            self.job.process.finish_and_keep()
            self._session.set_state(RunState.FINISHING)
            self._session.add_log("info", "Finishing after this iteration.")

    def abort(self) -> None:
        """Stop now; the last image and checkpoint stay."""
        if self.job is not None and self._session.state.is_active:
            self.job.process.abort()
            self._session.add_log("info", "Aborting.")

    def shut_down(self) -> None:
        """Abort and wait until thread and process are gone."""
        if self.job is not None:
            self.job.process.abort()
            self.job.wait()

    def _is_open(self, study: Study) -> bool:
        data = self._session.inputs.get("data")
        return data is not None and self._session.study() == study

    def _run(self, study: Study, job_id: str) -> None:
        from engine.checkpoint import Job as KeptJob
        from engine.host import EngineProcess

        on = self._session.on
        try:
            kept = KeptJob.open(job_id) if job_id else KeptJob.create(study, device=on.name)
        except EngineError as e:
            self._session.raise_problem(Problem("The reconstruction cannot start.", str(e)))
            return
        self._job_id, self.has_checkpoint = kept.id, bool(job_id)
        process = EngineProcess(
            study, device=on.name, threads=on.threads, job=kept, resume=bool(job_id)
        )
        self.job = job = Job(process, self)
        job.told.connect(self._take)
        job.iteration_ended.connect(self._session.keep)
        job.preview.connect(self._session.show_preview)
        job.finished.connect(self._ended)
        self._session.begin(f"{study.data.name}, {study.protocol.name}")
        job.start()

    def _take(self, event: Event) -> None:
        self._session.take(event)
        match event:
            case Checkpointed():
                self.has_checkpoint = True
            case Finished():
                self._learn_speed()
            case Failed():
                self._tell_failure(event)
            case Aborted():
                job = self._job_id if self.has_checkpoint or self._session.record.latest else ""
                self._session.raise_problem(
                    Problem("Aborted.", event.text, job=job, is_fault=False)
                )

    def _tell_failure(self, event: Failed) -> None:
        if event.detail:
            self._session.add_log("error", event.detail)
        title = "The reconstruction stopped." if event.user_fault else "The engine stopped."
        job = self._job_id if self.has_checkpoint else ""
        self._session.raise_problem(Problem(title, event.text, job=job))

    def _learn_speed(self) -> None:
        """Scale later forecasts by this run, unless it found its sensitivity ready-made."""
        timings = self._session.record.timings
        if self._estimate_s and not any(each.figures.get("from_cache") for each in timings):
            measured = sum(each.seconds for each in timings)
            low, high = SPEED_BOUNDS
            ratio = min(max(measured / self._estimate_s, low), high)
            self._session.speed_ratio = self._preferences.speed_ratio = ratio

    def _ended(self) -> None:
        job, self.job = self.job, None
        if job is not None:
            job.deleteLater()


def _commit_edit() -> None:
    """Let the field being edited hand in its value."""
    widget = QApplication.focusWidget()
    if widget is not None:
        widget.clearFocus()
