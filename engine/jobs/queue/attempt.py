"""One attempt at a study of the queue, in an engine process of its own.

What an earlier attempt has left counts: a result is not made twice, a checkpoint is gone on from.
"""

from __future__ import annotations

import time
from collections.abc import Callable
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
from engine.jobs.checkpoint.run_result import NOT_KEPT
from engine.jobs.process.child import NO_MEMORY
from engine.jobs.process.engine_process import EngineProcess
from engine.jobs.process.messages import Source
from engine.jobs.queue.ending import Ending
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.store import StudyQueue
from engine.modalities.studies import files_of_study
from engine.protocols.study.study import Study
from engine.results import EXPORTED, Result, Results

OnEvent = Callable[[Event], None]
LAST_ENGINE_S, LOOK_S = 30.0, 0.1
"""Time that the engine of a runner that died has to notice, and between two looks."""
OURS = {"replaces": True}
WHOLE = ("finished", "ended early")
NO_IMAGE = "The engine ended without an image; retry it."


class Attempt:
    """Runs a study that this process has claimed; `stop` may be called from any thread."""

    def __init__(self, queue: StudyQueue, entry: QueueEntry, source: Source | None = None) -> None:
        self._queue, self._entry, self._source = queue, entry, source
        self._process: EngineProcess | None = None
        self._stop = Flag()

    def stop(self) -> None:
        """End as soon as possible, with a checkpoint."""
        self._stop.set()
        if self._process is not None:
            self._process.abort()

    def run(self, on_event: OnEvent) -> Ending:
        """Reconstruct the study and keep its image; return how that ended, whatever happens."""
        try:
            return self._run(on_event)
        except EngineError as e:
            return Ending("failed", str(e))
        except MemoryError:
            return Ending("failed", "There is not enough memory; close other programs, and retry.")

    def _run(self, on_event: OnEvent) -> Ending:
        entry, study = self._entry, self._entry.to_study()
        kept = result_of_run(entry.run)
        if kept is not None:  # whoever made it died before it could say so
            return self._finish(study, kept.id)
        if entry.output:
            refuse_output(entry, study)
        job, resume = self._job(study)
        kept = result_of_run(entry.run) if entry.left_by else None
        if kept is not None:  # kept while its run was taken over
            return self._finish(study, kept.id)
        seen = Seen(on_event)
        end = self._draw(study, job, resume, seen)
        if resume and seen.is_refused(end) and not job.record.is_at_work:
            job.remove()  # its checkpoint is damaged, or of files that have changed since
            job, _ = self._job(study)
            end = self._draw(study, job, False, seen)
        return self._ending(study, job, seen, end)

    def _draw(self, study: Study, job: Job, resume: bool, seen: Seen) -> Event | None:
        entry = self._entry
        self._process = process = EngineProcess(
            study,
            device=entry.device,
            threads=entry.threads,
            job=job,
            resume=resume,
            source=self._source,
        )
        if self._stop.is_set():  # before there was a process to hear it
            process.abort()
        with closing(process.events()) as events:
            for event in events:
                seen.take(event)
                if isinstance(event, Finished | Failed | Aborted):
                    return event
        return None

    def _ending(self, study: Study, job: Job, seen: Seen, end: Event | None) -> Ending:
        updates = _updates(job)
        match end:
            case Finished() if seen.result:
                return self._finish(study, seen.result)
            case Finished():
                return Ending("failed", seen.why_not_kept or NO_IMAGE, updates=updates)
            case Aborted() if self._stop.is_set():
                return Ending("stopped", updates=updates)
            case Failed():
                kind = "died" if end.died else "rests" if end.rests else "failed"
                return Ending(kind, end.reason or end.text, updates=updates)  # type: ignore[arg-type]
        return Ending("failed", NO_IMAGE, updates=updates)

    def _finish(self, study: Study, result_id: str) -> Ending:
        """Say whose the image is, and write it to the output that was asked for, if one was."""
        order = self._entry.whose
        if order is not None:
            Results().open(result_id).put_order(order)
        if not self._entry.output:
            return Ending("finished", "", result_id)
        output, result = Path(self._entry.output), Results().open(result_id)
        try:
            with only_writer(output):
                refuse_output(self._entry, study)
                # from now on a file of that name is ours, should this process be killed
                self._queue.change(self._entry.id, lambda now: now.model_copy(update=OURS))
                if study.protocol.has_frames:
                    save_frames(result.volume(), result.frames(), output, result.provenance)
                else:
                    save(result.volume(), output, result.provenance)
            result.mark(EXPORTED)
        except EngineError as e:
            return Ending("failed", f"Its image is among the results, but: {e}", result_id)
        return Ending("finished", "", result_id)

    def _job(self, study: Study) -> tuple[Job, bool]:
        """Return the job of this run, and whether there is an image to go on from."""
        folder = jobs_dir() / self._entry.run
        if not folder.is_dir():
            return Job.create(study, folder, device=self._entry.device), False
        job = Job(folder)
        try:
            self._wait_for_last_engine(job)
            return job, bool(job.info.done)
        except ResourceError:
            raise
        except EngineError:  # damaged, as its images then may be
            job.remove()
            return Job.create(study, folder, device=self._entry.device), False

    def _wait_for_last_engine(self, job: Job) -> None:
        """Wait until the engine of a runner that was killed has noticed, and is gone."""
        until, me = time.monotonic() + LAST_ENGINE_S, Owner.me().pid
        while job.record.is_at_work and not self._stop.is_set():
            owner = job.record.owner
            if owner.pid == me:
                return
            if owner.host == self._entry.left_by:  # it may be on a machine that nobody can ask
                job.claim(heir_of=owner.pid)
                return
            if time.monotonic() > until:
                raise ResourceError(
                    f"process {owner.pid} on {owner.host} works on this run already, perhaps a "
                    "window that went on with it; end that one, and retry."
                )
            time.sleep(LOOK_S)


class Seen:
    """What was told of a run, as far as its end depends on it."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        self.result = self.why_not_kept = ""
        self.finished: Finished | None = None
        self._has_begun = False

    def take(self, event: Event) -> None:
        self._on_event(event)
        if isinstance(event, Finished):
            self.finished = event
        elif isinstance(event, ResultSaved):
            self.result = event.result
        elif isinstance(event, Warned) and event.text.startswith(NOT_KEPT):
            self.why_not_kept = event.text
        self._has_begun = self._has_begun or isinstance(event, StageStarted)

    def is_refused(self, end: Event | None) -> bool:
        """Whether a run came to nothing before it began: what it was to go on from is no good."""
        is_fault = isinstance(end, Failed) and end.user_fault and end.text != NO_MEMORY
        return is_fault and not self._has_begun


def result_of_run(run: str) -> Result | None:
    """Return the whole image that a run has kept among the results, None if there is none."""
    for result in Results().newest_first():
        record = result.record
        if record.job.startswith(f"{run} of ") and record.outcome in WHOLE:
            return result
    return None


def refuse_output(entry: QueueEntry, study: Study) -> None:
    """Refuse an output that cannot be written, or would replace a file unasked."""
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
