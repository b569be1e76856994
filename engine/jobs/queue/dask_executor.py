"""Studies on the workers of a Dask cluster, as on the nodes that Slurm gives.

What travels is the name of a study in the queue, and paths: queue, jobs, results and scans lie on a
disk that all machines see, and a worker that goes on with a study does so from its checkpoint. A
worker is an engine process itself. Dask gives the study of one that dies to the next one.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, ResourceError
from engine.core.paths import HOME_VARIABLE
from engine.data.runs.events import Aborted, Event, Failed, Progressed, StageStarted
from engine.jobs.checkpoint import Job, keep
from engine.jobs.dask_client import connected, leave, n_threads
from engine.jobs.queue.attempt import Attempt, Seen
from engine.jobs.queue.ending import Ending
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.executor import Work, standing_after
from engine.jobs.queue.store import StudyQueue
from engine.protocols.run_context.environment import program_version
from engine.protocols.study.study import Study
from engine.selftest import named

if TYPE_CHECKING:
    from distributed import Future

TELL_S = 1.0
"""Between two looks of a worker at the queue: what people want, and whether it is still asked."""


class DaskExecutor:
    """Workers of a cluster, one study for each of their threads.

    Parameters
    ----------
    queue
        to which the studies belong, on a disk that all machines see
    address
        of the scheduler, as tcp://host:8786 or tls://host:8786

    Raises
    ------
    ResourceError
        without the library, or where no scheduler answers
    """

    def __init__(self, queue: StudyQueue, address: str) -> None:
        self._queue, self._client = queue, connected(address)

    def start(self, entry: QueueEntry) -> Work:
        """Begin with a study that this process has claimed; does not wait."""
        future = self._client.submit(
            work_here, program_version(), str(self._queue.folder), entry.id, pure=False, retries=0
        )
        return _RemoteWork(self._queue, entry.id, future)

    def n_free(self) -> int | None:
        """Return how many studies may run at a time; none while the scheduler is away."""
        return n_threads(self._client)

    def close(self) -> None:
        """Leave the cluster as it is."""
        leave(self._client)


class _RemoteWork:
    def __init__(self, queue: StudyQueue, id: str, future: Future) -> None:
        self._queue, self._id, self._future = queue, id, future

    @property
    def standing(self) -> tuple[str, float]:
        """What its worker has written down last."""
        entry = self._queue.get(self._id)
        return entry.doing, entry.done

    @property
    def ending(self) -> Ending | None:
        if not self._future.done():
            return None
        if self._future.status in ("cancelled", "lost"):  # the scheduler went, and not the study
            return Ending("stopped")
        fault = self._future.exception()
        if fault is not None:
            return Ending("died", f"Its worker ended: {fault}.")
        found: Ending = self._future.result()
        return found

    def stop(self) -> None:
        """Do nothing: the worker reads in the queue what is wanted."""


def work_here(version: str, folder: str, id: str) -> Ending:
    """Reconstruct a study of a queue in this process, a worker; return how that ended."""
    try:
        _refuse_other_place(version, folder)
        queue = StudyQueue(Path(folder))
        return AttemptHere(queue, queue.get(id)).run(_nothing)
    except EngineError as e:
        return Ending("failed", str(e))


def _refuse_other_place(version: str, folder: str) -> None:
    """Refuse a worker of another version, or that would keep its results elsewhere."""
    if program_version() != version:
        raise ResourceError(
            f"a worker has Isocenter {program_version()}, the queue {version}; install the same "
            "on all machines."
        )
    here = StudyQueue().folder
    if here != Path(folder):
        raise ResourceError(
            f"a worker keeps its queue in {here}, and this one is in {folder}; start workers with "
            f"the same {HOME_VARIABLE}, a folder that all machines see."
        )


class AttemptHere(Attempt):
    """An attempt in this process, which hears from the queue's file what is wanted of it."""

    def __init__(self, queue: StudyQueue, entry: QueueEntry) -> None:
        super().__init__(queue, entry)
        self._looked_at = 0.0
        self._standing = ("", 0.0)

    def _draw(self, study: Study, job: Job, resume: bool, seen: Seen) -> Event | None:
        from engine.jobs.reconstruction import run

        try:
            on = named(self._entry.device, self._entry.threads)
            where = job.latest() if resume else None
            heir = job.record.owner.pid  # whoever worked on it is gone: the scheduler says so
            source = run(study, on=on, resume=where, on_progress=self._listen, folder=job.folder)
            with closing(keep(source, job, heir_of=heir)) as events:
                for event in events:
                    self._standing = standing_after(event, *self._standing)
                    self._look(now=isinstance(event, StageStarted))
                    seen.take(event)
            return seen.finished
        except KeyboardInterrupt:
            return Aborted("Stopped.")
        except EngineError as e:
            return Failed(str(e), user_fault=True)

    def _wait_for_last_engine(self, job: Job) -> None:
        """Go on at once: a worker that is lost may be on a machine that nobody can ask."""

    def _listen(self, progress: Progressed) -> None:
        self._standing = standing_after(progress, *self._standing)
        self._look()

    def _look(self, *, now: bool = False) -> None:
        """Write down how far it is; raise `KeyboardInterrupt` where it is not wanted any longer."""
        if not now and monotonic() - self._looked_at < TELL_S:
            return
        self._looked_at = monotonic()
        said = dict(zip(("doing", "done"), self._standing, strict=True))

        def change(entry: QueueEntry) -> QueueEntry | None:
            return entry.model_copy(update=said) if self._is_asked(entry) else None

        try:
            entry = self._queue.change(self._entry.id, change)
        except EngineError:  # taken out, or the share is away for a moment
            return
        if entry.wish or not self._is_asked(entry):
            self.stop()
            raise KeyboardInterrupt

    def _is_asked(self, entry: QueueEntry) -> bool:
        """Whether it is still this attempt that the queue waits for."""
        mine = (self._entry.owner, self._entry.begun_utc)
        return entry.state == "running" and (entry.owner, entry.begun_utc) == mine


def _nothing(_: Event) -> None:
    """Tell nobody."""
