"""Tests of filtered back projection divided into slabs, with the bits of one process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import SettingsError, WorkersLostError
from engine.data.runs.events import Checkpointed, Corrected, Finished, Preview
from engine.data.volume import Volume
from engine.geometry.orbits import circle, circular_cone
from engine.io import write_projections
from engine.jobs.checkpoint import Job, keep
from engine.jobs.queue import StudyQueue
from engine.jobs.reconstruction import reconstruct
from engine.jobs.shards import DividedRun
from engine.jobs.shards.cluster import DaskWorkers
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder
from engine.simulate.xray import simulate_xray
from tests.dask_workers import cluster, shards_left
from tests.engine.jobs.test_queue import queue as queue

if TYPE_CHECKING:
    from distributed import LocalCluster

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of Dask itself
ON = cpu(1)
SETTINGS = ("grid.voxel_mm=[2, 2, 2]", "grid.diameter_mm=44", "grid.length_mm=36")


@pytest.fixture
def scan(queue: StudyQueue, tmp_path: Path) -> Path:
    """Return counts of a cylinder in a cone beam."""
    geometry = circular_cone(
        circle(36), source_axis_mm=120.0, source_detector_mm=180.0, shape=(24, 40), pixel_mm=3.0
    )
    body = Cylinder((4.0, -3.0, 0.0), (14.0, 14.0, 15.0), mu_per_mm=0.0193)
    write_projections(
        simulate_xray(ShapePhantom("of a test", (body,)), geometry, seed=5), tmp_path / "scan.h5"
    )
    return tmp_path / "scan.h5"


def study_of(scan: Path, *settings: str) -> Study:
    return Study(data=scan, protocol=with_settings(CtProtocol(), (*SETTINGS, *settings)))


def finished(events: list) -> Volume:
    (volume,) = [event.volume for event in events if isinstance(event, Finished)]
    return volume


@pytest.mark.parametrize(
    ("n_workers", "n_slabs"), [(1, 3), (2, 5), pytest.param(8, 8, marks=pytest.mark.slow)]
)
def test_any_number_of_workers_gives_the_bits_of_one_process(
    scan: Path, n_workers: int, n_slabs: int
) -> None:
    study = study_of(scan, "hounsfield={}")
    with cluster(n_workers, processes=n_workers > 2) as local:
        events = list(DividedRun(local.scheduler_address, n_slabs)(study, on=ON))
    np.testing.assert_array_equal(finished(events).values, reconstruct(study, on=ON).values)
    text = [each.text for each in events if isinstance(each, Corrected) and each.kind == "volume"]
    assert "The workers of a cluster compute the volume in slabs" in text[0]
    stops = [event.slices for event in events if isinstance(event, Preview)]
    assert len(stops) >= n_slabs and stops == sorted(stops) and stops[-1] == 18
    assert not shards_left()


def test_joined_slabs_remain_when_the_workers_are_lost(scan: Path, tmp_path: Path) -> None:
    study = study_of(scan)
    job = Job.create(study, tmp_path / "job")
    with cluster(1) as local:
        divided = DividedRun(local.scheduler_address, 6, patience_s=0.1)
        with closing(keep(divided(study, on=ON, folder=job.folder), job)) as events:
            for event in events:
                if isinstance(event, Checkpointed):
                    break
            local.scale(0)
            local.sync(local._correct_state)
            with pytest.raises(WorkersLostError):
                list(events)
    assert job.record.status == "paused" and 0 < (job.info.done or 0) <= 18
    with cluster(1) as local:
        options = {"resume": job.latest(), "folder": job.folder}
        again = list(keep(DividedRun(local.scheduler_address, 2)(study, on=ON, **options), job))
    assert next(e.slices for e in again if isinstance(e, Preview)) > 3, (
        "the run restarted instead of resuming"
    )
    np.testing.assert_array_equal(finished(again).values, reconstruct(study, on=ON).values)


def test_iterative_ct_is_not_divided(scan: Path) -> None:
    sirt = study_of(scan, "algorithm.kind=sirt", "algorithm.iterations=1")
    with pytest.raises(SettingsError, match="Only list-mode and FDK"):
        list(DividedRun("tcp://127.0.0.1:9", 2)(sirt, on=ON))
    here = DividedRun("tcp://127.0.0.1:9", 2, or_whole=True)(sirt, on=ON)
    assert finished(list(here)).values.any()


@pytest.mark.slow
def test_killed_worker_loses_only_its_slab(scan: Path) -> None:
    study = study_of(scan)
    with cluster(2, processes=True) as local:
        pids, events = process_ids(local), []
        for event in DividedRun(local.scheduler_address, 18)(study, on=ON):
            events.append(event)
            if isinstance(event, Preview) and event.slices in (2, 8):
                os.kill(pids.pop(), signal.SIGKILL)
    assert not pids
    np.testing.assert_array_equal(finished(events).values, reconstruct(study, on=ON).values)


@dataclass(frozen=True)
class Part:
    part: int
    n_parts: int = 3


def process_of(part: Part) -> tuple[int, int]:
    return part.part, os.getpid()


@pytest.mark.slow
def test_answers_in_the_memory_of_a_killed_worker_are_computed_again() -> None:
    parts = [Part(k) for k in range(3)]
    with cluster(1, processes=True) as local, DaskWorkers(local.scheduler_address) as workers:
        (killed,) = process_ids(local)
        answers = workers.answers(process_of, parts, lambda: None)
        _, first = next(answers)
        tasks = local.scheduler.tasks
        wait_until(lambda: [each.state for each in tasks.values()] == ["memory"] * 3)
        (address,) = local.scheduler.workers
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: address not in local.scheduler.workers)
        rest = [answer for _, answer in answers]
    assert first[1] == killed
    assert {first[0], *(part for part, _ in rest)} == {0, 1, 2}
    assert all(pid != killed for _, pid in rest)


class SlowToRead:
    """An answer with a transfer time longer than the interval of stop checks."""

    def __reduce__(self) -> tuple[Callable[[float], None], tuple[float]]:
        return sleep, (6.0,)


def slow_answer(part: Part) -> tuple[int, SlowToRead]:
    return part.part, SlowToRead()


@pytest.mark.slow
def test_answer_that_takes_long_to_arrive_is_received_once() -> None:
    end = monotonic() + 30

    def in_time() -> None:
        assert monotonic() < end, "the transfer is restarted repeatedly"

    with cluster(1, processes=True) as local, DaskWorkers(local.scheduler_address) as workers:
        answers = list(workers.answers(slow_answer, [Part(0, 1)], in_time))
    assert answers == [(0, (0, None))]


def process_ids(local: LocalCluster) -> list[int]:
    """Return the process IDs of the workers."""
    return [worker.pid for worker in local.workers.values()]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; raise TimeoutError after a minute."""
    end = monotonic() + 60
    while not condition():
        if monotonic() > end:
            raise TimeoutError
        sleep(0.01)
