"""Tests of the audit log: events are recorded, and a change of any line is detected."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.core.paths import HOME_VARIABLE
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save, save_frames
from engine.io.safety.audit_lines import newest_file
from engine.io.safety.audit_log import log_file, record, verify
from engine.jobs.process.starting import new_process


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a log of five lines."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    for k in range(5):
        record("run finished", job=f"job-{k}", updates=84)
    return log_file()


def test_recorded_lines_are_verified(log: Path) -> None:
    entries = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert [entry["facts"]["job"] for entry in entries] == [f"job-{k}" for k in range(5)]
    assert verify(log) == 5


def test_missing_log_counts_as_empty(tmp_path: Path) -> None:
    assert verify(tmp_path / "none.jsonl") == 0


@pytest.mark.parametrize("number", [1, 3, 5])
def test_any_changed_byte_of_a_line_is_found(log: Path, number: int) -> None:
    lines = log.read_bytes().splitlines()
    for at in range(0, len(lines[number - 1]), 7):
        changed = bytearray(lines[number - 1])
        changed[at] ^= 1
        log.write_bytes(b"\n".join([*lines[: number - 1], bytes(changed), *lines[number:]]) + b"\n")
        with pytest.raises(DataError, match=rf"line {number} has been changed"):
            verify(log)


@pytest.mark.parametrize("left_out", [1, 3])
def test_missing_line_is_found(log: Path, left_out: int) -> None:
    lines = log.read_bytes().splitlines()
    del lines[left_out - 1]
    log.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(DataError, match=rf"line {left_out} has been"):
        verify(log)


def test_swapped_or_inserted_lines_are_found(log: Path) -> None:
    lines = log.read_bytes().splitlines()
    for changed in ([*lines[:2], lines[3], lines[2], lines[4]], [*lines[:3], *lines[2:]]):
        log.write_bytes(b"\n".join(changed) + b"\n")
        with pytest.raises(DataError, match="has been changed"):
            verify(log)


@pytest.mark.parametrize("n_lines", [0, 3, 4])
def test_truncated_log_is_found(log: Path, n_lines: int) -> None:
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:n_lines]))
    with pytest.raises(
        DataError, match=rf"ends at line {n_lines}, but its last recorded line is 5"
    ):
        verify(log)


def test_lines_after_a_truncation_do_not_hide_it(log: Path) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:3]))
    for k in (3, 4):
        record("run finished", job=f"later-{k}", updates=84)
    with pytest.raises(DataError, match="line 4 has been changed"):
        verify(log)


def test_crash_between_line_and_digest_is_not_an_error(log: Path) -> None:
    newest = newest_file(log).read_bytes()
    record("run finished", job="job-5", updates=84)
    newest_file(log).write_bytes(newest)
    assert verify(log) == 6
    record("run finished", job="job-6", updates=84)
    assert verify(log) == 7


def test_line_torn_by_a_crash_is_named_and_the_log_continues(log: Path) -> None:
    with log.open("ab") as file:
        file.write(b'{"number": 6, "what": "vol')
    record("run finished", job="job-7", updates=84)
    assert len(log.read_bytes().splitlines()) == 7
    with pytest.raises(DataError, match="line 6 has been"):
        verify(log)


def test_parallel_processes_write_one_chain(log: Path) -> None:
    others = [new_process(_record_ten, name=f"writer {n}") for n in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0, 0]
    assert verify(log) == 25


def _record_ten() -> None:
    for k in range(10):
        record("volume written", bytes=k)


def test_written_volume_is_recorded_without_its_name(log: Path, tmp_path: Path) -> None:
    grid = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
    save(Volume(np.ones((2, 2, 2), np.float32), grid, "counts/mm", {}), tmp_path / "Kowalczyk.h5")
    assert verify(log) == 6
    newest = json.loads(log.read_bytes().splitlines()[-1])
    assert newest["what"] == "volume written" and newest["facts"]["bytes"] > 0
    assert b"Kowalczyk" not in log.read_bytes()


def test_verify_log_command_reports_changes(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify-log"]) == 0
    assert "5 lines, all unchanged" in capsys.readouterr().out
    log.write_bytes(log.read_bytes().replace(b"job-2", b"job-9"))
    assert main(["verify-log", str(log)]) == USER_FAULT
    assert "line 3 has been changed" in capsys.readouterr().err
    assert main(["verify-log", str(log.parent / "none")]) == USER_FAULT


def test_unwritable_log_does_not_stop_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "file"))
    record("run finished", job="x")
    assert "run finished was not recorded" in caplog.text


def test_folder_is_recorded_with_all_its_files(log: Path, tmp_path: Path) -> None:
    values = np.ones((2, 3, 4), np.float32)
    image = Volume(values, ImageGrid(values.shape, (1.0, 1.0, 1.0)), "1/mm")
    save(image, tmp_path / "a.ome.zarr")
    newest = json.loads(log.read_bytes().splitlines()[-1])
    files = [each for each in (tmp_path / "a.ome.zarr").rglob("*") if each.is_file()]
    assert newest["facts"]["bytes"] == sum(each.stat().st_size for each in files) > values.nbytes


def test_frames_and_files_of_dicom_commands_are_recorded(log: Path, tmp_path: Path) -> None:
    values = np.ones((2, 3, 4), np.float32)
    image = Volume(values, ImageGrid(values.shape, (1.0, 1.0, 1.0)), "Bq/mL")
    frames = [FrameVolume(TimeFrame(1000 * k, 1000 * (k + 1)), image) for k in range(3)]
    save_frames(image, frames, tmp_path / "a.h5", {})
    save(image, tmp_path / "b.h5")
    save(replace(image, unit="HU"), tmp_path / "c.h5", {"protocol": {"modality": "ct"}})
    for words in (("b.h5", "b.dicom"), ("c.h5", "c.dcm", "--enhanced")):
        names = [str(tmp_path / name) for name in words[:2]]
        assert main(["dicom", "write", *names, *words[2:]]) == DONE
    entries = [json.loads(line) for line in log.read_bytes().splitlines()[5:]]
    assert [each["what"].split()[0] for each in entries] == ["frames", *["volume"] * 4]
    assert entries[0]["facts"]["frames"] == 3
    assert [each["facts"]["format"] for each in entries[3:]] == ["DICOM series", "Enhanced CT"]
    assert all(each["facts"]["bytes"] > values.nbytes for each in entries)
