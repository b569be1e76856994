"""Tests of the queue: order, pause, messages, claims, resuming, and constant memory."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import psutil
import pytest

from engine.core import paths
from engine.core.errors import SettingsError
from engine.data.runs.events import Preview, Warned
from engine.io import read_volume
from engine.jobs.checkpoint import jobs
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.process.slots import FOLDER, PREFIX
from engine.jobs.queue import QueueEntry, StudyQueue
from engine.jobs.queue.admission import SPARE, RunMemory, fits_memory
from engine.jobs.queue.attempt import Attempt
from engine.jobs.queue.dask_executor import AttemptHere
from engine.jobs.queue.ending import MAX_DEATHS, Ending, ended
from engine.jobs.queue.entry_files import EntryFiles
from engine.jobs.queue.executor import LocalExecutor
from engine.jobs.queue.question import Question
from engine.jobs.queue.runner import QueueRunner
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import Result, Results
from tests.engine import engine_sources
from tests.farm.queue_kills import tiny_study

MAX_GROWTH_BYTES = 1 << 20
"""Promised limit per study, after the first few."""


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyQueue:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    return StudyQueue()


def study(folder: Path, name: str, iterations: int = 2, subsets: int = 3) -> Study:
    (folder / f"{name}.l").write_bytes(name.encode())
    algorithm = {"kind": "osem", "iterations": iterations, "subsets": subsets}
    protocol = ListModeProtocol.model_validate({"algorithm": algorithm})
    return Study(data=folder / f"{name}.l", protocol=protocol)


def run(queue: StudyQueue, source=engine_sources.steady, on_event=None) -> list[str]:
    """Run the queue; return the state of each study."""
    queue.set_running(True)
    QueueRunner(queue, LocalExecutor(queue, on_event, source), lambda _: None).run()
    return [entry.state for entry in queue.entries()]


def titles(queue: StudyQueue) -> list[str]:
    return [entry.title.partition(".")[0] for entry in queue.entries()]


def running(queue: StudyQueue, id: str) -> QueueEntry:
    """Wait until a study has a checkpoint."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if any(info.id.endswith(id) and info.done for info in jobs()):
            return queue.get(id)
        time.sleep(0.02)
    raise AssertionError(f"{id} never ran")


def test_each_study_ends_separately_and_its_image_is_a_result(
    queue: StudyQueue, tmp_path: Path
) -> None:
    output = tmp_path / "good.h5"
    good = queue.add(study(tmp_path, "good"), output=output)
    bad = queue.add(study(tmp_path, "bad"), output=tmp_path / "nowhere" / "bad.h5")
    queue.add(study(tmp_path, "other"))
    assert run(queue) == ["finished", "failed", "finished"]
    assert "does not exist" in queue.get(bad.id).text
    expected = 2 * engine_sources.image_after(6)
    np.testing.assert_array_equal(read_volume(output).values, expected)
    np.testing.assert_array_equal(
        Results().open(queue.get(good.id).result).volume().values, expected
    )
    assert len(Results().newest_first()) == 2 and not jobs(), "a finished job remains"
    assert not queue.settings.runs, "an empty queue is not stopped"
    assert run(queue) == ["finished", "failed", "finished"], "an ended study ran again"


def test_existing_output_file_is_not_replaced(queue: StudyQueue, tmp_path: Path) -> None:
    output = tmp_path / "image.h5"
    entry = queue.add(study(tmp_path, "good"), output=output)
    output.write_bytes(b"of somebody else")
    assert run(queue) == ["failed"] and "this file already exists" in queue.get(entry.id).text
    assert output.read_bytes() == b"of somebody else"
    output.unlink()
    queue.retry(entry.id)
    assert run(queue) == ["finished"] and output.exists()


def test_failed_or_dead_engine_gives_one_sentence(queue: StudyQueue, tmp_path: Path) -> None:
    failed = queue.add(study(tmp_path, "failed"))
    assert run(queue, engine_sources.faulty_input) == ["failed"]
    assert queue.get(failed.id).text == "scan.l: 0 events; nothing to reconstruct."
    died = queue.add(study(tmp_path, "died"))
    assert run(queue, engine_sources.dead_at_once) == ["failed", "failed"]
    assert "SIGSEGV" in queue.get(died.id).text
    assert f"This happened {MAX_DEATHS} times at the same point." in queue.get(died.id).text
    assert "press" not in queue.get(died.id).text, "the message mentions a button of the window"


def test_dying_engine_is_given_up_only_without_progress() -> None:
    entry = QueueEntry(id="1", state="running", added_utc="2026-01-01T00:00:00Z")
    stuck = further = entry
    for n in range(1, MAX_DEATHS):
        stuck = ended(stuck, Ending("died", "Killed.", updates=4))
        further = ended(further, Ending("died", "Killed.", updates=4 * n))
        assert further.state == "waiting" and further.deaths == 1
    assert stuck.state == "waiting"
    assert ended(stuck, Ending("died", "Killed.", updates=4)).state == "failed"


def test_move_writes_one_file_and_many_moves_keep_the_order(
    queue: StudyQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [queue.add(study(tmp_path, name)).id for name in "abcde"]
    written: list[str] = []
    write = EntryFiles.write
    monkeypatch.setattr(
        EntryFiles, "write", lambda self, entry: (written.append(entry.id), write(self, entry))[1]
    )
    queue.move(ids[4], 1)
    assert written == [ids[4]] and titles(queue) == ["a", "e", "b", "c", "d"]
    queue.move(ids[4], 1)
    assert written == [ids[4]], "moving a study to its own position wrote a file"
    expected = titles(queue)
    # Halving a gap repeatedly exhausts the digits; all entries are then renumbered
    for _ in range(70):
        last = queue.entries()[2]
        queue.move(last.id, 1)
        expected.insert(1, expected.pop(2))
        assert titles(queue) == expected
    assert len({each.place for each in queue.entries()}) == 5


def test_order_pause_resume_and_removal_follow_the_commands(
    queue: StudyQueue, tmp_path: Path
) -> None:
    a, b, c, d = (queue.add(study(tmp_path, name)) for name in "abcd")
    queue.move(c.id, 0)
    queue.move(a.id, 99)
    assert titles(queue) == ["c", "b", "d", "a"]
    queue.pause(b.id)
    queue.remove(d.id)
    started: list[str] = []
    queue.set_running(True)
    QueueRunner(queue, LocalExecutor(queue, source=engine_sources.steady), started.append).run()
    assert [line[0] for line in started if line.endswith("started")] == ["c", "a"]
    assert [e.state for e in queue.entries()] == ["finished", "paused", "finished"]
    assert queue.resume(b.id).state == "waiting"
    with pytest.raises(SettingsError, match="already in the queue"):
        queue.add(study(tmp_path, "b"))
    with pytest.raises(SettingsError, match="has no study with this ID"):
        queue.get(d.id)
    assert run(queue) == ["finished"] * 3


def test_paused_running_study_resumes_from_its_checkpoint(
    queue: StudyQueue, tmp_path: Path
) -> None:
    long, urgent = queue.add(study(tmp_path, "long", 40)), queue.add(study(tmp_path, "urgent"))
    worker = Thread(target=run, args=(queue, engine_sources.slow))
    worker.start()
    running(queue, long.id)
    assert queue.pause(long.id).wish == "pause"
    worker.join()
    assert [e.state for e in queue.entries()] == ["paused", "finished"]
    assert queue.get(urgent.id).result
    (left,) = jobs()
    updates: list[int] = []

    def note(event: object) -> None:
        updates.extend([event.update] if isinstance(event, Preview) else [])

    queue.resume(long.id)
    assert run(queue, on_event=note) == ["finished", "finished"]
    assert updates[0] > (left.done or 0) >= 1, "the run started again instead of resuming"
    assert len(Results().newest_first()) == 2, "the image of the pause was not replaced"


def test_checkpoint_of_a_replaced_scan_waits_for_its_scan(
    queue: StudyQueue, tmp_path: Path
) -> None:
    """The scan of another patient is not reconstructed, and hours of work are not deleted."""
    long = queue.add(study(tmp_path, "long", 40))
    worker = Thread(target=run, args=(queue, engine_sources.slow))
    worker.start()
    running(queue, long.id)
    queue.pause(long.id)
    worker.join()
    (left,) = jobs()
    scan = tmp_path / "long.l"
    scan.write_bytes(b"scan of another patient")
    queue.resume(long.id)
    assert run(queue) == ["failed"]
    assert "long.l: this is not the file" in queue.get(long.id).text
    assert [info.done for info in jobs()] == [left.done]
    scan.write_bytes(b"long")
    updates: list[int] = []

    def note(event: object) -> None:
        updates.extend([event.update] if isinstance(event, Preview) else [])

    queue.retry(long.id)
    assert run(queue, on_event=note) == ["finished"]
    assert updates[0] > (left.done or 0) >= 1, "the run started again instead of resuming"


def test_ending_the_queue_returns_the_running_study_to_it(
    queue: StudyQueue, tmp_path: Path
) -> None:
    entry = queue.add(study(tmp_path, "long", 40))
    worker = Thread(target=run, args=(queue, engine_sources.slow))
    worker.start()
    running(queue, entry.id)
    queue.set_running(False)
    worker.join()
    assert queue.get(entry.id).state == "waiting"
    assert not queue.settings.runs


A_RUNNER = """
from engine.jobs.queue import StudyQueue
from tests.engine import engine_sources
from tests.engine.jobs.test_queue import run
run(StudyQueue(), engine_sources.slow)
"""


@pytest.mark.essential
def test_killed_runner_loses_no_study_and_repeats_none(queue: StudyQueue, tmp_path: Path) -> None:
    first = queue.add(study(tmp_path, "first", 10))
    queue.add(study(tmp_path, "second"))
    process = subprocess.Popen([sys.executable, "-c", A_RUNNER])
    entry_in_progress = running(queue, first.id)
    assert entry_in_progress.owner is not None and entry_in_progress.owner.pid == process.pid
    assert queue.claim(first.id) is None, "a running study was claimed"
    process.kill()
    process.wait()
    assert queue.get(first.id).is_abandoned
    assert run(queue) == ["finished", "finished"]
    assert len(Results().newest_first()) == 2


def test_unreported_result_is_not_computed_again(queue: StudyQueue, tmp_path: Path) -> None:
    output = tmp_path / "image.h5"
    entry = queue.add(study(tmp_path, "scan"), output=output)
    assert run(queue) == ["finished"]
    dead = replace_owner(Owner.current())
    reported = queue.get(entry.id).model_copy(
        update={"state": "running", "owner": dead, "result": ""}
    )
    queue._files.write(reported)  # as if it was killed before its last report
    assert run(queue, engine_sources.faulty_code) == ["finished"], "the study was computed again"
    assert len(Results().newest_first()) == 1 and output.exists()


def replace_owner(owner: Owner) -> Owner:
    """Return an owner that no longer exists: same process ID, earlier start."""
    return owner.model_copy(update={"started_s": owner.started_s - 1000})


def test_only_one_runner_is_started_for_many_requests(queue: StudyQueue) -> None:
    started: list[int] = []

    def start() -> int:  # this process represents a runner without output so far
        started.append(os.getpid())
        return os.getpid()

    assert not queue.start_runner(start), "a runner started for a stopped queue"
    queue.set_running(True)
    assert [queue.start_runner(start) for _ in range(3)] == [True, False, False]
    assert len(started) == 1 and queue.settings.has_runner


def test_study_is_claimed_by_one_process_only(queue: StudyQueue, tmp_path: Path) -> None:
    entry = queue.add(study(tmp_path, "scan"))
    claims: list[QueueEntry | None] = []
    threads = [Thread(target=lambda: claims.append(queue.claim(entry.id))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in claims) == 1


def test_damaged_entry_is_listed_and_removable(queue: StudyQueue, tmp_path: Path) -> None:
    entry = queue.add(study(tmp_path, "scan"))
    file = queue.folder / f"{entry.id}.json"
    file.write_bytes(file.read_bytes().replace(b"waiting", b"running"))
    (damaged,) = queue.entries()
    assert damaged.state == "failed" and "the content does not match the checksum" in damaged.text
    assert run(queue) == ["failed"]
    queue.remove(entry.id)
    assert not queue.entries()


def test_number_of_concurrent_studies_is_limited_by_memory() -> None:
    one, gpu = RunMemory(100), RunMemory(100, on_gpu=True)
    free = {"used_bytes": 0, "free_bytes": int(2 * SPARE * 100)}
    assert fits_memory(one, [], used_bytes=0, free_bytes=0), (
        "the queue refused a single study, which only its run may refuse"
    )
    assert fits_memory(one, [one], **free)
    assert not fits_memory(one, [one, one], **free)
    assert not fits_memory(one, [replace(one, memory_bytes=0)], **free), (
        "a study of unknown memory starts next to another"
    )
    assert not fits_memory(RunMemory(), [one], **free)
    assert not fits_memory(gpu, [gpu], **free) and fits_memory(gpu, [one], **free)
    assert fits_memory(one, [one], used_bytes=200, free_bytes=int(SPARE * 100)), (
        "memory in use by the running study was counted twice"
    )


def test_several_studies_run_concurrently(queue: StudyQueue, tmp_path: Path) -> None:
    queue.change_settings(at_once=2)
    entries = [queue.add(study(tmp_path, name, 4)) for name in "abc"]
    most = 0

    def count(_: object) -> None:
        nonlocal most
        most = max(most, sum(e.state == "running" for e in queue.entries()))

    assert run(queue, engine_sources.slow, count) == ["finished"] * 3
    assert most == 2 and len({queue.get(e.id).result for e in entries}) == 3


@pytest.mark.slow
def test_memory_is_constant_between_studies(queue: StudyQueue, tmp_path: Path) -> None:
    _refuse_growth(queue, tmp_path, 3)


@pytest.mark.slow
def test_memory_is_constant_over_200_studies(queue: StudyQueue, tmp_path: Path) -> None:
    _refuse_growth(queue, tmp_path, 200)


def _refuse_growth(queue: StudyQueue, folder: Path, n: int, n_first: int = 2) -> None:
    """Run studies with images of 8 MB; memory and handles must not grow after `n_first`."""
    me, usage = psutil.Process(), []
    names = iter(range(n + n_first))

    def add_next() -> Iterator[QueueEntry]:
        for k in names:
            yield queue.add(study(folder, f"study-{k}", 1, 1))

    running_queue = add_next()
    next(running_queue)

    def say(line: str) -> None:
        if line.endswith(": finished"):
            gc.collect()
            usage.append((me.memory_info().rss, me.num_fds(), len(me.children())))
            (newest, *_) = Results().newest_first()
            Results().delete(newest)
            next(running_queue, None)

    queue.set_running(True)
    QueueRunner(queue, LocalExecutor(queue, source=engine_sources.large), say).run()
    assert len(usage) == n + n_first, [entry.text for entry in queue.entries()]
    memory, *handles = zip(*usage[n_first:], strict=True)
    slope = np.polyfit(np.arange(n), memory, 1)[0]
    assert slope < MAX_GROWTH_BYTES, f"{slope / 1e6:.2f} MB per study, {memory}"
    for numbers in handles:
        assert len(set(numbers)) == 1, numbers
    assert not list(FOLDER.glob(f"{PREFIX}{os.getpid()}-*")), "shared memory remains"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX owners and modes")
def test_study_writable_by_others_is_not_run(queue: StudyQueue, tmp_path: Path) -> None:
    entry = queue.add(study(tmp_path, "one"))
    (queue.folder / f"{entry.id}.json").chmod(0o666)
    (found,) = queue.entries()
    assert found.state == "failed" and "another user can change it" in found.text


def test_study_with_a_question_waits_and_the_others_run(queue: StudyQueue, tmp_path: Path) -> None:
    question = Question(kind="scanner", text="The scan does not name its scanner.", format="x")
    asking = queue.add(study(tmp_path, "asking"), question=question)
    queue.add(study(tmp_path, "good"))
    assert run(queue) == ["asking", "finished"]
    assert queue.get(asking.id).open_question == question
    assert queue.get(asking.id).text == question.text
    assert queue.settings.runs, "the question stopped the queue"
    started: list[int] = []
    assert not queue.start_runner(lambda: started.append(1) or os.getpid())
    answered = study(tmp_path, "asking", iterations=1)
    queue.replace_study(asking.id, answered, scanner_kind="Ring")
    entry = queue.get(asking.id)
    assert (entry.state, entry.question, entry.text) == ("waiting", "", "")
    assert entry.scanner_kind == "Ring" and entry.to_study().protocol.algorithm.iterations == 1
    assert run(queue) == ["finished", "finished"] and not queue.settings.runs


def test_run_with_an_assumed_value_asks_and_gives_no_result(
    queue: StudyQueue, tmp_path: Path
) -> None:
    """The same run is allowed after the user has accepted the value."""
    asked = queue.add(study(tmp_path, "asked"), asks=True)
    free = queue.add(study(tmp_path, "free"))
    assert run(queue, engine_sources.assuming) == ["asking", "finished"]
    results = [each.record.job for each in Results().newest_first()]
    assert len(results) == 1 and results[0].startswith(free.run)
    entry = queue.get(asked.id)
    question = entry.open_question
    assert question is not None and question.kind == "assumption"
    assert question.assumed == (engine_sources.ASSUMED,) == (entry.text,)
    queue.replace_study(asked.id, entry.to_study(), agreed=question.assumed)
    assert run(queue, engine_sources.assuming) == ["finished", "finished"]
    assert len(Results().newest_first()) == 2


def test_run_stopped_for_an_assumed_value_leaves_no_image(
    queue: StudyQueue, tmp_path: Path
) -> None:
    asked = queue.add(study(tmp_path, "asked", iterations=200), asks=True)
    assert run(queue, engine_sources.assuming_late) == ["asking"]
    assert 0 < queue.get(asked.id).updates < 600, "the run did not stop between two images"
    assert not Results().newest_first()


def test_image_with_an_assumed_value_from_a_killed_runner_requires_an_answer(
    queue: StudyQueue, tmp_path: Path
) -> None:
    """A runner can die after the engine has saved an image and before it asks."""
    free = queue.add(study(tmp_path, "free"))
    assert run(queue, engine_sources.assuming_on_record) == ["finished"]
    asked = queue.get(free.id).model_copy(update={"asks": True})
    accepted = asked.model_copy(update={"agreed": (engine_sources.ASSUMED,)})
    (result,) = Results().newest_first()
    events: list[object] = []
    ending = Attempt(queue, accepted).run(events.append)
    assert (ending.kind, ending.result) == ("finished", result.id)
    ending = Attempt(queue, asked).run(events.append)
    assert (ending.kind, ending.text) == ("asks", engine_sources.ASSUMED)
    assert not Results().newest_first() and not events


def of_earlier_version(queue: StudyQueue, entry: QueueEntry) -> QueueEntry:
    """Return an entry without fingerprints, as by earlier versions."""
    without_fingerprints = entry.to_study().model_copy(update={"fingerprints": {}})
    update = {"study": without_fingerprints.model_dump_json()}
    return queue.change(entry.id, lambda now: now.model_copy(update=update))


def unbound_warnings(result: Result) -> list[str]:
    warnings = result.record.run_record.warnings
    return [each.text for each in warnings if "no fingerprint" in each.text]


def test_image_of_an_entry_without_fingerprint_has_a_warning(
    queue: StudyQueue, tmp_path: Path
) -> None:
    """Another scan can have replaced the queued one without being noticed."""
    old = of_earlier_version(queue, queue.add(study(tmp_path, "old")))
    new = queue.add(study(tmp_path, "new"))
    shown: list[str] = []

    def note(event: object) -> None:
        shown.extend([event.text] if isinstance(event, Warned) else [])

    assert run(queue, engine_sources.assuming_on_record, note) == ["finished", "finished"]
    stored = [Results().open(queue.get(each.id).result) for each in (old, new)]
    (warning,) = unbound_warnings(stored[0])
    assert "Check the patient." in warning and "old.l" not in warning, (
        "the warning contains a file name"
    )
    assert not unbound_warnings(stored[1])
    assert len([text for text in shown if "old.l: the queue has no fingerprint" in text]) == 1


def test_worker_records_that_an_entry_has_no_fingerprint(queue: StudyQueue, tmp_path: Path) -> None:
    entry = of_earlier_version(queue, queue.add(tiny_study(tmp_path)))
    claimed = queue.claim(entry.id)
    assert claimed is not None
    ending = AttemptHere(queue, claimed).run(lambda _: None)
    assert ending.kind == "finished" and len(unbound_warnings(Results().open(ending.result))) == 1


def test_entry_without_fingerprint_asks_before_it_runs(queue: StudyQueue, tmp_path: Path) -> None:
    old = of_earlier_version(queue, queue.add(study(tmp_path, "old"), asks=True))
    assert run(queue) == ["asking"]
    question = queue.get(old.id).open_question
    assert question is not None and question.assumed == (queue.get(old.id).text,)
    assert "may be the file of another patient" in question.text and not jobs()
    queue.replace_study(old.id, queue.get(old.id).to_study(), agreed=question.assumed)
    assert queue.get(old.id).to_study().fingerprints, (
        "the answer did not bind the entry to the present scan"
    )
    assert run(queue) == ["finished"]


def test_unfinished_run_without_fingerprint_continues(queue: StudyQueue, tmp_path: Path) -> None:
    """Its checkpoint identifies its scan, and an answer would delete the checkpoint."""
    old = queue.add(study(tmp_path, "old", 40), asks=True)
    worker = Thread(target=run, args=(queue, engine_sources.slow))
    worker.start()
    running(queue, old.id)
    queue.pause(old.id)
    worker.join()
    of_earlier_version(queue, old)
    queue.resume(old.id)
    assert run(queue) == ["finished"]


def test_running_study_is_not_replaced(queue: StudyQueue, tmp_path: Path) -> None:
    entry = queue.add(study(tmp_path, "a"))
    queue.claim(entry.id)
    queue.replace_study(entry.id, study(tmp_path, "b"))
    assert queue.get(entry.id).to_study().data.name == "a.l"
