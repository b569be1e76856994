"""Tests of studies on Dask workers, with the same images as on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures import Future as Transfer
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest

from engine.core.errors import ResourceError
from engine.core.paths import jobs_dir
from engine.jobs.checkpoint import Job, jobs
from engine.jobs.queue import StudyQueue, dask_executor
from engine.jobs.queue.dask_executor import DaskExecutor, _RemoteWork, work_here
from engine.jobs.queue.ending import Ending
from engine.jobs.queue.runner import QueueRunner
from engine.jobs.reconstruction import reconstruct
from engine.modalities.studies import Study
from engine.protocols.run_context.environment import program_version
from engine.protocols.run_context.provenance import hash_array
from engine.results import Results
from tests.dask_workers import cluster
from tests.engine.jobs.test_queue import queue as queue
from tests.engine.jobs.test_queue import running
from tests.farm.queue_kills import tiny_study

pytest.importorskip("distributed")
# Dask warns about its own code
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


def work_through(queue: StudyQueue, address: str) -> list[str]:
    queue.set_running(True)
    QueueRunner(queue, DaskExecutor(queue, address), lambda _: None).run()
    return [f"{entry.state} {entry.text}".strip() for entry in queue.entries()]


def add_four(queue: StudyQueue, study: Study) -> None:
    """Add three valid studies and one with an invalid scan."""
    for k in range(3):
        named = study.protocol.model_copy(update={"name": f"Study {k}"})
        queue.add(study.model_copy(update={"protocol": named}))
    bad = study.data.with_name("bad.h5")
    bad.write_bytes(b"no scan")
    queue.add(study.model_copy(update={"data": bad}))


@pytest.mark.parametrize("n_workers", [1, 2])
def test_images_equal_those_of_this_machine(
    queue: StudyQueue, tmp_path: Path, n_workers: int
) -> None:
    study = tiny_study(tmp_path)
    add_four(queue, study)
    with cluster(n_workers) as local:
        states = work_through(queue, local.scheduler_address)
    assert (
        states[:3] == ["finished"] * 3 and states[3].startswith("failed") and "bad.h5" in states[3]
    )
    found = {hash_array(result.volume().values) for result in Results().newest_first()}
    assert found == {hash_array(reconstruct(study).values)}
    assert [info.status for info in jobs()] == ["failed"]


def test_worker_with_another_folder_or_version_is_refused(
    queue: StudyQueue, tmp_path: Path
) -> None:
    entry = queue.add(tiny_study(tmp_path))
    other = StudyQueue(tmp_path / "other")
    ending = work_here(program_version(), str(other.folder), entry.id)
    assert ending.kind == "failed" and "the same shared folder on all machines" in ending.text
    ending = work_here("0.0", str(queue.folder), entry.id)
    assert ending.kind == "failed" and "Install the same version on all machines" in ending.text


def test_missing_scheduler_gives_one_sentence(
    queue: StudyQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.jobs.dask_client.CONNECT_S", 0.2)
    with pytest.raises(ResourceError, match="no Dask scheduler responds"):
        DaskExecutor(queue, "tcp://127.0.0.1:9")


@pytest.mark.slow
def test_killed_worker_loses_only_unsaved_updates(queue: StudyQueue, tmp_path: Path) -> None:
    study = tiny_study(tmp_path)
    algorithm = study.protocol.algorithm.model_copy(update={"iterations": 200})
    protocol = study.protocol.model_copy(update={"algorithm": algorithm})
    entry = queue.add(study.model_copy(update={"protocol": protocol}))
    with cluster(2, processes=True) as local:
        states: list[str] = []
        address = local.scheduler_address
        worker = Thread(target=lambda: states.extend(work_through(queue, address)))
        worker.start()
        running(queue, entry.id)
        owner = Job(jobs_dir() / entry.run).record.owner.pid
        os.kill(owner, signal.SIGKILL)
        worker.join()
    assert states == ["finished"]
    (result,) = Results().newest_first()
    assert hash_array(result.volume().values) == hash_array(reconstruct(entry.to_study()).values)


@pytest.mark.slow
def test_end_that_dies_with_its_worker_is_neither_lost_nor_stored_twice(
    queue: StudyQueue, tmp_path: Path
) -> None:
    entry = queue.add(tiny_study(tmp_path))
    claimed = queue.claim(entry.id)
    assert claimed is not None
    with cluster(1, processes=True) as local:
        (process,) = (worker.pid for worker in local.workers.values())
        executor = DaskExecutor(queue, local.scheduler_address)
        work = executor.start(claimed)
        tasks = local.scheduler.tasks
        wait_until(lambda: [each.state for each in tasks.values()] == ["memory"])
        wait_until(work._future.done)
        (stored,) = Results().newest_first()
        # The worker does not answer, as if its machine was disconnected
        os.kill(process, signal.SIGSTOP)
        begin = monotonic()
        assert work.ending is None and monotonic() - begin < 5, (
            "an unreachable worker blocks other studies"
        )
        os.kill(process, signal.SIGKILL)
        endings = [work.ending]
        while endings[-1] is None and monotonic() - begin < 60:
            sleep(0.05)
            endings.append(work.ending)
        executor.close()
    assert endings[-1] is not None and endings[-1].kind == "finished"
    assert endings[-1].result == stored.id
    assert [each.id for each in Results().newest_first()] == [stored.id]


@dataclass
class AwayFuture:
    """A finished future that does not answer, and is then cancelled."""

    status: str = "finished"

    def done(self) -> bool:
        return True


@pytest.mark.parametrize("fault", [TimeoutError(), OSError(), CancelledError()])
def test_scheduler_that_stops_before_its_answer_stops_the_study(
    queue: StudyQueue, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    future = AwayFuture()

    def transfer(client: object, asked: AwayFuture) -> Transfer[Ending]:
        asked.status, answer = "cancelled", Transfer[Ending]()
        answer.set_exception(fault)
        return answer

    monkeypatch.setattr(dask_executor, "transfer_of", transfer)
    work = _RemoteWork(queue, "a", future, None)
    assert work.ending is None
    assert work.ending == Ending("stopped")


def test_answer_that_takes_long_arrives_in_one_transfer(
    queue: StudyQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network transfer can take any time, and other studies must not wait for it."""
    transfers: list[Transfer[Ending]] = []

    def transfer(client: object, asked: AwayFuture) -> Transfer[Ending]:
        transfers.append(Transfer())
        return transfers[-1]

    monkeypatch.setattr(dask_executor, "transfer_of", transfer)
    monkeypatch.setattr(dask_executor, "ANSWER_S", 0.01)
    work = _RemoteWork(queue, "a", AwayFuture(), None)
    assert [work.ending for _ in range(5)] == [None] * 5 and len(transfers) == 1
    transfers[0].set_result(Ending("finished", "", "image"))
    assert work.ending == Ending("finished", "", "image") and len(transfers) == 1


def test_worker_that_dies_during_the_transfer_answers_in_the_next_one(
    queue: StudyQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfers: list[Transfer[Ending]] = []

    def transfer(client: object, asked: AwayFuture) -> Transfer[Ending]:
        transfers.append(Transfer())
        return transfers[-1]

    monkeypatch.setattr(dask_executor, "transfer_of", transfer)
    monkeypatch.setattr(dask_executor, "ANSWER_S", 0.01)
    future = AwayFuture()
    work = _RemoteWork(queue, "a", future, None)
    assert work.ending is None
    future.done = lambda: False
    assert work.ending is None and transfers[0].cancelled()
    del future.done
    assert work.ending is None and len(transfers) == 2


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; raise TimeoutError after a minute."""
    end = monotonic() + 60
    while not condition():
        if monotonic() > end:
            raise TimeoutError
        sleep(0.01)
