"""Tests of results of runs for every ending, and of iterates stored with checkpoints."""

from __future__ import annotations

import hashlib
import os
import shutil

import numpy as np
import pytest

from engine.core import paths
from engine.core.errors import NumericalError, ResourceError
from engine.data.runs.events import (
    Corrected,
    EarlyPreview,
    Finished,
    Loaded,
    Planned,
    Preview,
    ResultSaved,
    StageStarted,
    Warned,
)
from engine.data.runs.record import Level, RecordedCorrection, RecordedRun
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.jobs import keep_partial
from engine.jobs.checkpoint import Job, jobs, keep
from engine.jobs.checkpoint import saving as keeping
from engine.jobs.checkpoint.iterates import Iterates
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import Results, store
from tests.engine.run_records import recorded

GRID = ImageGrid((3, 4, 5), (1.0, 2.0, 3.0), (1.0, 0.0, -1.0))
N_ITERATIONS, N_SUBSETS = 4, 2
ROWS = (RecordedCorrection(kind="randoms", state="off", level=Level.NOTE, text="no delayeds"),)


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(keeping, "SHARE", 1e9)  # saving takes no time
    # No minimum interval between saves
    monkeypatch.setattr(keeping, "END_INTERVAL_S", 0.0)


@pytest.fixture
def job(tmp_path) -> Job:
    (tmp_path / "scan.l").write_bytes(b"events")
    algorithm = {"kind": "osem", "iterations": N_ITERATIONS, "subsets": N_SUBSETS}
    protocol = ListModeProtocol.model_validate({"algorithm": algorithm})
    return Job.create(Study(data=tmp_path / "scan.l", protocol=protocol))


def image(done: int) -> Volume:
    values = np.random.default_rng(done).random(GRID.shape, np.float32)
    return Volume(values, GRID, "counts/mm", {"axes": "LPI"})


def shown(done: int) -> Preview:
    iteration, subset = divmod(done - 1, N_SUBSETS)
    run = recorded(done / N_SUBSETS, N_ITERATIONS, ending="running", corrections=ROWS)
    return Preview(image(done), iteration + 1, N_ITERATIONS, subset + 1, N_SUBSETS, 0.0, run=run)


def run_of(n_updates: int = N_ITERATIONS * N_SUBSETS, first: int = 1, fault=None, ending="done"):
    yield StageStarted("reconstruct", "OSEM")
    yield Loaded("events", {"prompts": 6})
    yield Corrected("randoms", "off", "no delayeds")
    yield from (shown(done) for done in range(first, n_updates + 1))
    if fault is not None:
        raise fault
    run = recorded(n_updates / N_SUBSETS, N_ITERATIONS, ending=ending)
    provenance = {"axes": "LPI", "timings_s": {"read": 2.0}, "run": run.model_dump(mode="json")}
    yield Finished(image(n_updates), provenance)


def test_finished_image_is_on_disk_before_it_is_reported(job):
    for event in keep(run_of(), job):
        if isinstance(event, Finished):
            (result,) = Results().newest_first()
            assert job.record.status == "running" and job.latest() is not None
        if isinstance(event, ResultSaved):
            retained = event
    assert retained.result == result.id == job.record.result
    np.testing.assert_array_equal(result.volume().values, image(8).values)
    assert (result.volume().grid, result.volume().axes) == (GRID, "LPI")
    assert result.record.run.describe_ending() == "finished" and result.record.seconds == 2.0
    assert result.study == job.study and job.latest() is None


@pytest.mark.parametrize(
    ("ending", "outcome", "words"),
    [
        ("stopped", "ended early", "stopped by the user at iteration 2 of 4"),
        ("converged", "finished", "converged at iteration 2 of 4"),
    ],
)
def test_finish_and_keep_is_distinguished_from_an_algorithm_that_ended(job, ending, outcome, words):
    list(keep(run_of(4, ending=ending), job))
    (result,) = Results().newest_first()
    assert (result.record.outcome, result.record.run.describe_ending()) == (outcome, words)


def test_external_warnings_are_in_the_record(job):
    def source():
        yield Warned(f"{job.study.data.name}: starting again from the beginning.")
        yield from run_of()

    (finished,) = [event for event in keep(source(), job) if isinstance(event, Finished)]
    (result,) = Results().newest_first()
    (warning,) = result.record.run.warnings
    assert (
        warning.text.endswith(": starting again from the beginning.")
        and "scan.l" not in warning.text
    )
    assert finished.run == result.record.run == RecordedRun.of(result.provenance)


def test_aborted_run_stores_its_last_image_as_a_result(job):
    events = keep(run_of(), job)
    while not (isinstance(event := next(events), Preview) and event.update == 3):
        pass
    events.close()
    (result,) = Results().newest_first()
    assert (job.record.status, job.record.result) == ("aborted", result.id)
    assert result.record.run.describe_ending() == "aborted at iteration 1.5 of 4"
    np.testing.assert_array_equal(result.volume().values, image(3).values)
    assert result.volume().axes == "LPI"
    assert result.provenance["scan"] == {"prompts": 6} and not result.provenance["finished"]
    assert result.record.inputs["data"]["sha256"] == job.record.inputs["data"]["sha256"]
    assert job.latest().done == 3, "an aborted run with a result cannot be resumed"


def test_image_before_the_first_update_is_not_a_result(job):
    def events():
        yield EarlyPreview(image(0), "one step", recorded(0, N_ITERATIONS, ending="running"))
        yield StageStarted("reconstruct", "OSEM")

    stored_events = keep(events(), job)
    next(stored_events), next(stored_events)
    stored_events.close()
    assert job.record.status == "aborted" and job.latest() is None
    assert not Results().newest_first()


@pytest.mark.parametrize("is_scan_gone", [False, True])
def test_failed_run_stores_its_last_image_as_a_result(job, is_scan_gone):
    with pytest.raises(NumericalError):
        for event in keep(run_of(4, fault=NumericalError("no numbers.")), job):
            if is_scan_gone and isinstance(event, Preview) and event.update == 4:
                job.study.data.unlink(missing_ok=True)
    (result,) = Results().newest_first()
    assert (job.record.status, job.record.text) == ("failed", "no numbers.")
    assert result.record.run.describe_ending() == "stopped by an error at iteration 2 of 4"
    assert result.record.inputs["data"]["bytes"] == 6


def replace_scan(job, how: str) -> None:
    """Replace the scan of a job by that of another patient, or remove it."""
    if how == "removed":
        job.study.data.unlink(missing_ok=True)
    else:
        job.study.data.write_bytes(b"events of another patient")


@pytest.mark.parametrize("how", ["replaced", "removed"])
@pytest.mark.parametrize("has_checkpoint", [False, True])
def test_result_never_has_the_digest_of_another_scan(job, how, has_checkpoint):
    """Reports, archive and regions identify the patient's scan by this digest."""
    digest = hashlib.sha256(b"events").hexdigest()
    events = keep(run_of(fault=NumericalError("the image became negative.")), job)
    with pytest.raises(NumericalError):
        for event in events:
            if isinstance(event, Preview if has_checkpoint else Loaded):
                if has_checkpoint and event.iteration < 2:
                    continue
                replace_scan(job, how)
    (result,) = Results().newest_first()
    found = result.record.inputs.get("data", {}).get("sha256", "")
    assert found == (digest if has_checkpoint else "")


def test_resumed_run_has_one_result(job):
    events = keep(run_of(), job)
    while not (isinstance(event := next(events), Preview) and event.update == 4):
        pass
    events.close()
    list(keep(run_of(first=5), job))
    (result,) = Results().newest_first()
    assert result.record.outcome == "finished"


def test_image_of_a_dead_process_is_stored_once_by_the_parent(job):
    stored = keep_partial(job, shown(3), "failed")
    assert stored == keep_partial(job, shown(4), "failed") == job.record.result
    (result,) = Results().newest_first()
    np.testing.assert_array_equal(result.volume().values, image(3).values)


def test_images_of_the_job_remain_if_the_result_does_not_fit(job, monkeypatch):
    full = shutil.disk_usage(job.folder)._replace(free=1_000_000)
    events, messages = keep(run_of(), job), []
    for event in events:
        if isinstance(event, Preview) and event.update == 8:
            monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
        messages.append(event)
    (warned,) = (event for event in messages if isinstance(event, Warned))
    assert warned.text.startswith("The image could not be saved with the results, so export it: ")
    assert "1,000,000 are free" in warned.text
    assert isinstance(messages[-1], Finished)
    assert (job.record.status, job.record.result) == ("finished", "")
    assert job.latest().done == 8 and job.info.resumable
    assert Results().newest_first() == []


@pytest.mark.parametrize("n_frames", [0, 3])
def test_run_without_space_for_its_result_is_refused_before_computing(
    job, monkeypatch, n_frames
) -> None:
    image_bytes, worked = 10_000_000, []

    def planned():
        yield Planned("cpu", "CPU", image_bytes, n_frames)
        worked.append(True)

    needed = image_bytes * (1 + n_frames) + store.SPARE_BYTES
    free = shutil.disk_usage(job.folder)._replace(free=needed - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    with pytest.raises(ResourceError, match=f"result: at least {needed:,} bytes"):
        list(keep(planned(), job))
    assert not worked


def test_finished_run_with_a_result_is_not_offered_again(job):
    list(keep(run_of(), job))
    assert not any(info.resumable for info in jobs())


# iterates


def test_iterates_are_restored_with_their_update_and_grid(job):
    events = keep(run_of(), job)
    while not (isinstance(event := next(events), Preview) and event.update == 7):
        pass
    events.close()
    found = Job.open(job.id).iterates.read()
    assert [done for done, _ in found] == [2, 4, 6]
    for done, volume in found:
        np.testing.assert_array_equal(volume.values, image(done).values)
        assert (volume.grid, volume.unit, volume.axes) == (GRID, "counts/mm", "LPI")


def test_damaged_iterate_and_iterate_of_another_protocol_are_skipped(job):
    for done in (2, 4, 6):
        job.save(shown(done))
    path = job.iterates.folder / "00000002.bin"
    path.write_bytes(path.read_bytes()[:-4])
    assert [done for done, _ in job.iterates.read()] == [4, 6]
    file = job.folder / "study.toml"
    file.write_text(file.read_text().replace("subsets = 2", "subsets = 1"))
    job = Job.open(job.id)
    job.save(Preview(image(8), 8, 8, 1, 1, 0.0))
    assert [done for done, _ in job.iterates.read()] == [8]


def test_iterates_are_truncated_when_a_run_resumes_from_an_earlier_update(job):
    for done in (2, 4, 6):
        job.save(shown(done))
    Job.open(job.id).save(shown(4))
    assert [done for done, _ in job.iterates.read()] == [2, 4]


def test_every_other_iterate_is_deleted_above_the_size_limit(tmp_path):
    iterates = Iterates(tmp_path / "iterates", limit_bytes=400)
    for done in range(1, 10):
        (tmp_path / "checkpoint").unlink(missing_ok=True)
        (tmp_path / "checkpoint").write_bytes(bytes(100))
        iterates.add(tmp_path / "checkpoint", done)
    left = sorted(int(path.stem) for path in iterates.folder.iterdir())
    assert len(left) <= 4 and left[0] == 1 and left[-1] == 9
    tight = Iterates(tmp_path / "tight", limit_bytes=1)
    for done in (1, 2):
        tight.add(tmp_path / "checkpoint", done)
    assert [path.name for path in tight.folder.iterdir()] == ["00000002.bin"]


def test_iterates_are_deleted_if_a_checkpoint_does_not_fit(job, monkeypatch):
    for done in (2, 4):
        job.save(shown(done))
    write, failed = os.fsync, []

    def full_once(handle):
        if not failed:
            failed.append(handle)
            raise OSError(28, "No space left on device")
        write(handle)

    monkeypatch.setattr(os, "fsync", full_once)
    job.save(shown(5))
    assert failed and job.latest().done == 5 and job.iterates.read() == []


def test_disk_without_hard_links_stores_no_iterates_but_every_checkpoint(job, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    job.save(shown(2))
    assert job.latest().done == 2 and job.iterates.read() == []
