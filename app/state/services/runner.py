"""Start, pause, finish, abort and resume one reconstruction at a time, in a separate process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.run_images import StoredImage
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
NOT_SAVED = tr("The last image could not be saved to the results; export it before you continue.")


class Runner(QObject):
    """Owns the thread of the run."""

    def __init__(self, session: Session, preferences: Preferences, commands: Commands) -> None:
        super().__init__()
        self._session, self._preferences, self._commands = session, preferences, commands
        self._study, self._run = session.study, session.run
        self.job: EngineThread | None = None
        self._next: Callable[[], None] | None = None
        """Start of the next run, after the last process has ended."""
        self._job_id = ""
        self._running: Study | None = None
        """Study of the current or last run."""
        self.source: Source | None = None
        """Function that the engine process runs; None for a reconstruction."""
        self.engine: type[EngineProcess] | None = None
        """Class that runs a study; None for `EngineProcess`."""
        self.has_checkpoint = False
        """True if the job can be resumed from disk."""
        self._is_shut = False
        self._estimate: Requirements | None = None
        """Estimate of the engine before the run, without measured speeds."""
        session.device.speed_ratios |= preferences.speed_ratios()

    def start(self) -> None:
        """Reconstruct the open study."""
        _commit_edit()
        self._session.unlock_key()
        session, study = self._session, self._study
        if obstacle := session.obstacle():
            session.add_log(
                "warning", tr("The reconstruction cannot start. {obstacle}", obstacle=obstacle)
            )
            return
        device = session.device.in_use
        # The estimate is stored now: settings may change before the run ends.
        self._estimate = study.estimate(device) if device is not None else None
        wanted = study.to_study().model_copy(update={"identified": self._preferences.identify})
        self._launch(wanted, job_id="")

    def open_and_start(self, study: Study) -> None:
        """Open a study and reconstruct it.

        Parameters
        ----------
        study
            the study; if one of its files is refused, nothing starts
        """
        self._commands.open_study(study, done=self._start_when_ready)

    def _start_when_ready(self) -> None:
        """Start once the devices are known, unless another scan is opened before."""
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
        """Continue an interrupted job from its last checkpoint.

        Parameters
        ----------
        job_id
            name of the job; one that cannot be read is reported to the user
        device
            "auto", "cpu", "cuda" or "cuda:1"; "" keeps the current choice
        """
        from engine.jobs import Job as KeptJob

        if self._run.state.is_active:
            return
        self._session.unlock_key()
        try:
            job = KeptJob.open(job_id)
            study = job.study
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
            # The order belongs to the previous scan. If the scan of the job is refused, the
            # previous one stays bound.
            self._session.order.forget()
            self._commands.open_job(study, job.folder, launch)

    def pause(self) -> None:
        """Pause after the current update, or continue."""
        if self.job is None:
            return
        if self._run.state is RunState.PAUSED:
            self.job.process.resume_run()
            self._run.set_state(self._run.record.state_of_stage)
        elif self._run.state is RunState.RUNNING:
            self.job.process.pause()
            self._run.set_state(RunState.PAUSED)

    def finish(self) -> None:
        """Stop after the current iteration, apply the filter and store the image."""
        if self.job is not None and self._run.state in (RunState.RUNNING, RunState.PAUSED):
            self.job.process.finish_and_keep()
            self._run.set_state(RunState.FINISHING)
            self._session.add_log("info", tr("The run will finish after this iteration."))

    def abort(self) -> None:
        """Stop now; the last image and the checkpoint stay."""
        if self._next is not None:
            self._next = None
            self._run.set_state(RunState.IDLE)
        elif self.job is not None and self._run.state.is_active:
            self.job.process.abort()
            self._session.add_log("info", tr("Aborting."))

    def shut_down(self) -> None:
        """Abort, wait for thread and process, and start no more runs."""
        self._next, self._is_shut = None, True
        if self.job is not None:
            self.job.process.abort()
            self.job.wait()
            # The window no longer receives the last events of this run.
            if self._share_left() < 1:
                self._note_stored()

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
            # The last process still writes its checkpoint. Two at once could exceed the memory.
            self._next = partial(self._launch, study, job_id)
            self._run.begin(title, study, job_id)  # from now on no other scan can be opened
            return
        device = self._session.device.in_use
        key = device.key if device is not None else "auto"
        try:
            stored = KeptJob.open(job_id) if job_id else KeptJob.create(study, device=key)
        except EngineError as e:
            self._run.set_state(RunState.IDLE)
            self._session.raise_problem(Problem(tr("The reconstruction cannot start."), str(e)))
            return
        self._job_id, self.has_checkpoint = stored.id, bool(job_id)
        self._running = study
        process = (self.engine or EngineProcess)(
            study, device=key, job=stored, resume=bool(job_id), source=self.source
        )
        self.job = job = EngineThread(process, self)
        # Signals of the thread are queued, so these slots run in the window's thread.
        job.event_received.connect(self._handle_event)
        job.iteration_ended.connect(self._run.keep)
        job.preview.connect(self._run.show_preview)
        job.finished.connect(self._end_job)
        # Read before `begin`, which replaces the record.
        images = self._run.record.images.items if job_id == self._run.record.job else []
        self._run.begin(title, study, stored.id)
        if job_id and not images:
            self._read_iterates(stored)
        job.start()

    def _read_iterates(self, stored: KeptJob) -> None:
        """Load the images of a job that was started in another window."""
        record = stored.record
        algorithm = stored.study.protocol.algorithm
        n_subsets = record.subsets or algorithm.n_subsets
        of = 0 if algorithm.may_end_early else record.updates // n_subsets

        def read(_: Task) -> list[StoredImage]:
            return [
                StoredImage(f"iteration {at}", volume, (at, n_subsets), of)
                for done, volume in stored.iterates.read()
                if (at := done // n_subsets)
            ]

        self._commands.run_task(read, partial(self._run.keep_earlier, stored.id))

    def _handle_event(self, event: Event) -> None:
        self._run.take(event)
        match event:
            case Checkpointed():
                self.has_checkpoint = True
                self._note_stored()
                self._note_inputs()
            case Finished():
                self._note_stored()
                self._learn_speed()
            case Failed():
                self._keep_last_image("failed")
                self._report_failure(event)
            case Aborted():
                self._keep_last_image("aborted")
                job = self._job_id if self.has_checkpoint or self._run.record.latest else ""
                text = event.text.removeprefix(ABORTED).strip()  # the title already says this
                self._session.raise_problem(Problem(ABORTED, text, job=job, is_fault=False))

    def _note_stored(self) -> None:
        # The next start offers a run with a checkpoint, so its settings are not lost.
        if self._running is not None:
            self._study.note_stored(self._running)

    def _note_inputs(self) -> None:
        """Note the digests of the files, by which regions of earlier versions know their scan."""
        from engine.jobs import Job as KeptJob

        record = self._run.record
        if record.job == self._job_id and not record.inputs:
            with suppress(EngineError):  # regions then appear with the finished image
                record.inputs = dict(KeptJob.open(self._job_id).record.inputs)

    def _keep_last_image(self, ending: Ending) -> None:
        """Store the last image as a result, even if the engine could not."""
        from engine.jobs import Job as KeptJob
        from engine.jobs import keep_partial

        latest, job_id = self._run.record.latest, self._job_id
        if latest is None or latest.slices is not None:  # slabs are stored with their job
            return

        def on_stored(result_id: str) -> None:
            if not result_id:
                self._session.add_log("warning", NOT_SAVED)
            self._run.take_result(job_id, result_id)

        self._commands.run_task(
            lambda _: keep_partial(KeptJob.open(job_id), latest, ending),
            on_stored,
            failed=NOT_SAVED,
        )

    def _report_failure(self, event: Failed) -> None:
        if event.detail:
            self._session.add_log("error", event.detail)
        left = self._share_left()
        # A failure on the GPU usually leaves a checkpoint that the CPU can continue.
        self.has_checkpoint = left < 1  # a failing run saves its last image
        job = self._job_id if self.has_checkpoint else ""
        title = (
            tr("The reconstruction stopped.")
            if event.user_fault
            else tr("The engine stopped unexpectedly.")
        )
        problem = Problem(title, event.text, job=job)
        if event.on_cpu:
            title, text = tr("The run on the GPU stopped."), sentence_case(event.text)
            words = self._cpu_text(left)
            problem = Problem(title, text, job=job, cpu_job=self._job_id, cpu_text=words)
        self._session.raise_problem(problem)

    def _share_left(self) -> float:
        """Return the share of the updates that no checkpoint contains."""
        from engine.jobs import Job as KeptJob

        try:
            stored = KeptJob.open(self._job_id).info
        except EngineError:
            return 1.0
        return 1 - (stored.done or 0) / stored.updates

    def _cpu_text(self, left: float) -> str:
        """Return the button text for the rest of the run on the CPU, with its time."""
        session, study = self._session, self._study
        requirements = study.requirements(session.device.named("cpu"), left)
        text = tr("Continue on the CPU") if left < 1 else tr("Start on the CPU")
        return f"{text} ({requirements.time})" if requirements else text

    def _learn_speed(self) -> None:
        """Scale later estimates by this run, separately for each stage."""
        study, device, estimate = self._study, self._session.device.in_use, self._estimate
        if estimate is None or device is None:
            return
        # Stages differ: reading depends on the disk, iterations on the processor.
        speeds = Speeds(study.modality, device, self._session.device.speed_ratios)
        before = {stage: speeds.ratio(stage) for stage in estimate.stages}
        for stage, ratio in learnt_stages(before, estimate, self._run.record).items():
            speeds.ratios[speeds.key(stage)] = ratio
            self._preferences.remember_speed(speeds.key(stage), ratio)
        study.done_once.add(once_key(study.inputs, study.protocol, device))

    def _end_job(self) -> None:
        job, self.job = self.job, None
        following, self._next = self._next, None
        if job is not None:
            # Not deleted directly: this slot is called by a signal of the same object.
            job.deleteLater()
        if following is not None:
            following()


def _commit_edit() -> None:
    """Let the focused field commit its value."""
    # Ctrl+R does not move the focus, so an edited number would be missing from the run.
    widget = QApplication.focusWidget()
    if widget is not None:
        widget.clearFocus()
