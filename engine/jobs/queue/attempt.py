"""One attempt to run a study of the queue in an engine process.

Results of an earlier attempt count: an existing result is not made again, and a checkpoint is
continued.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from threading import Event as Flag

from engine.core.errors import EngineError, ResourceError
from engine.core.paths import jobs_dir
from engine.data.runs.events import (
    Aborted,
    Event,
    Failed,
    Finished,
    ResultSaved,
    StageStarted,
    Warned,
)
from engine.io import can_save, can_save_frames, save, save_frames
from engine.io.safety.locks import only_writer
from engine.io.safety.outputs import files_written, refuse_to_overwrite
from engine.jobs.checkpoint import Job
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.checkpoint.run_result import NOT_SAVED
from engine.jobs.process.child import NO_MEMORY
from engine.jobs.process.engine_process import EngineProcess
from engine.jobs.process.messages import Source
from engine.jobs.queue.ending import Ending
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.store import StudyQueue
from engine.modalities.studies import Study, files_of_study, unbound_files
from engine.protocols.study.study import refuse_changed_files
from engine.results import EXPORTED, Result, Results

OnEvent = Callable[[Event], None]
LAST_ENGINE_S, POLL_S = 30.0, 0.1
"""Time for the engine of a dead runner to notice it, and interval of the checks."""
OURS = {"replaces": True}
WHOLE = ("finished", "ended early")
NO_IMAGE = "The engine ended without an image. Retry the study."


class Attempt:
    """Runs a study that this process has claimed; any thread may call `stop`.

    Parameters
    ----------
    queue
        queue that contains the study
    entry
        claimed entry
    source
        function to run instead of a reconstruction, for the engine process
    """

    def __init__(self, queue: StudyQueue, entry: QueueEntry, source: Source | None = None) -> None:
        self._queue, self._entry, self._source = queue, entry, source
        self._process: EngineProcess | None = None
        self._stop = Flag()
        self._assumed = ""
        self._unbound: tuple[Warned, ...] = ()

    def stop(self) -> None:
        """Stop as soon as possible, with a checkpoint."""
        self._stop.set()
        if self._process is not None:
            self._process.abort()

    def run(self, on_event: OnEvent) -> Ending:
        """Reconstruct the study and save its image. No engine error leaves this function.

        Parameters
        ----------
        on_event
            called with each event of the run

        Returns
        -------
        ending
            how the attempt ended
        """
        try:
            return self._run(on_event)
        except EngineError as e:
            return Ending("failed", str(e))
        except MemoryError:
            return Ending("failed", "Not enough memory. Close other programs, and retry.")

    def _run(self, on_event: OnEvent) -> Ending:
        entry, study = self._entry, self._entry.to_study()
        stored = result_of_run(entry.run)
        if (
            stored is not None
        ):  # an earlier process had saved it, but ended before it could report it
            return self._finish_unless_it_assumes(study, stored)
        if entry.output:
            refuse_output(entry, study)
        self._unbound = _unbound(study)
        if not (jobs_dir() / entry.run).is_dir():  # a checkpoint would be lost with the answer
            self._assumed = self._unaccepted(each.text for each in self._unbound)
            if self._assumed:
                return self._asks(updates=0)
        job, resume = self._job(study)
        stored = result_of_run(entry.run) if entry.left_by else None
        if stored is not None:  # saved while this process took over the run
            return self._finish_unless_it_assumes(study, stored)
        seen = AttemptEvents(on_event)
        end = self._draw(study, job, resume, seen)
        if resume and seen.is_refused(end) and not job.record.is_at_work:
            # The checkpoint of a scan that another one has replaced stays: the scan may come back
            refuse_changed_files(job.study)
            job.remove()  # its checkpoint is damaged
            job, _ = self._job(study)
            end = self._draw(study, job, False, seen)
        return self._ending(study, job, seen, end)

    def _draw(self, study: Study, job: Job, resume: bool, seen: AttemptEvents) -> Event | None:
        entry = self._entry
        # Stored before the check below: `stop` in another thread then finds the process
        self._process = process = EngineProcess(
            study,
            device=entry.device,
            threads=entry.threads,
            job=job,
            resume=resume,
            source=self._source,
            warnings=self._unbound,
        )
        if self._stop.is_set():  # stopped before the process existed
            process.abort()
        with closing(process.events()) as events:
            for event in events:
                seen.take(event)
                self._ask_about(event, process)
                if isinstance(event, Finished | Failed | Aborted):
                    return event
        return None

    def _ask_about(self, event: Event, process: EngineProcess) -> None:
        """Stop a run that assumes a value of the scan which the user has not accepted."""
        if isinstance(event, Warned) and event.is_assumption and not self._assumed:
            self._assumed = self._unaccepted([event.text])
            if self._assumed:
                process.abort()

    def _unaccepted(self, assumptions: Iterable[str]) -> str:
        """Return the first assumption that the user must accept; empty without one."""
        if not self._entry.asks:
            return ""
        return next((each for each in assumptions if each not in self._entry.agreed), "")

    def _ending(self, study: Study, job: Job, seen: AttemptEvents, end: Event | None) -> Ending:
        updates = _updates(job)
        if self._assumed and isinstance(end, Finished | Aborted):
            return self._asks(updates)
        match end:
            case Finished() if seen.result:
                return self._finish(study, seen.result)
            case Finished():
                # The queue stopped it, so it waits again; an abort by anyone else is a failure
                return Ending("failed", seen.save_fault or NO_IMAGE, updates=updates)
            case Aborted() if self._stop.is_set():
                return Ending("stopped", updates=updates)
            case Failed():
                kind = "died" if end.died else "rests" if end.rests else "failed"
                return Ending(kind, end.reason or end.text, updates=updates)  # type: ignore[arg-type]
        return Ending("failed", NO_IMAGE, updates=updates)

    def _asks(self, updates: int) -> Ending:
        # A run faster than the request to stop saves its image, and an aborted one its last image
        for result in _results_of_run(self._entry.run):
            Results().delete(result, why="assumed value not accepted")
        return Ending("asks", self._assumed, updates=updates)

    def _finish_unless_it_assumes(self, study: Study, result: Result) -> Ending:
        """Finish with the image of an earlier attempt, or ask about the values that it assumes."""
        warnings = result.record.run_record.warnings
        self._assumed = self._unaccepted(each.text for each in warnings if each.is_assumption)
        return self._asks(updates=0) if self._assumed else self._finish(study, result.id)

    def _finish(self, study: Study, result_id: str) -> Ending:
        """Store the worklist order with the result, and write the requested output file."""
        order = self._entry.imaging_order
        if order is not None:
            Results().open(result_id).assign_order(order)
        if not self._entry.output:
            return Ending("finished", "", result_id)
        output, result = Path(self._entry.output), Results().open(result_id)
        try:
            with only_writer(output):
                refuse_output(self._entry, study)
                # from here on a file of that name is the queue's own, even if this process is
                # killed
                self._queue.change(self._entry.id, lambda now: now.model_copy(update=OURS))
                if study.protocol.has_frames:
                    save_frames(result.volume(), result.frames(), output, result.provenance)
                else:
                    save(result.volume(), output, result.provenance)
            result.mark(EXPORTED)
        except EngineError as e:
            # Failed, although the image is safe: the user expects the file
            return Ending("failed", f"The image is saved with the results, but: {e}", result_id)
        return Ending("finished", "", result_id)

    def _job(self, study: Study) -> tuple[Job, bool]:
        """Return the job of this run, and True if it has an image to continue from."""
        folder = jobs_dir() / self._entry.run
        # The name of the run never changes, so a later attempt finds the job of an earlier one
        if not folder.is_dir():
            return Job.create(study, folder, device=self._entry.device), False
        job = Job(folder)
        try:
            self._wait_for_last_engine(job)
            return job, bool(job.info.done)
        except ResourceError:
            raise
        except EngineError:  # damaged, and then its images may be too
            job.remove()
            return Job.create(study, folder, device=self._entry.device), False

    def _wait_for_last_engine(self, job: Job) -> None:
        """Wait until the engine of a killed runner has noticed it and ended."""
        until, me = time.monotonic() + LAST_ENGINE_S, Owner.current().pid
        while job.record.is_at_work and not self._stop.is_set():
            owner = job.record.owner
            if owner.pid == me:
                return
            if owner.host == self._entry.left_by:  # its machine may be out of reach
                job.claim(heir_of=owner.pid)
                return
            if time.monotonic() > until:
                raise ResourceError(
                    f"process {owner.pid} on {owner.host} is already running this study, "
                    "perhaps in a window. Stop the run there, and try again."
                )
            time.sleep(POLL_S)


def _unbound(study: Study) -> tuple[Warned, ...]:
    """Return a warning for each file that could be of another patient by now."""
    return tuple(
        Warned(
            f"{path.name}: the queue has no fingerprint of this file, so it may be the file of "
            "another patient by now. Check the patient."
        )
        for path in unbound_files(study)
    )


class AttemptEvents:
    """Events of a run that decide how the attempt ends.

    Parameters
    ----------
    on_event
        called with each event
    """

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        self.result = self.save_fault = ""
        self.finished: Finished | None = None
        self._has_begun = False

    def take(self, event: Event) -> None:
        self._on_event(event)
        if isinstance(event, Finished):
            self.finished = event
        elif isinstance(event, ResultSaved):
            self.result = event.result
        elif isinstance(event, Warned) and event.text.startswith(NOT_SAVED):
            self.save_fault = event.text
        self._has_begun = self._has_begun or isinstance(event, StageStarted)

    def is_refused(self, end: Event | None) -> bool:
        """Return True if a run failed before its first stage, because its checkpoint was unusable.

        Parameters
        ----------
        end
            last event of the run
        """
        # Too little memory is no reason to delete a checkpoint
        is_fault = isinstance(end, Failed) and end.user_fault and end.text != NO_MEMORY
        return is_fault and not self._has_begun


def result_of_run(run: str) -> Result | None:
    """Return the complete image that a run has saved among the results.

    Parameters
    ----------
    run
        name of the run

    Returns
    -------
    result
        the newest complete result; None without one
    """
    whole = (each for each in _results_of_run(run) if each.record.outcome in WHOLE)
    return next(whole, None)


def _results_of_run(run: str) -> list[Result]:
    """Return the images that a run has saved, complete or not, newest first."""
    # The full name ends with the time of creation, see `run_result.name_of`
    name = f"{run} of "
    return [each for each in Results().newest_first() if each.record.job.startswith(name)]


def refuse_output(entry: QueueEntry, study: Study) -> None:
    """Check that the output file can be written.

    Parameters
    ----------
    entry
        entry with an output
    study
        its study

    Raises
    ------
    EngineError
        if the format does not suit the volume, the output would replace an input, or the file
        exists and the user did not allow to replace it
    """
    output = Path(entry.output)
    can_save(output, study.protocol.modality)
    if study.protocol.has_frames:
        can_save_frames(output, gated=study.protocol.has_gates)
    refuse_to_overwrite(files_written(output), files_of_study(study), force=entry.replaces)


def _updates(job: Job) -> int:
    try:
        return job.info.done or 0
    except EngineError:
        return 0
