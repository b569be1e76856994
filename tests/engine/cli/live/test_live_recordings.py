"""Tests of `isocenter live recordings`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.cli.live.ending import Ending
from engine.cli.main import main
from engine.io import read_listmode
from engine.live.pet.event_message import message_of_events, message_of_head
from engine.live.pet.session import LivePetSession
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.recording_list import unfinished_recordings
from tests.engine.live.pet.running_events import scan


def test_recording_is_listed_converted_and_discarded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    recorder = LiveRecorder("events", "tcp://*:9668")
    recorder.announce(message_of_head(scan()))
    recorder.put(scan().n_events, message_of_events(scan(), 0))
    recorder.close()

    assert main(["live", "recordings"]) == 0
    lines = capsys.readouterr().out
    assert f"tcp://*:9668  {scan().n_events:,} events recorded" in lines
    assert main(["live", "recordings", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == scan().n_events

    target = tmp_path / "scan.h5"
    assert main(["live", "recordings", "convert", "1"]) == 2
    assert main(["live", "recordings", "convert", "2", "-o", str(target)]) == 2
    assert main(["live", "recordings", "convert", "-o", str(target)]) == 2
    assert main(["live", "recordings", "convert", "1", "-o", str(target)]) == 0
    np.testing.assert_array_equal(read_listmode(target).crystals, scan().crystals)

    capsys.readouterr()
    assert main(["live", "recordings", "discard", "1"]) == 0
    assert main(["live", "recordings"]) == 0
    assert "no unfinished recordings" in capsys.readouterr().out
    assert main(["live", "recordings", "discard", str(target)]) == 2
    assert target.exists()


@pytest.mark.parametrize("is_by_system", [True, False])
def test_scan_of_a_killed_process_is_offered_after_saving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_by_system: bool
) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    recorder = LiveRecorder("events", "scanner", tmp_path / "scan.h5")
    recorder.announce(message_of_head(scan()))
    recorder.put(scan().n_events, message_of_events(scan(), 0))
    recorder.close()
    session = LivePetSession.__new__(LivePetSession)
    session._recorder = recorder
    ending = Ending()
    ending.is_by_system = is_by_system
    ending.recording_after(session, tmp_path / "scan.h5")
    found = [(each.path, each.saved) for each in unfinished_recordings()]
    assert found == ([(recorder.path, str(tmp_path / "scan.h5"))] if is_by_system else [])
