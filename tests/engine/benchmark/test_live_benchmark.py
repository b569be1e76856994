"""The benchmark of detectors that do not wait, on a small one."""

from __future__ import annotations

import json
from itertools import pairwise
from threading import Event
from time import sleep

from engine import backend
from engine.benchmark import live, live_folder, report, tables
from engine.benchmark.cone_slices import Setup
from engine.cli.main import main

SMALL = live.LiveCase(Setup("FleX-ray", (12, 16), 8, 10), 200.0)


def test_a_detector_is_followed_and_its_figures_make_a_table(monkeypatch):
    monkeypatch.setattr(live, "WARM_S", 0.2)
    part = live.run(backend.cpu(2), cases=[SMALL], seconds=0.4)

    (row,) = part["rows"]
    assert row["case"] == "flexray" and row["fault"] == ""
    assert 0 < row["frames_per_s"] <= 1.2 * SMALL.frames_per_s
    assert 0 < row["latency_ms_median"] <= row["latency_ms_p99"]
    assert {bar["name"] for bar in part["bars"]} > {"dropped frames"}
    text = tables.of("live", part)[0].markdown()
    assert "FleX-ray" in text and "0.6 ms" in text


def test_a_setup_that_memory_cannot_hold_is_said(monkeypatch):
    monkeypatch.setattr(live, "ROOM", 0.0)
    part = live.run(backend.cpu(1), cases=[SMALL], seconds=0.1)
    assert "GiB" in part["rows"][0]["fault"] and part["bars"] == []
    assert "are free" in tables.of("live", part)[0].markdown()


def test_frames_that_are_late_are_lost_and_counted():
    stop, frames = Event(), []
    for frame in live.ClockedDetector(SMALL).frames(stop):
        frames.append(frame)
        if len(frames) == 4:
            sleep(0.2)
        if len(frames) == 6:
            break
    numbers = [frame.index for frame in frames[2:]]
    assert [frame.lost for frame in frames[3:]] == [
        after - before - 1 for before, after in pairwise(numbers)
    ]
    assert numbers[2] - numbers[1] >= 25


def test_the_command_keeps_figures_and_refuses_what_it_does_not_know(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(live, "WARM_S", 0.1)
    monkeypatch.setattr(live, "CASES", (SMALL,))
    out = tmp_path / "live.json"
    monkeypatch.setattr(live_folder.run, "__defaults__", (live_folder.FolderCase(8, 4, 200.0),))
    assert main(["bench", "live", "--seconds", "0.2", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Live slices" in said and "A folder that fills" in said
    (row,) = json.loads(out.read_text())["parts"]["live_folder"]["rows"]
    assert row["missed"] == 0 and row["most_behind"] >= 1
    assert json.loads(out.read_text())["parts"]["live"]["rows"]
    assert report.read(out)["format"] == "isocenter bench live"

    assert main(["bench", "live", "--cases", "tomotank"]) == 2
    assert "choose of flexray" in capsys.readouterr().err


def test_lag_is_what_is_written_and_not_handed_over():
    found = live_folder.lag([0.0, 1.0, 2.0, 3.0], [0.5, 2.25, 2.5, 3.5])
    assert (found["most_behind"], found["missed"]) == (2, 0)
    assert found["percent_behind_by_more"] == 100 * 0.25 / 3.5
    assert found["latency_ms_most"] == 1250
