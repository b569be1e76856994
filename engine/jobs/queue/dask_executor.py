"""Run studies on the workers of a Dask cluster, such as the nodes of a Slurm allocation.

Only the name of the study in the queue and paths are sent. The queue, jobs, results and scans are
on a disk that all machines see. A worker continues a study from its checkpoint. Each worker is
itself an engine process. If a worker dies, Dask gives its study to the next one.
"""

from __future__ import annotations

from concurrent.futures import CancelledError, wait
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, ResourceError
from engine.core.paths import HOME_VARIABLE
from engine.data.runs.events import Aborted, Event, Failed, Progressed, StageStarted
from engine.jobs.checkpoint import Job, keep
from engine.jobs.dask_client import connected, leave, n_threads, transfer_of
from engine.jobs.queue.attempt import Attempt, AttemptEvents
from engine.jobs.queue.ending import Ending
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.executor import Work, state_after
from engine.jobs.queue.store import StudyQueue
from engine.modalities.studies import Study
from engine.protocols.run_context.environment import program_version
from engine.selftest import named

if TYPE_CHECKING:
    from concurrent.futures import Future as Transfer

    from distributed import Client, Future

TELL_S = 1.0
"""Interval at which a worker reads the queue: the user's requests, and its own claim."""

ANSWER_S = 0.2
"""Wait for the end of a study before other studies are looked at; its transfer continues."""


class DaskExecutor:
    """Workers of a cluster, one study for each of their threads.

    Parameters
    ----------
    queue
        queue with the studies, on a disk that all machines see
    address
        address of the scheduler, such as tcp://host:8786 or tls://host:8786

    Raises
    ------
    ResourceError
        if Dask is not installed, or no scheduler answers
    """

    def __init__(self, queue: StudyQueue, address: str) -> None:
        self._queue, self._client = queue, connected(address)

    def start(self, entry: QueueEntry) -> Work:
        """Start a study that this process has claimed; does not wait."""
        # Not pure: Dask must not reuse the result of an earlier attempt at the same study
        future = self._client.submit(
            work_here, program_version(), str(self._queue.folder), entry.id, pure=False, retries=0
        )
        return _RemoteWork(self._queue, entry.id, future, self._client)

    def n_free(self) -> int | None:
        """Return the number of studies that can run at a time; 0 while the scheduler is away."""
        return n_threads(self._client)

    def close(self) -> None:
        """Close the client. The cluster itself keeps running."""
        leave(self._client)


class _RemoteWork:
    def __init__(self, queue: StudyQueue, id: str, future: Future, client: Client) -> None:
        self._queue, self._id, self._future, self._client = queue, id, future, client
        self._transfer: Transfer[Ending] | None = None

    @property
    def standing(self) -> tuple[str, float]:
        """The last status that the worker wrote to the queue."""
        entry = self._queue.get(self._id)
        return entry.doing, entry.done

    @property
    def ending(self) -> Ending | None:
        if not self._future.done():
            self._drop_transfer()  # its worker has died
            return None
        status = self._future.status
        if status == "cancelled":  # the scheduler ended, not the study
            return Ending("stopped")
        if status == "error":
            return Ending("died", f"Its worker ended: {self._future.exception()}.")
        return self._received()

    def _received(self) -> Ending | None:
        """Return the end of the study once it has arrived."""
        # The worker may have died with the end in its memory. Dask then runs the study again, which
        # finds the stored result. A second attempt of the queue could run at the same time.
        if self._transfer is None:
            self._transfer = transfer_of(self._client, self._future)
        if not wait([self._transfer], ANSWER_S).done:
            return None
        transfer, self._transfer = self._transfer, None
        try:
            return transfer.result()
        except (OSError, CancelledError):  # no answer: the next call finds the new status
            return None

    def _drop_transfer(self) -> None:
        if self._transfer is not None:
            self._transfer.cancel()
            self._transfer = None

    def stop(self) -> None:
        """Do nothing: the worker reads the request from the queue."""


def work_here(version: str, folder: str, id: str) -> Ending:
    """Reconstruct a study of a queue in this process, a worker.

    Parameters
    ----------
    version
        version of the program that works through the queue
    folder
        folder of the queue
    id
        name of the study in the queue

    Returns
    -------
    ending
        how the attempt ended; failed if this worker has another version or another folder
    """
    try:
        _refuse_other_place(version, folder)
        queue = StudyQueue(Path(folder))
        return AttemptHere(queue, queue.get(id)).run(_nothing)
    except EngineError as e:
        return Ending("failed", str(e))


def _refuse_other_place(version: str, folder: str) -> None:
    """Refuse a worker of another version, or one that would store its results elsewhere."""
    if program_version() != version:
        raise ResourceError(
            f"A worker runs Isocenter {program_version()}, but the queue runs {version}. "
            "Install the same version on all machines."
        )
    here = StudyQueue().folder
    if here != Path(folder):
        raise ResourceError(
            f"A worker uses the queue in {here}, but this queue is in {folder}. Set "
            f"{HOME_VARIABLE} to the same shared folder on all machines."
        )


class AttemptHere(Attempt):
    """An attempt in this process, which reads the user's requests from the queue's file."""

    def __init__(self, queue: StudyQueue, entry: QueueEntry) -> None:
        super().__init__(queue, entry)
        self._looked_at = 0.0
        self._standing = ("", 0.0)

    def _draw(self, study: Study, job: Job, resume: bool, seen: AttemptEvents) -> Event | None:
        from engine.jobs.reconstruction import run

        try:
            on = named(self._entry.device, self._entry.threads)
            where = job.latest() if resume else None
            heir = job.record.owner.pid  # the previous process has ended: the scheduler knows
            source = run(study, on=on, resume=where, on_progress=self._listen, folder=job.folder)
            with closing(keep(source, job, heir_of=heir, warnings=self._unbound)) as events:
                for event in events:
                    self._standing = state_after(event, *self._standing)
                    self._poll(now=isinstance(event, StageStarted))
                    seen.take(event)
            return seen.finished
        except KeyboardInterrupt:
            return Aborted("Stopped.")
        except EngineError as e:
            return Failed(str(e), user_fault=True)

    def _wait_for_last_engine(self, job: Job) -> None:
        """Continue at once: a lost worker may be on a machine that is out of reach."""

    def _listen(self, progress: Progressed) -> None:
        self._standing = state_after(progress, *self._standing)
        self._poll()

    def _poll(self, *, now: bool = False) -> None:
        """Write the progress to the queue; raise `KeyboardInterrupt` if the attempt shall stop."""
        if not now and monotonic() - self._looked_at < TELL_S:
            return
        self._looked_at = monotonic()
        standing = dict(zip(("doing", "done"), self._standing, strict=True))

        # A study that another process has claimed keeps that one's progress
        def change(entry: QueueEntry) -> QueueEntry | None:
            return entry.model_copy(update=standing) if self._is_asked(entry) else None

        try:
            entry = self._queue.change(self._entry.id, change)
        except EngineError:  # removed, or the disk is away for a moment
            return
        if entry.wish or not self._is_asked(entry):
            self.stop()
            raise KeyboardInterrupt

    def _is_asked(self, entry: QueueEntry) -> bool:
        """Return True if the queue still waits for this attempt."""
        mine = (self._entry.owner, self._entry.begun_utc)
        return entry.state == "running" and (entry.owner, entry.begun_utc) == mine


def _nothing(_: Event) -> None:
    """Ignore an event: the queue's file has the progress."""
