"""Tests of results on disk: storage, reading, limits, damage, and killed processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.core.errors import EngineError, FileFormatError, ResourceError, SettingsError
from engine.io.safety.audit_log import log_file
from engine.results import Results
from engine.results.result import EXPORTED, FILES, PINNED, RECORD, Result
from engine.results.result_record import ResultRecord
from engine.results.retention import Retention
from tests.engine.run_records import recorded

ROOT = Path(__file__).resolve().parents[3]


def test_stored_result_returns_its_image_and_record_exactly(results, new):
    stored = results.keep(new(7, run=recorded(1.5, 3, ending="aborted"), seconds=3.0))
    (found,) = Results().newest_first()
    volume = found.volume()
    np.testing.assert_array_equal(volume.values, new(7).volume.values)
    assert (volume.grid, volume.unit, volume.axes) == (
        new().volume.grid,
        new().volume.unit,
        new().volume.axes,
    )
    assert found.study == new().study and found.provenance["number"] == 7
    assert found.record.run.describe_ending() == "aborted at iteration 1.5 of 3"
    assert found.scan == "scan.l" and found.record.seconds == 3.0
    assert "scan.l" not in (found.folder / RECORD).read_text(), "the record contains a file name"
    assert found.record.title.startswith("study-") and found.record.title.endswith(", Standard")
    assert found.id == stored.id == Results().open(stored.id).id
    assert results.n_bytes == sum(path.stat().st_size for path in found.folder.iterdir())
    with Image.open(found.thumbnail) as picture:
        assert picture.size == (192, 192) and len(np.unique(np.asarray(picture))) > 10


def test_newest_result_is_first_and_deleted_one_is_not_listed(results, new):
    ids = [results.keep(new(i)).id for i in range(3)]
    assert [result.id for result in results.newest_first()] == ids[::-1]
    middle = results.open(ids[1])
    results.delete(middle)
    results.delete(middle)  # like a deletion by another process
    assert [result.id for result in results.newest_first()] == [ids[2], ids[0]]
    assert not list(results.folder.glob(".*"))
    *_, last = (json.loads(line) for line in log_file().read_bytes().splitlines())
    assert (last["what"], last["facts"]) == (
        "result deleted",
        {"result": middle.id, "why": "asked for"},
    )


def test_resumed_run_replaces_its_result_unless_pinned(results, new):
    first = results.keep(new(1, run=recorded(1, 3, ending="aborted"), job="run"))
    second = results.keep(new(2, job="run"))
    assert [result.id for result in results.newest_first()] == [second.id]
    second.mark(PINNED)
    third = results.keep(new(3, job="run"))
    assert {result.id for result in results.newest_first()} == {second.id, third.id}
    assert first.id not in {second.id, third.id}


def test_end_of_a_run_reads_no_results_of_other_runs(results, new, monkeypatch):
    for number in range(3):
        results.keep(new(number))
    read = []
    of_folder = Result.read
    monkeypatch.setattr(
        Result, "read", lambda folder: read.append(folder.name) or of_folder(folder)
    )

    newest = results.keep(new(4))
    removed = [Results(Retention(most=most)).remove_outdated() for most in (200, 2)]

    assert read == [newest.id], "the end of the run read other records"
    assert removed == [[], []]
    assert len(results.newest_first()) == 4


@pytest.mark.parametrize("limits", [{"most": 2}, {"most_gib": 1e-9}, {"most_days": 30.0}])
def test_end_of_a_run_removes_results_beyond_each_limit(results, new, limits):
    old = results.keep(new(1))
    old.mark(EXPORTED)
    record = old.record.model_copy(update={"id": f"20200101T000000Z{old.id[16:]}"})
    record = record.model_copy(update={"created_utc": datetime(2020, 1, 1, tzinfo=UTC)})
    old = old.folder.replace(old.folder.with_name(record.id))
    (old / RECORD).write_text(record.sealed().to_text())
    recent = {results.keep(new(number)).id for number in (2, 3)}

    wide = {"most": 3, "most_days": 1e5}
    assert Results(Retention(**wide)).remove_outdated() == []
    (line,) = Results(Retention(**{**wide, **limits})).remove_outdated()

    assert "01 Jan 2020" in line
    assert {each.id for each in results.newest_first()} == recent


def test_marks_can_be_set_and_removed(results, new):
    result = results.keep(new())
    assert not result.pinned and not result.exported
    result.mark(PINNED)
    result.mark(EXPORTED)
    again = results.open(result.id)
    assert again.pinned and again.exported
    again.mark(PINNED, on=False)
    assert not results.open(result.id).pinned


@pytest.mark.parametrize("name", [*FILES, RECORD])
def test_flipped_bit_is_refused_with_the_file_name(results, new, name):
    result = results.keep(new())
    path = result.folder / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    with pytest.raises(EngineError, match=name):
        again = results.open(result.id)
        _ = again.study, again.provenance, again.volume()
        again._refuse_changed(name)


def test_damaged_result_does_not_hide_others(results, new):
    good, bad = results.keep(new(1)), results.keep(new(2))
    (bad.folder / RECORD).write_text("{}")
    assert [result.id for result in results.newest_first()] == [good.id]
    with pytest.raises(FileFormatError, match="damaged"):
        results.open(bad.id)
    with pytest.raises(SettingsError, match="this result does not exist"):
        results.open("../elsewhere")


def test_copied_result_folder_with_another_name_is_not_listed(results, new):
    stored = results.keep(new())
    shutil.copytree(stored.folder, results.folder / "other")
    assert [result.id for result in results.newest_first()] == [stored.id]


@pytest.mark.parametrize("name", ["2026-11-30", "20261130", "2026-11-30T10:20 copy"])
def test_copied_result_folder_named_by_a_date_does_not_fail_the_end_of_a_run(results, new, name):
    stored = results.keep(new())
    shutil.copytree(stored.folder, results.folder / name)
    assert results.remove_outdated() == []
    assert [result.id for result in results.newest_first()] == [stored.id]


def test_full_disk_gives_one_sentence_and_leaves_no_files(results, new, monkeypatch):
    first = results.keep(new(1))
    usage = shutil.disk_usage(results.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(
        ResourceError, match=r"1,000 are free in .*\. Free disk space, or set another"
    ):
        results.keep(new(2))
    assert [path.name for path in results.folder.iterdir()] == [first.id]


@pytest.mark.parametrize(("place", "call"), [(Path, "replace"), (os, "fsync"), (Path, "mkdir")])
def test_disk_error_while_writing_leaves_no_files(results, new, monkeypatch, place, call):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    new_result = new()
    with monkeypatch.context() as patch:
        patch.setattr(place, call, fail)
        with pytest.raises(ResourceError):
            results.keep(new_result)
    assert not results.folder.exists() or not list(results.folder.iterdir())


def test_leftovers_of_dead_processes_are_removed_and_of_live_ones_are_not(results, new):
    stored = results.keep(new())
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                          capture_output=True, text=True, check=True).stdout.strip()  # fmt: skip
    from engine.results.store import _host

    for pid in (dead, str(os.getpid())):
        (results.folder / f".{_host()}-{pid}-20200101T000000Z-00.part").mkdir()
    (results.folder / ".elsewhere-1-20200101T000000Z-00.part").mkdir()
    results.newest_first()
    left = {path.name for path in results.folder.iterdir()}
    assert left == {
        stored.id,
        f".{_host()}-{os.getpid()}-20200101T000000Z-00.part",
        ".elsewhere-1-20200101T000000Z-00.part",
    }


KEEPER = """
import os
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from pathlib import Path
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results
grid = ImageGrid((20, 100, 100), (1.0, 1.0, 1.0))
study = Study(data=Path("scan.l"), protocol=ListModeProtocol())
for i in range(10_000):
    volume = Volume(np.full(grid.shape, i + 1, np.float32), grid, "counts/mm")
    new = NewResult(study, volume, {"axes": "LPS"}, job=f"{os.getpid()} {i}")
    print(Results().keep(new).id, flush=True)
"""


@pytest.mark.essential
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_process_loses_no_stored_result(results, tmp_path, rng):
    messages = []
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", KEEPER, str(ROOT)], cwd=tmp_path, stdout=subprocess.PIPE
        ) as storage:
            messages.append(storage.stdout.readline().decode().strip())
            time.sleep(rng.uniform(0, 0.1))
            storage.send_signal(signal.SIGKILL)
            messages += storage.stdout.read().decode().split()
    found = {result.id: result for result in results.newest_first()}
    assert set(messages) <= set(found)
    for result in found.values():
        values = result.volume().values
        assert values.min() == values.max() == float(result.record.job.split()[1]) + 1
    assert not list(results.folder.glob(".*"))


def test_old_result_without_run_record_opens_and_states_the_gap(results, new):
    stored = results.keep(new(1, run=recorded(1.5, 3, ending="aborted")))
    path = stored.folder / RECORD
    report = json.loads(path.read_text())
    del report["run"]
    # checksum of old records: sorted keys, no spaces
    report["sha256"] = ""
    text = json.dumps(report, separators=(",", ":"), ensure_ascii=False)
    path.write_text(json.dumps(report | {"sha256": sha256(text.encode()).hexdigest()}))
    found = Results().open(stored.id)
    run = found.record.run_record
    assert found.record.run is None and run.quality is None
    assert run.describe_ending() == "aborted at iteration 1.5 of 3"
    assert run.describe_algorithm() == "algorithm not recorded, 1.5 iterations"
    assert found.named.run == run


def test_result_with_changed_run_is_refused(results, new):
    stored = results.keep(new(1, run=recorded()))
    path = stored.folder / RECORD
    path.write_text(path.read_text().replace('"iterations_done": 4', '"iterations_done": 5'))
    with pytest.raises(FileFormatError, match="was changed or its folder was renamed"):
        Results().open(stored.id)


def test_unchanged_results_are_returned_as_the_same_objects(results, new):
    for i in range(3):
        results.keep(new(i))
    known = results.newest_first()
    again = results.newest_first(known)
    assert all(one is other for one, other in zip(known, again, strict=True))
    known[1].mark(PINNED)
    results.keep(new(3))
    newest = results.newest_first(known)
    assert [each.pinned for each in newest] == [False, False, True, False]
    assert newest[1] is known[0] and newest[2] is not known[1] and newest[3] is known[2]


def test_changed_record_is_read_again_and_refused(results, new):
    results.keep(new(1))
    known = results.newest_first()
    path = known[0].folder / RECORD
    path.write_text(path.read_text().replace('"iterations": ', '"iterations":  '))
    assert results.newest_first(known)[0] is not known[0], "the outdated record was returned"
    path.write_text(path.read_text().replace('"seconds": ', '"seconds": 9'))
    assert results.newest_first(known) == []


def test_records_share_equal_parts_and_read_completely(results, new):
    for i in range(3):
        results.keep(new(i, run=recorded(3, 3)))
    results.keep(new(4, run=recorded(1, 3, ending="aborted")))
    found = results.newest_first()
    runs = [each.record.run for each in found]
    assert all(run is not None and run.protocol is runs[0].protocol for run in runs)
    assert runs[1] is runs[2] is runs[3] is not runs[0], "equal runs are different objects"
    assert len({id(each.record.model_fields_set) for each in found}) == 1
    again = results.newest_first(found)
    assert all(one is other for one, other in zip(again, found, strict=True))
    assert all(each.record.is_whole for each in found)
    for each in found:
        text = (each.folder / RECORD).read_text()
        assert each.record == ResultRecord.model_validate_json(text)
        assert each.record.to_text() == text
