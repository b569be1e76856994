"""Tests of the engine process: transferred events, shared memory, and ends of processes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import psutil
import pytest

from engine.data.runs.events import (
    Aborted,
    Checkpointed,
    EarlyPreview,
    Failed,
    Finished,
    Loaded,
    Preview,
    Progressed,
    Warned,
)
from engine.jobs.checkpoint import Job
from engine.jobs.process import EngineProcess
from engine.jobs.process import engine_process as process
from engine.jobs.process.slots import FOLDER, PREFIX, sweep_orphans
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, write_study
from tests.engine import engine_sources
from tests.processes import working_for

LINUX = sys.platform.startswith("linux")


def study_of(tmp_path, iterations=2, subsets=3):
    scan = tmp_path / "scan.l"
    scan.write_bytes(b"events")
    algorithm = {"kind": "osem", "iterations": iterations, "subsets": subsets}
    return Study(data=scan, protocol=ListModeProtocol.model_validate({"algorithm": algorithm}))


def shared_blocks():
    return [path.name for path in FOLDER.glob(f"{PREFIX}{os.getpid()}-*")]


@pytest.fixture(autouse=True)
def nothing_left():
    """Check that no process and no shared memory remains after a test."""
    before = {child.pid for child in working_for()}  # readers of other tests
    blocks = shared_blocks()
    yield
    assert [child for child in working_for() if child.pid not in before] == []
    assert shared_blocks() == blocks


def previews(events):
    return [event for event in events if isinstance(event, Preview)]


def until_preview(events, n=1):
    """Read events up to the n-th image."""
    previews_seen = []
    for event in events:
        if isinstance(event, Preview):
            previews_seen.append(event)
            if len(previews_seen) == n:
                return previews_seen
    raise AssertionError("the run ended early")


def test_images_are_transferred_unchanged_and_in_order(tmp_path):
    events = list(EngineProcess(study_of(tmp_path), source=engine_sources.steady).events())
    images = previews(events)
    assert [(p.iteration, p.subset) for p in images if p.ends_iteration] == [(1, 3), (2, 3)]
    for preview in images:
        done = (preview.iteration - 1) * 3 + preview.subset
        np.testing.assert_array_equal(preview.volume.values, engine_sources.image_after(done))
        assert preview.volume.grid == engine_sources.GRID
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.provenance == {"updates": 6}
    np.testing.assert_array_equal(last.volume.values, 2 * engine_sources.image_after(6))


def test_image_before_the_first_update_is_transferred_and_not_saved(tmp_path):
    study = study_of(tmp_path)
    job = Job.create(study)
    engine = EngineProcess(study, source=engine_sources.early, job=job)
    with closing(engine.events()) as events:
        early = next(event for event in events if isinstance(event, EarlyPreview))
        assert engine.last_preview is None and job.latest() is None
    np.testing.assert_array_equal(early.volume.values, engine_sources.image_after(0))
    assert (early.volume.grid, early.text) == (engine_sources.GRID, "one step")


def test_slow_window_skips_images_but_no_iteration_end_or_checkpoint(tmp_path):
    engine = EngineProcess(study_of(tmp_path, 3, 8), source=engine_sources.large)
    images = []
    for event in engine.events():
        if isinstance(event, Preview):
            images.append(event)
            time.sleep(0.1)
    assert [p.iteration for p in images if p.ends_iteration] == [1, 2, 3]
    assert len(images) < 20
    done = [(p.iteration - 1) * 8 + p.subset for p in images]
    assert done == sorted(done)
    for preview, update in zip(images, done, strict=True):
        assert (preview.volume.values == update).all()


def test_engine_process_on_the_cpu_imports_neither_qt_nor_cupy(tmp_path):
    engine = EngineProcess(study_of(tmp_path), device="cpu", source=engine_sources.report_modules)
    events = engine.events()
    loaded = next(event for event in events if isinstance(event, Loaded))
    events.close()
    roots = {name.partition(".")[0] for name in loaded.facts["modules"]}
    assert not roots & {"PySide6", "pyqtgraph", "cupy"}


@pytest.mark.skipif(not LINUX, reason="shared memory is reserved ahead only on Linux")
def test_volumes_use_the_pipe_without_shared_memory(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    events = list(EngineProcess(study_of(tmp_path), source=engine_sources.steady).events())
    assert isinstance(events[-1], Finished)
    np.testing.assert_array_equal(events[-1].volume.values, 2 * engine_sources.image_after(6))


@pytest.mark.skipif(os.name != "posix", reason="needs Linux signals")
def test_volume_in_a_file_stays_there_and_resumes_after_its_last_slab(tmp_path):
    study = study_of(tmp_path)
    job = Job.create(study)
    engine = EngineProcess(study, source=engine_sources.in_slabs, job=job)
    events = engine.events()
    until_preview(events, 3)
    os.kill(engine.pid, signal.SIGKILL)
    last = list(events)[-1]
    assert " of 4. Press Resume" in last.text
    done = job.slabs.record().slices

    again = EngineProcess(study, source=engine_sources.in_slabs, job=job, resume=True)
    events = list(again.events())

    assert [p.slices for p in previews(events)][-1] == 4
    assert previews(events)[0].slices > done >= 2
    assert all(p.volume.is_in_file for p in previews(events))
    volume = events[-1].volume
    assert volume.is_in_file
    np.testing.assert_array_equal(volume.values, engine_sources.image_after(1))
    assert not any(file.exists() for file in job.slabs.files)


@pytest.mark.skipif(os.name != "posix", reason="needs Linux signals")
def test_killed_engine_reports_its_signal_and_resumes_from_its_last_image(tmp_path):
    study = study_of(tmp_path, 50, 3)
    job = Job.create(study)
    engine = EngineProcess(study, source=engine_sources.slow, job=job)
    events = engine.events()
    until_preview(events, 7)
    os.kill(engine.pid, signal.SIGKILL)
    last = list(events)[-1]
    assert isinstance(last, Failed)
    assert not last.user_fault
    assert "SIGKILL" in last.text
    assert "Press Resume" in last.text
    assert job.info.interrupted
    shown = engine.last_preview
    assert f"iteration {shown.iteration}, subset {shown.subset} is saved" in last.text

    done = job.latest().done
    events = EngineProcess(study, source=engine_sources.slow, job=job, resume=True).events()
    resumed = until_preview(events)[0]
    events.close()
    assert (resumed.iteration - 1) * 3 + resumed.subset == done + 1


def test_abort_ends_a_stuck_engine_and_keeps_the_image(tmp_path):
    engine = EngineProcess(study_of(tmp_path), source=engine_sources.stuck)
    events = engine.events()
    until_preview(events)
    child = psutil.Process(engine.pid)
    engine.abort()
    last = list(events)[-1]
    assert isinstance(last, Aborted)
    assert not child.is_running()
    np.testing.assert_array_equal(engine.last_preview.volume.values, engine_sources.image_after(1))


def test_timely_abort_saves_the_last_image(tmp_path):
    study = study_of(tmp_path, 50, 3)
    job = Job.create(study)
    engine = EngineProcess(study, source=engine_sources.slow, job=job)
    events = engine.events()
    previews_seen = until_preview(events, 5)[-1]
    engine.abort()
    assert isinstance(list(events)[-1], Aborted)
    assert job.record.status == "aborted"
    assert job.latest().done >= (previews_seen.iteration - 1) * 3 + previews_seen.subset


def test_abort_before_the_start_starts_nothing(tmp_path):
    engine = EngineProcess(study_of(tmp_path), source=engine_sources.steady)
    engine.abort()
    assert [type(event) for event in engine.events()] == [Aborted]
    assert engine.pid is None


def test_pause_saves_the_image_and_resumes(tmp_path):
    study = study_of(tmp_path, 4, 5)
    job = Job.create(study)
    engine = EngineProcess(study, source=engine_sources.slow, job=job)
    drawn, rest = [], []
    collector = threading.Thread(target=lambda: drawn.extend(engine.events()))
    engine_started = time.monotonic()
    collector.start()
    while engine.last_preview is None and time.monotonic() - engine_started < 120:
        time.sleep(0.01)
    engine.pause()
    while not engine.paused and time.monotonic() - engine_started < 120:
        time.sleep(0.01)
    rest.append(engine.last_preview)
    assert job.record.status == "paused"
    assert not job.info.interrupted
    time.sleep(0.7)
    rest.append(engine.last_preview)
    assert rest[0] is rest[1]
    assert job.latest().done == (rest[0].iteration - 1) * 5 + rest[0].subset
    engine.resume_run()
    collector.join(30)
    assert isinstance(drawn[-1], Finished)
    assert job.record.status == "finished"
    assert len(previews(drawn)) == 20


@pytest.mark.parametrize(("verb", "end"), [("finish_and_keep", Finished), ("abort", Aborted)])
def test_stop_request_ends_a_pause(tmp_path, verb, end):
    engine = EngineProcess(study_of(tmp_path, 50, 3), source=engine_sources.slow)
    events = engine.events()
    until_preview(events)
    engine.pause()
    threading.Timer(0.7, getattr(engine, verb)).start()
    rest = list(events)
    assert isinstance(rest[-1], end)
    if end is Finished:
        # At the end of this iteration, or of the next
        assert rest[-1].provenance["updates"] in (
            3,
            6,
        )


def test_finish_and_keep_ends_after_this_iteration(tmp_path):
    engine = EngineProcess(study_of(tmp_path, 50, 4), source=engine_sources.slow)
    events = engine.events()
    until_preview(events, 5)
    engine.finish_and_keep()
    last = list(events)[-1]
    assert isinstance(last, Finished)
    assert last.provenance["updates"] == 8


def test_input_error_gives_one_sentence(tmp_path):
    study = study_of(tmp_path)
    job = Job.create(study)
    last = list(EngineProcess(study, source=engine_sources.faulty_input, job=job).events())[-1]
    assert last == Failed("scan.l: 0 events; nothing to reconstruct.", user_fault=True)
    assert job.record.status == "failed"
    assert job.record.text.endswith(".l: 0 events; nothing to reconstruct.")
    assert "scan" not in job.record.text, "the record contains a file name"


def test_internal_error_has_a_traceback(tmp_path):
    last = list(EngineProcess(study_of(tmp_path), source=engine_sources.faulty_code).events())[-1]
    assert not last.user_fault
    assert "ZeroDivisionError" in last.text
    assert "\n" not in last.text
    assert "faulty_code" in last.detail


def test_closing_the_iterator_ends_the_process(tmp_path):
    study = study_of(tmp_path, 50, 3)
    job = Job.create(study)
    engine = EngineProcess(study, source=engine_sources.slow, job=job)
    events = engine.events()
    until_preview(events)
    events.close()
    assert not psutil.pid_exists(engine.pid)
    assert job.record.status == "aborted"


def test_checkpoints_and_progress_are_transferred(tmp_path):
    study = study_of(tmp_path, 8, 2)
    job = Job.create(study)
    events = list(EngineProcess(study, source=engine_sources.slow, job=job).events())
    assert any(isinstance(event, Checkpointed) for event in events)
    progress = [event for event in events if isinstance(event, Progressed)]
    assert progress[-1].done == progress[-1].total == 16
    assert len(progress) <= 14  # 16 updates of 50 ms, at most 10 reports a second


@pytest.mark.skipif(os.name != "posix", reason="needs Linux signals")
def test_silence_is_reported_once_and_does_not_end_the_run(tmp_path, monkeypatch):
    engine = EngineProcess(study_of(tmp_path, 2, 10), source=engine_sources.slow)
    events = engine.events()
    until_preview(events)
    monkeypatch.setattr(process, "SILENCE_S", 0.7)  # a busy machine starts slowly
    os.kill(engine.pid, signal.SIGSTOP)
    message = next(event for event in events if isinstance(event, Warned))
    assert "Press Abort to stop it" in message.text
    time.sleep(0.7)
    os.kill(engine.pid, signal.SIGCONT)
    rest = list(events)
    assert not any(isinstance(event, Warned) for event in rest)
    assert isinstance(rest[-1], Finished)


WINDOW = """
import sys, threading
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from engine.jobs.checkpoint import Job
from engine.data.runs.events import Checkpointed
from engine.jobs.process import EngineProcess
from engine.modalities.studies import read_study
from tests.engine import engine_sources

def draw(engine, job, has_image):
    for event in engine.events():
        if isinstance(event, Checkpointed):
            print(engine.pid, job.id, flush=True)
            has_image.set()

if __name__ == "__main__":
    job = Job.create(read_study(Path(sys.argv[2])))
    engine = EngineProcess(job.study, source=engine_sources.slow, job=job)
    has_image = threading.Event()
    threading.Thread(target=draw, args=(engine, job, has_image), daemon=True).start()
    has_image.wait()
    if sys.argv[3] == "killed":
        sys.stdin.read()
"""


@pytest.mark.skipif(not LINUX, reason="needs Linux signals, and shared memory as files")
@pytest.mark.parametrize(("end", "status"), [("killed", "running"), ("left", "aborted")])
def test_engine_process_ends_with_its_window(tmp_path, end, status):
    study, script = tmp_path / "study.toml", tmp_path / "window.py"
    write_study(study_of(tmp_path, 500, 3), study)
    script.write_text(WINDOW)
    command = [sys.executable, "-W", "error", script, Path(__file__).parents[3], study, end]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as window:
        number, job_id = window.stdout.readline().split()
        child, job = psutil.Process(int(number)), Job.open(job_id)
        if end == "killed":
            window.kill()
        _, alive = psutil.wait_procs([child], timeout=60)
        errors = window.stderr.read()
    assert not alive
    assert job.info.status == status
    assert job.info.interrupted == (end == "killed")
    assert job.latest() is not None
    assert list(FOLDER.glob(f"{PREFIX}{window.pid}-*")) == []
    if end == "left":
        assert errors == ""


@pytest.mark.skipif(not LINUX, reason="needs shared memory as files")
def test_shared_memory_of_dead_processes_is_removed():
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        pass
    orphan = FOLDER / f"{PREFIX}{dead.pid}-0123abcd"
    ours = FOLDER / f"{PREFIX}{os.getpid()}-0123abcd"
    # A temporary folder of another program can start with the number of a machine
    foreign = FOLDER / f"{PREFIX}{2**32 - 1}-0123abcd"
    for path in (orphan, ours, foreign):
        path.touch()
    sweep_orphans()
    left = [path for path in (orphan, ours, foreign) if path.exists()]
    ours.unlink()
    foreign.unlink()
    assert left == [ours, foreign]
