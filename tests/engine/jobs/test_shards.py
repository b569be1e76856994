"""Tests of runs divided among workers, with the bits of one process."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import ResourceError, WorkersLostError
from engine.core.paths import cache_dir
from engine.data.runs.events import Finished, Preview
from engine.data.volume import Volume
from engine.io import read_volume, write_listmode
from engine.jobs.checkpoint import Job, keep
from engine.jobs.queue import StudyQueue
from engine.jobs.queue.ending import Ending, ended
from engine.jobs.reconstruction import reconstruct
from engine.jobs.shards import DividedRun
from engine.jobs.shards.division import Division
from engine.jobs.shards.worker import forget
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, write_study
from engine.results import Results
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.dask_workers import cluster, shards_left
from tests.engine.jobs.test_queue import queue as queue
from tests.farm.scanners import small_ring

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of Dask itself
ON = cpu(1)


@pytest.fixture
def study(queue: StudyQueue, tmp_path: Path) -> Study:
    """Return list-mode data of a small ring, with exact sums."""
    scan = tmp_path / "scan.h5"
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    write_listmode(
        simulate_listmode(phantom, small_ring(), n_prompts=2000, seed=7, attenuation=False), scan
    )
    return Study(data=scan, protocol=protocol())


def protocol(**values: object) -> ListModeProtocol:
    algorithm = {"kind": "osem", "iterations": 2, "subsets": 3}
    return ListModeProtocol.model_validate({"algorithm": algorithm, "reproducible": True} | values)


def shared(study: Study, address: str, n_shards: int | None) -> Volume:
    events = DividedRun(address, n_shards)(study, on=ON)
    (volume,) = [event.volume for event in events if isinstance(event, Finished)]
    return volume


@pytest.mark.parametrize(
    ("n_workers", "n_shards"),
    [(1, 1), (2, None), (2, 5), pytest.param(8, 8, marks=pytest.mark.slow)],
)
def test_any_number_of_workers_gives_the_bits_of_one_process(
    study: Study, n_workers: int, n_shards: int | None
) -> None:
    with cluster(n_workers, processes=n_workers > 2) as local:
        values = shared(study, local.scheduler_address, n_shards).values
    np.testing.assert_array_equal(values, reconstruct(study, on=ON).values)
    assert not shards_left()


def test_sums_of_divided_frames_are_exact_for_any_protocol(
    study: Study,
) -> None:
    framed = study.model_copy(update={"protocol": protocol(frames="n=2")})
    careless = protocol(frames="n=2", reproducible=False)
    with cluster(1) as local:
        found = shared(study.model_copy(update={"protocol": careless}), local.scheduler_address, 2)
    np.testing.assert_array_equal(found.values, reconstruct(framed, on=ON).values)


def test_shards_contain_every_event_once() -> None:
    for n_events, n_subsets, n_shards in ((1, 1, 1), (17, 3, 4), (5, 2, 8)):
        division = Division(n_events, n_subsets, n_shards)
        for k in range(n_subsets):
            rows = [
                row
                for shard in range(n_shards)
                for row in range(division.first(shard, k), n_events, division.step)
            ]
            assert sorted(rows) == list(range(k, n_events, n_subsets))
            assert division.n_in_subset(k) == len(rows)
        assert sum(division.starts(shard)[-1] for shard in range(n_shards)) == n_events


def test_run_without_workers_pauses_and_resumes_with_others(study: Study) -> None:
    job = Job.create(study)
    with cluster(1) as local:
        divided = DividedRun(local.scheduler_address, 2, patience_s=0.1)
        with closing(keep(divided(study, on=ON), job)) as events:
            for event in events:
                if isinstance(event, Preview) and event.update == 2:
                    local.scale(0)
                    break
            local.sync(local._correct_state)
            with pytest.raises(WorkersLostError, match="no worker was available for"):
                list(events)
    assert job.record.status == "paused" and job.info.done == 2
    assert not shards_left()
    with cluster(1) as local:
        again = DividedRun(local.scheduler_address, 3)(study, on=ON, resume=job.latest())
        (volume,) = [event.volume for event in again if isinstance(event, Finished)]
    messages = [each for each in volume.info["corrections"] if each["kind"] == "updates"]
    assert "in 3 parts" in messages[0]["text"]
    np.testing.assert_array_equal(volume.values, reconstruct(study, on=ON).values)


def test_worker_errors_give_one_sentence(study: Study, tmp_path: Path) -> None:
    with (
        cluster(1) as local,
        closing(DividedRun(local.scheduler_address, 2)(study, on=ON)) as events,
    ):
        for event in events:
            if isinstance(event, Preview):
                break
        for file in (cache_dir() / "shards").rglob("rest-*"):
            file.write_bytes(file.read_bytes()[:-4])
        forget()  # another worker has an empty cache
        with pytest.raises(ResourceError, match=r"rest-.: the file has \d+ rows, expected \d+"):
            list(events)


def test_command_line_divides_a_run_and_a_queue(
    study: Study, queue: StudyQueue, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, images = tmp_path / "study.toml", [tmp_path / "a.h5", tmp_path / "b.h5"]
    write_study(study, file)
    assert main(["reconstruct", str(file), "-o", str(images[0]), "--split", "2"]) == USER_FAULT
    assert "needs a Dask cluster" in capsys.readouterr().err
    with cluster(1) as local:
        on = ["--scheduler", local.scheduler_address]
        assert main(["reconstruct", str(file), "-o", str(images[0]), *on, "--split", "2"]) == DONE
    assert main(["reconstruct", str(file), "-o", str(images[1])]) == DONE
    first, second = (read_volume(image).values for image in images)
    np.testing.assert_array_equal(first, second)


@pytest.mark.slow
def test_queue_divides_each_study(
    study: Study, queue: StudyQueue, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = queue.add(study)
    with cluster(2) as local:
        on = ["--scheduler", local.scheduler_address, "--split", "4"]
        assert main(["queue", "run", *on]) == DONE
    (result,) = Results().newest_first()
    assert queue.get(entry.id).state == "finished" and result.id == queue.get(entry.id).result
    np.testing.assert_array_equal(result.volume().values, reconstruct(study, on=ON).values)


def test_study_without_workers_is_paused_until_resumed(study: Study, queue: StudyQueue) -> None:
    id = queue.add(study).id
    queue.claim(id)
    paused = queue.change(id, lambda now: ended(now, Ending("rests", "No worker.", updates=2)))
    assert (paused.state, paused.text, paused.updates) == ("paused", "No worker.", 2)
    assert queue.claim(id) is None
    waits = queue.resume(id)
    assert (waits.state, waits.text) == ("waiting", "")


@pytest.mark.slow
def test_killed_worker_loses_only_its_shard(study: Study) -> None:
    long = protocol(algorithm={"kind": "osem", "iterations": 40, "subsets": 3})
    longer = study.model_copy(update={"protocol": long})
    killed = 0
    with cluster(2, processes=True) as local, distributed.Client(local.scheduler_address) as client:
        events = DividedRun(local.scheduler_address, 4)(longer, on=ON)
        for event in events:
            if isinstance(event, Preview) and event.update in (10, 50, 90):
                pids = client.run(os.getpid)
                os.kill(next(iter(pids.values())), signal.SIGKILL)
                killed += 1
            if isinstance(event, Finished):
                values = event.volume.values
    assert killed == 3
    np.testing.assert_array_equal(values, reconstruct(longer, on=ON).values)
