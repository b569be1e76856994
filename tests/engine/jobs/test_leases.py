"""Tests of leases: studies of lost machines are released, and no study runs twice at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Flag
from threading import Thread

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import OwnerChangedError
from engine.core.paths import jobs_dir
from engine.data.runs.events import Event, Finished, Preview
from engine.data.runs.history import RunHistory
from engine.io.safety.locks import after_others
from engine.jobs.checkpoint import Job, keep
from engine.jobs.checkpoint.job import RECORD
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue import QueueEntry, StudyQueue, leases
from engine.jobs.queue.ending import Ending
from engine.jobs.queue.executor import LocalExecutor, Work
from engine.jobs.queue.leases import OwnLease
from engine.jobs.queue.runner import QueueRunner
from engine.jobs.reconstruction import Resume
from engine.results import Results
from tests.engine import engine_sources
from tests.engine.jobs.test_queue import queue as queue
from tests.engine.jobs.test_queue import study

ELSEWHERE = Owner(host="a machine elsewhere", pid=1, started_s=0)
LEASE_S = 0.3


class Waiting:
    """Work that runs until it is stopped, or for a given time."""

    def __init__(self, seconds: float) -> None:
        self._until, self._stopped = time.monotonic() + seconds, Flag()
        self.standing = ("Waiting", 0.0)

    @property
    def ending(self) -> Ending | None:
        if self._stopped.is_set():
            return Ending("stopped")
        return Ending("finished") if time.monotonic() > self._until else None

    def stop(self) -> None:
        self._stopped.set()


class WaitingExecutor:
    """An executor that starts `Waiting` for each study, and records it."""

    def __init__(self, *seconds: float) -> None:
        self.seconds, self.works = list(seconds), []

    def start(self, entry: QueueEntry) -> Work:
        self.works.append(Waiting(self.seconds.pop(0)))
        return self.works[-1]

    def n_free(self) -> int | None:
        return 1 + len(self.works)

    def close(self) -> None:
        """Do nothing; the executor holds no resources."""


def left_by_another_machine(queue: StudyQueue, folder: Path) -> str:
    id = queue.add(study(folder, "one")).id
    queue.claim(id)
    queue.change(id, lambda now: now.model_copy(update={"owner": ELSEWHERE}))
    return id


def owner_of(queue: StudyQueue, id: str) -> Owner | None:
    return queue.get(id).owner


def test_study_becomes_free_when_its_machine_stops_renewing(
    queue: StudyQueue, tmp_path: Path
) -> None:
    id = left_by_another_machine(queue, tmp_path)
    queue.set_running(True)
    runner = QueueRunner(queue, WaitingExecutor(0), lambda _: None, lease_s=LEASE_S)
    thread = Thread(target=runner.run)
    thread.start()
    for _ in range(8):  # longer than the lease, but renewed within it
        queue.change(id, lambda now: now.model_copy(update={"beat": now.beat + 1}))
        assert owner_of(queue, id) == ELSEWHERE
        time.sleep(LEASE_S / 4)
    thread.join()
    assert queue.get(id).state == "finished" and owner_of(queue, id) == Owner.current()


def test_study_changed_since_it_was_read_is_not_claimed(queue: StudyQueue, tmp_path: Path) -> None:
    id = left_by_another_machine(queue, tmp_path)
    events = queue.get(id)
    queue.change(id, lambda now: now.model_copy(update={"beat": now.beat + 1}))
    assert queue.claim(id, lapsed=events) is None and queue.claim(id) is None
    claimed = queue.claim(id, lapsed=queue.get(id))
    assert claimed is not None and claimed.left_by == ELSEWHERE.host
    assert queue.claim(id, lapsed=events) is None


def test_worker_unable_to_renew_its_lease_stops_before_it_expires(
    queue: StudyQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "BEAT_S", 0.05)
    monkeypatch.setattr(leases, "HOLD_S", 0.4)
    monkeypatch.setattr("engine.jobs.queue.runner.TELL_S", 0.0)
    id, executor = queue.add(study(tmp_path, "one")).id, WaitingExecutor(60, 0)
    queue.set_running(True)
    thread = Thread(target=QueueRunner(queue, executor, lambda _: None).run)
    thread.start()
    while queue.get(id).beat < 2:
        time.sleep(0.02)
    (work,) = executor.works
    assert work.ending is None
    with after_others(queue.folder):  # like a disconnected disk
        while work.ending is None:
            time.sleep(0.02)
    thread.join()
    assert len(executor.works) == 2 and queue.get(id).state == "finished"


def test_released_lease_is_not_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "BEAT_S", 0.01)
    monkeypatch.setattr(leases, "HOLD_S", 0.05)
    lease = OwnLease()
    time.sleep(0.02)
    assert lease.is_due and not lease.is_over
    time.sleep(0.05)
    assert lease.is_over and not lease.is_due


def elsewhere(job: Job) -> None:
    """Assign a job to another machine."""
    record = job.record.model_copy(update={"owner": ELSEWHERE, "status": "running"})
    (job.folder / RECORD).write_text(record.to_text())


def test_run_resumes_from_the_checkpoint_of_a_lost_machine(
    queue: StudyQueue, tmp_path: Path
) -> None:
    id = left_by_another_machine(queue, tmp_path)
    entry, events = queue.get(id), []
    job = Job.create(entry.to_study(), jobs_dir() / entry.run)
    job.save(next(shown(entry, done=2)))
    elsewhere(job)
    queue.set_running(True)
    executor = LocalExecutor(queue, events.append, engine_sources.steady)
    QueueRunner(queue, executor, lambda _: None, lease_s=0.05).run()
    assert queue.get(id).state == "finished" and len(Results().newest_first()) == 1
    assert next(event.update for event in events if isinstance(event, Preview)) == 3
    assert not job.folder.exists()


def test_run_claimed_by_another_machine_stores_no_result(queue: StudyQueue, tmp_path: Path) -> None:
    entry = queue.add(study(tmp_path, "one"))
    job = Job.create(entry.to_study())
    events = keep(shown(entry, ends=True), job)
    next(events)
    elsewhere(job)
    with pytest.raises(
        OwnerChangedError, match=r"process .* on a machine elsewhere has taken over"
    ):
        list(events)
    assert not Results().newest_first()
    assert (job.record.owner, job.record.status) == (ELSEWHERE, "running")


def shown(entry: QueueEntry, *, done: int = 0, ends: bool = False) -> Iterator[Event]:
    """Yield the images of a study after given updates, and the final one if it ends."""
    at = Resume(np.zeros((1, 1, 1), np.float32), done - 1, RunHistory()) if done else None
    options = {"on": cpu(1), "resume": at, "on_progress": lambda _: None}
    for event in engine_sources.steady(entry.to_study(), finish_early=bool, **options):
        if isinstance(event, Preview) or (ends and isinstance(event, Finished)):
            yield event
