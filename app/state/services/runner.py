"""Start, pause, finish, abort, resume: one reconstruction at a time, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.run_images import Kept
from app.state.models.run_record import RunState
from app.state.models.session import Session
from app.state.models.speeds import Speeds, once_key
from app.state.services.commands import Commands
from app.state.services.forecast import learnt_stages
from app.state.services.threads import EngineThread, Task
from app.ui.theme.formatting import sentence_case
from engine.core.errors import EngineError
from engine.data.runs.events import Aborted, Checkpointed, Event, Failed, Finished
from engine.modalities import Requirements, Study

if TYPE_CHECKING:  # the engine's process is not needed to open the window
    from engine.jobs import EngineProcess, Source
    from engine.jobs import Job as KeptJob
    from engine.results import Ending

ABORTED = tr("Aborted.")
NOT_KEPT = tr("The last image could not be saved to the results; export it before you continue.")


class Runner(QObject):
    """Owns the thread of the run."""

    def __init__(self, session: Session, preferences: Preferences, commands: Commands) -> None:
        super().__init__()
        self._session, self._preferences, self._commands = session, preferences, commands
        self._study, self._run = session.study, session.run
        self.job: EngineThread | None = None
        self._next: Callable[[], None] | None = None
        """What to run once the last process is gone."""
        self._job_id = ""
        self.source: Source | None = None
        """What the engine process runs, None for a reconstruction."""
        self.engine: type[EngineProcess] | None = None
        """What runs a study, None for a process of its own."""
        self.has_checkpoint = False
        """Whether the job can be resumed from disk."""
        self._is_shut = False
        self._estimate: Requirements | None = None
        """What the engine foretold, whatever was measured before."""
        session.device.speed_ratios |= preferences.speed_ratios()

    def start(self) -> None:
        """Reconstruct the study of the session."""
        _commit_edit()
        session, study = self._session, self._study
        if obstacle := session.obstacle():
            session.add_log("warning", tr("Cannot start. {obstacle}", obstacle=obstacle))
            return
        device = session.device.in_use
        self._estimate = study.estimate(device) if device is not None else None
        wanted = study.to_study().model_copy(update={"identified": self._preferences.identify})
        self._launch(wanted, job_id="")

    def open_and_start(self, study: Study) -> None:
        """Open a study and reconstruct it; not at all if one of its files is refused."""
        self._commands.open_study(study, done=self._start_when_ready)

    def _start_when_ready(self) -> None:
        """Start as soon as the devices of this machine are known, unless another scan is opened."""
        device, inputs = self._session.device, self._study.inputs
        if device.found:
            self.start()
            return

        def start_if_found() -> None:
            if device.found:
                device.changed.disconnect(start_if_found)
                if self._study.inputs is inputs:
                    self.start()

        device.changed.connect(start_if_found)

    def resume(self, job_id: str, device: str = "") -> None:
        """Go on with an interrupted job from its last checkpoint, if wished on another device."""
        from engine.jobs import Job as KeptJob

        if self._run.state.is_active:
            return
        try:
            study = KeptJob.open(job_id).study
        except EngineError as e:
            self._session.raise_problem(Problem(tr("The job cannot be resumed."), str(e)))
            return
        self._estimate = None
        if device:
            self._session.device.choose(device)
        launch = partial(self._launch, study, job_id=job_id)
        if self._is_open(study):
            launch()
        else:
            # it was taken for another scan; the one that stays if this is refused stays bound
            self._session.order.forget()
            self._commands.open_study(study, done=launch)

    def pause(self) -> None:
        """Rest after the update at work, or go on."""
        if self.job is None:
            return
        if self._run.state is RunState.PAUSED:
            self.job.process.resume_run()
            self._run.set_state(self._run.record.state_of_stage)
        elif self._run.state is RunState.RUNNING:
            self.job.process.pause()
            self._run.set_state(RunState.PAUSED)

    def finish(self) -> None:
        """End after the iteration at work, filter and keep the image."""
        if self.job is not None and self._run.state in (RunState.RUNNING, RunState.PAUSED):
            self.job.process.finish_and_keep()
            self._run.set_state(RunState.FINISHING)
            self._session.add_log("info", tr("Finishing after this iteration."))

    def abort(self) -> None:
        """Stop now; the last image and checkpoint stay."""
        if self._next is not None:
            self._next = None
            self._run.set_state(RunState.IDLE)
        elif self.job is not None and self._run.state.is_active:
            self.job.process.abort()
            self._session.add_log("info", tr("Aborting."))

    def shut_down(self) -> None:
        """Abort, wait until thread and process are gone, and start no more."""
        self._next, self._is_shut = None, True
        if self.job is not None:
            self.job.process.abort()
            self.job.wait()

    def _is_open(self, study: Study) -> bool:
        data = self._study.inputs.get(DATA)
        return data is not None and self._study.to_study() == study

    def _launch(self, study: Study, job_id: str) -> None:
        from engine.jobs import EngineProcess
        from engine.jobs import Job as KeptJob
        from engine.protocols.privacy import Names

        if self._is_shut:
            return  # the window closed while files were read
        title = Names.title(study)
        if self.job is not None:
            self._next = partial(self._launch, study, job_id)
            self._run.begin(title, study, job_id)  # from here on no other scan is opened
            return
        device = self._session.device.in_use
        key = device.key if device is not None else "auto"
        try:
            kept = KeptJob.open(job_id) if job_id else KeptJob.create(study, device=key)
        except EngineError as e:
            self._run.set_state(RunState.IDLE)
            self._session.raise_problem(Problem(tr("The reconstruction cannot start."), str(e)))
            return
        self._job_id, self.has_checkpoint = kept.id, bool(job_id)
        process = (self.engine or EngineProcess)(
            study, device=key, job=kept, resume=bool(job_id), source=self.source
        )
        self.job = job = EngineThread(process, self)
        job.event_received.connect(self._take)
        job.iteration_ended.connect(self._run.keep)
        job.preview.connect(self._run.show_preview)
        job.finished.connect(self._ended)
        images = self._run.record.images.items if job_id == self._run.record.job else []
        self._run.begin(title, study, kept.id)
        if job_id and not images:
            self._read_iterates(kept)
        job.start()

    def _read_iterates(self, kept: KeptJob) -> None:
        """Bring back the images of a job that began in another window."""
        record = kept.record
        n_subsets = record.subsets or kept.study.protocol.algorithm.n_subsets
        of = record.updates // n_subsets

        def read(_: Task) -> list[Kept]:
            return [
                Kept(f"iteration {at}", volume, (at, n_subsets), of)
                for done, volume in kept.iterates.read()
                if (at := done // n_subsets)
            ]

        self._commands.run_task(read, partial(self._run.keep_earlier, kept.id))

    def _take(self, event: Event) -> None:
        self._run.take(event)
        match event:
            case Checkpointed():
                self.has_checkpoint = True
            case Finished():
                self._learn_speed()
            case Failed():
                self._keep_last_image("failed")
                self._report_failure(event)
            case Aborted():
                self._keep_last_image("aborted")
                job = self._job_id if self.has_checkpoint or self._run.record.latest else ""
                text = event.text.removeprefix(ABORTED).strip()  # the title says it
                self._session.raise_problem(Problem(ABORTED, text, job=job, is_fault=False))

    def _keep_last_image(self, ending: Ending) -> None:
        """Have the last image among the results, whether the engine came to keep it or not."""
        from engine.jobs import Job as KeptJob
        from engine.jobs import keep_partial

        latest, job_id = self._run.record.latest, self._job_id
        if latest is None or latest.slices is not None:  # slabs stay with their job
            return

        def took(result_id: str) -> None:
            if not result_id:
                self._session.add_log("warning", NOT_KEPT)
            self._run.take_result(job_id, result_id)

        self._commands.run_task(
            lambda _: keep_partial(KeptJob.open(job_id), latest, ending), took, failed=NOT_KEPT
        )

    def _report_failure(self, event: Failed) -> None:
        if event.detail:
            self._session.add_log("error", event.detail)
        left = self._share_left()
        self.has_checkpoint = left < 1  # the last image is saved as a run fails
        job = self._job_id if self.has_checkpoint else ""
        title = (
            tr("The reconstruction stopped.")
            if event.user_fault
            else tr("The engine stopped unexpectedly.")
        )
        problem = Problem(title, event.text, job=job)
        if event.on_cpu:
            title, text = tr("The run on the GPU stopped."), sentence_case(event.text)
            words = self._cpu_words(left)
            problem = Problem(title, text, job=job, cpu_job=self._job_id, cpu_text=words)
        self._session.raise_problem(problem)

    def _share_left(self) -> float:
        """Return the share of the updates that are not in a checkpoint."""
        from engine.jobs import Job as KeptJob

        try:
            kept = KeptJob.open(self._job_id).info
        except EngineError:
            return 1.0
        return 1 - (kept.done or 0) / kept.updates

    def _cpu_words(self, left: float) -> str:
        """Return what to press to do the rest on the CPU, and how long that will take."""
        session, study = self._session, self._study
        requirements = study.requirements(session.device.named("cpu"), left)
        text = tr("Continue on the CPU") if left < 1 else tr("Start on the CPU")
        return f"{text} ({requirements.time})" if requirements else text

    def _learn_speed(self) -> None:
        """Scale later forecasts by this run, stage by stage: each has a speed of its own."""
        study, device, estimate = self._study, self._session.device.in_use, self._estimate
        if estimate is None or device is None:
            return
        speeds = Speeds(study.modality, device, self._session.device.speed_ratios)
        before = {stage: speeds.ratio(stage) for stage in estimate.stages}
        for stage, ratio in learnt_stages(before, estimate, self._run.record).items():
            speeds.ratios[speeds.key(stage)] = ratio
            self._preferences.remember_speed(speeds.key(stage), ratio)
        study.done_once.add(once_key(study.inputs, study.protocol, device))

    def _ended(self) -> None:
        job, self.job = self.job, None
        following, self._next = self._next, None
        if job is not None:
            job.deleteLater()
        if following is not None:
            following()


def _commit_edit() -> None:
    """Let the field being edited hand in its value."""
    widget = QApplication.focusWidget()
    if widget is not None:
        widget.clearFocus()
