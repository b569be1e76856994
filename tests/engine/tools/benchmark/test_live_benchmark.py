"""Tests of the benchmark of continuous detectors, with a small detector."""

from __future__ import annotations

import json
from threading import Event
from time import sleep

import pytest

from engine.cli.main import main
from engine.core import backend
from engine.live.core.frame import Frame, FrameKind
from engine.tools.benchmark import report, tables
from engine.tools.benchmark.cone.slices import Setup
from engine.tools.benchmark.live import folder, memory, recording
from engine.tools.benchmark.live import suite as live
from engine.tools.benchmark.live.sender import sending

SMALL = live.LiveCase(Setup("FleX-ray", (12, 16), 8, 10), 200.0)


def test_setup_exceeding_the_memory_is_reported(monkeypatch):
    monkeypatch.setattr(live, "MEMORY_SHARE", 0.0)
    part = live.run(backend.cpu(1), cases=[SMALL], seconds=0.1)
    assert "GiB" in part["rows"][0]["fault"] and part["bars"] == []
    assert "are free" in tables.of("live", part)[0].markdown()


def test_frames_not_fetched_in_time_are_lost_and_counted():
    stop, numbers, lost = Event(), [], 0
    fast = live.LiveCase(Setup("FleX-ray", (1024, 1024), 8, 10), 1000.0)
    with sending(fast.sends, "fast", fast.setup.geometry) as source:
        for each in source.frames(stop):
            if isinstance(each, Frame) and each.kind == FrameKind.PROJECTION:
                numbers.append(each.index)
                lost += each.lost
                if len(numbers) == 4:
                    sleep(1.0)  # more frames than the receiving process stores
                if lost or len(numbers) > 1000:
                    break
    assert lost == numbers[-1] - numbers[0] + 1 - len(numbers) > 0


def test_command_writes_figures_and_refuses_unknown_parts(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(live, "WARM_S", 0.1)
    monkeypatch.setattr(live, "CASES", (SMALL,))
    out = tmp_path / "live.json"
    monkeypatch.setattr(folder.run, "__defaults__", (folder.FolderCase(8, 4, 200.0),))
    assert main(["bench", "live", "--seconds", "0.2", "--json", str(out)]) == 0
    output = capsys.readouterr().out
    assert "Live slices" in output and "Growing folder" in output
    assert "FleX-ray" in output and "0.6 ms" in output
    parts = json.loads(out.read_text())["parts"]
    (row,) = parts["live_folder"]["rows"]
    assert row["missed"] == 0 and row["most_behind"] >= 1

    (row,) = parts["live"]["rows"]
    assert row["case"] == "flexray" and row["fault"] == ""
    assert 0 < row["frames_per_s"] <= 1.2 * SMALL.frames_per_s
    assert 0 < row["latency_ms_median"] <= row["latency_ms_p99"]
    assert row["difference"] < 1e-4
    assert {bar["name"] for bar in parts["live"]["bars"]} > {"dropped frames"}
    assert json.loads(out.read_text())["parts"]["live"]["rows"]
    assert report.read(out)["format"] == "isocenter bench live"

    assert main(["bench", "live", "--cases", "tomotank"]) == 2
    assert "choose from flexray" in capsys.readouterr().err


def test_lag_is_the_number_of_written_and_undelivered_frames():
    found = folder.lag([0.0, 1.0, 2.0, 3.0], [0.5, 2.25, 2.5, 3.5])
    assert (found["most_behind"], found["missed"]) == (2, 0)
    assert found["percent_behind_by_more"] == 100 * 0.25 / 3.5
    assert found["latency_ms_most"] == 1250


@pytest.mark.slow
def test_recording_benchmark_measures_both_kinds(monkeypatch):
    monkeypatch.setattr(recording, "START_S", 0)
    part = recording.run(shapes=((64, 64),), n_runs=1, n_bytes=2**20)
    (row,) = part["rows"]
    assert row["frames"] == 128 and len(row["off_s"]) == len(row["on_s"]) == 1
    assert "Streams with a recording" in tables.of("live_recording", part)[0].markdown()


@pytest.mark.slow
def test_memory_is_constant_over_many_frames_of_another_process():
    part = memory.run(backend.cpu(2))
    (row,) = part["rows"]
    assert row["frames"] >= memory.N_FRAMES
    assert row["growth_mib"] < memory.MAX_GROWTH_MIB
    assert "Memory over" in tables.of("live_memory", part)[0].markdown()
