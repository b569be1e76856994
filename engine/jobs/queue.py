"""Studies one after the other, for a night or a weekend: each in an engine process of its own.

What one study takes, memory or handles, goes with its process; what goes wrong with it is told, and
the next one begins. A queue that is started again goes on where it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

from engine.errors import EngineError
from engine.events import Aborted, Event, Failed, Finished, ResultKept
from engine.io import can_save, can_save_frames, existing, save, save_frames
from engine.io.locks import only_writer
from engine.jobs.checkpoint import Job, jobs
from engine.jobs.process.engine_process import EngineProcess
from engine.jobs.process.messages import Source
from engine.results import Results
from engine.study.study import Study

State = Literal["written", "there already", "failed"]


@dataclass(frozen=True)
class QueuedStudy:
    """A study and where its image goes."""

    study: Study
    output: Path


@dataclass(frozen=True)
class QueueOutcome:
    """How a study of a queue ended.

    Attributes
    ----------
    output : where its image goes
    state : whether it is there
    text : why it is not, one sentence; empty if it is
    seconds : time it took
    """

    output: Path
    state: State
    text: str = ""
    seconds: float = 0.0


def run_queue(
    queue: Iterable[QueuedStudy],
    *,
    device: str = "auto",
    threads: int | None = None,
    force: bool = False,
    on_event: Callable[[Event], None] | None = None,
    source: Source | None = None,
) -> Generator[QueueOutcome, None, None]:
    """Reconstruct studies in order; closing the iterator ends the one at work, which can go on.

    Parameters
    ----------
    queue
        drawn from as the studies before are done
    device, threads
        as for one reconstruction
    force
        make images anew that are there already
    on_event
        called with every event of every run
    source
        what runs a study; a reconstruction if None

    Yields
    ------
    outcome
        of each study, once it has ended
    """
    for each in queue:
        begin = monotonic()
        if existing(each.output) and not force:
            yield QueueOutcome(each.output, "there already")
            continue
        try:
            fault = _reconstruct(each, device, threads, on_event or _nothing, source)
        except EngineError as e:
            fault = str(e)
        seconds = monotonic() - begin
        yield QueueOutcome(each.output, "failed" if fault else "written", fault, seconds)


def _reconstruct(
    queued: QueuedStudy,
    device: str,
    threads: int | None,
    on_event: Callable[[Event], None],
    source: Source | None,
) -> str:
    """Run a study to its end and write its image; return why there is none, empty if there is."""
    protocol = queued.study.protocol
    can_save(queued.output, protocol.modality)
    if protocol.has_frames:
        can_save_frames(queued.output, gated=protocol.has_gates)
    with only_writer(queued.output):
        job, resume = _job_for(queued)
        process = EngineProcess(
            job.study, device=device, threads=threads, job=job, resume=resume, source=source
        )
        result = ""
        with closing(process.events()) as events:
            for event in events:
                on_event(event)
                if isinstance(event, ResultKept):
                    result = event.result
                if isinstance(event, Finished):
                    return _save(event, queued, result)
                if isinstance(event, Failed | Aborted):
                    return event.text
    return "The engine ended without an image; start the queue again."


def _save(finished: Finished, queued: QueuedStudy, result: str) -> str:
    """Write an image, with its frames of time as they are kept; return why not."""
    volume, output = finished.volume, queued.output
    if not queued.study.protocol.has_frames:
        save(volume, output, finished.provenance)
        return ""
    frames = Results().open(result).frames() if result else ()
    if not frames:
        return "Its frames could not be kept among the results; make room there, and start again."
    save_frames(volume, frames, output, finished.provenance)
    return ""


def _job_for(queued: QueuedStudy) -> tuple[Job, bool]:
    """Return the job that an earlier queue began for this study and place, or a new one."""
    study = queued.study.with_absolute_paths()
    place = str(queued.output.expanduser().absolute())
    for info in jobs():
        job = Job(info.folder)
        try:
            if info.resumable and job.record.output == place and job.study == study:
                return job, True
        except EngineError:
            continue
    return Job.create(queued.study, output=queued.output), False


def _nothing(_: Event) -> None:
    """Tell nobody."""
