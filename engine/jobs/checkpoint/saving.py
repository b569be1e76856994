"""Save checkpoints during a reconstruction without slowing it down."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator
from itertools import chain
from math import inf
from time import monotonic

from engine.core.errors import EngineError, OwnerChangedError, WorkersLostError
from engine.data.runs.events import (
    Checkpointed,
    Event,
    Finished,
    Planned,
    Preview,
    StageStarted,
    Warned,
)
from engine.data.runs.record import Ending
from engine.io.safety.locks import after_others
from engine.io.safety.outputs import DiskNeed, output_need, refuse_full_disks
from engine.jobs.checkpoint.job import Job
from engine.jobs.checkpoint.job_record import Status
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.checkpoint.run_result import RunResult
from engine.results import Results

INTERVAL_S = 2.0
"""Shortest time between checkpoints within an iteration."""
END_INTERVAL_S = 0.5
"""Shortest time between checkpoints at the ends of iterations."""
SHARE = 0.05
"""Share of the time that saving may use."""

log = logging.getLogger(__name__)


def keep(
    events: Iterator[Event],
    job: Job,
    *,
    heir_of: int | None = None,
    warnings: Iterable[Warned] = (),
) -> Generator[Event, None, None]:
    """Pass on events, save their images in a job, and record how the run ends.

    An image is saved at the end of an iteration, `END_INTERVAL_S` after an earlier one, or after
    `INTERVAL_S`, as long as saving uses less than `SHARE` of the time. The last image before any
    end is always saved. The finished image is saved as a result before the last event is passed on
    and before the images of the job are deleted. If the run ends otherwise, its last image becomes
    a result.

    Parameters
    ----------
    events
        events of a run; closed at the end
    job
        job of the run, claimed by this process
    heir_of
        process that may hand the job over, see `Job.claim`
    warnings
        warnings from before the run; the first events, and part of its record

    Yields
    ------
    event
        the events, and further ones about checkpoints and the result

    Raises
    ------
    OwnerChangedError
        if another process has claimed the job meanwhile
    EngineError
        any error of the run, after the last image was saved; also too little space for the output
        or the result, before the long work begins
    """
    job.claim(heir_of=heir_of)
    saver, result = _Saver(job), RunResult(job)
    finished = False
    try:
        for event in chain(warnings, events):
            saver.latest = event if isinstance(event, Preview) else saver.latest
            result.take(event)
            if isinstance(event, Planned):
                refuse_full_disks(_needs_of(job, event))
            if isinstance(event, Finished):
                event = result.complete(event)
                yield StageStarted("keep", "Saving the result")
                with after_others(job.folder):  # no other process can claim the job in between
                    _refuse_other_owner(job)
                    stored = result.keep_finished(event)
                yield stored
                event = result.in_its_place(event)
                finished = True
            yield event
            if isinstance(event, Preview) and event.frame is not None and event.ends_iteration:
                yield from saver.save_frame(event)
            elif isinstance(event, Preview) and (event.slices is not None or saver.due):
                yield from saver.save()
    # Closing the generator or an abort: the last image is saved, and the reason passes on
    except (GeneratorExit, KeyboardInterrupt):
        _refuse_other_owner(job)
        _end(job, saver, result, finished=finished)
        raise
    except OwnerChangedError:
        raise
    # No worker is left: not a failure, the same run continues once there are workers
    except WorkersLostError as e:
        saver.save_last()
        _mark(job, "paused", str(e))
        raise
    except Exception as e:
        saver.save_last()
        _mark(job, "failed", str(e))
        _keep_last(job, result, "failed", str(e))
        raise
    finally:
        if isinstance(events, Generator):
            events.close()
    _end(job, saver, result, finished=finished)


def _needs_of(job: Job, planned: Planned) -> list[DiskNeed]:
    output = output_need(job.record.output, planned.image_bytes, planned.n_frames)
    result = Results().result_need(planned.image_bytes, planned.n_frames)
    return [result] if output is None else [output, result]


def _end(job: Job, saver: _Saver, result: RunResult, *, finished: bool) -> None:
    if finished:
        _mark(job, "finished", result=result.id)
    else:
        saver.save_last()
        _mark(job, "aborted")  # first, because an aborting process may not wait for the rest
        _keep_last(job, result, "aborted")


def _keep_last(job: Job, result: RunResult, ending: Ending, reason: str = "") -> None:
    result.keep_last(ending, reason)
    try:
        job.note_result(result.id)
    except EngineError as e:
        log.warning("job %s: %s", job.id, e)


def _refuse_other_owner(job: Job) -> None:
    """Refuse to continue if another process owns the job by now."""
    try:
        owner, me = job.record.owner, Owner.current()
    except EngineError:  # a missing folder has no owner
        return
    if (owner.host, owner.pid) != (me.host, me.pid):
        raise OwnerChangedError(
            f"job {job.id}: process {owner.pid} on {owner.host} has taken over. This process "
            "stops without a result."
        )


def _mark(job: Job, status: Status, text: str = "", *, result: str = "") -> None:
    try:
        job.mark(status, text, result=result)
    except EngineError as e:  # an error of a lost folder must not hide the end of the run
        log.warning("job %s: %s", job.id, e)


class _Saver:
    def __init__(self, job: Job) -> None:
        self.job = job
        self.latest: Preview | None = None
        self._saved: Preview | None = None
        self._started = self._saved_at = monotonic()
        self._end_saved_at = -inf
        self._spent_s = self._cost_s = 0.0
        self._warned = False

    @property
    def due(self) -> bool:
        now = monotonic()
        # The last save predicts the next one: a slow disk gets fewer checkpoints
        affordable = self._spent_s + self._cost_s <= SHARE * (now - self._started)
        ends = self.latest is not None and self.latest.ends_iteration
        wanted = ends and now - self._end_saved_at >= END_INTERVAL_S
        return affordable and (wanted or now - self._saved_at >= INTERVAL_S)

    def save(self) -> Iterator[Event]:
        preview, before = self.latest, monotonic()
        if preview is None or preview is self._saved:
            return
        try:
            is_saved = self.job.save(preview)
        except EngineError as e:
            yield from self._warn_unsaved(e)
            return
        finally:
            self._saved_at = monotonic()
            if preview.ends_iteration:
                self._end_saved_at = self._saved_at
            self._cost_s = self._saved_at - before
            self._spent_s += self._cost_s
        self._saved = preview
        if is_saved:
            yield Checkpointed(self.job.id, preview.iteration, preview.subset)

    def save_frame(self, preview: Preview) -> Iterator[Event]:
        """Save a finished frame regardless of the time budget: no later image contains it."""
        try:
            self.job.save_frame(preview)
        except EngineError as e:
            yield from self._warn_unsaved(e)
            return
        self._saved, self._saved_at = preview, monotonic()
        yield Checkpointed(self.job.id, preview.iteration, preview.subset)

    def _warn_unsaved(self, e: EngineError) -> Iterator[Event]:
        # One warning is enough: the next checkpoints would fail for the same reason
        if not self._warned:
            yield Warned(f"No checkpoint could be saved. The run continues without one: {e}")
        self._warned = True

    def save_last(self) -> None:
        for _ in self.save():
            pass
