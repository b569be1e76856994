"""Tests of `isocenter live watch` and `isocenter live send`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from engine.cli.live import source, watch
from engine.cli.main import main
from engine.io import save_projections
from engine.live.core.source import FrameSource
from engine.live.ct.sources import folder
from tests.engine.io.xray.xray_files import flexray
from tests.engine.live.ct.live_scans import scan


def test_watch_lists_the_frames_of_a_stored_scan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_projections(scan(), tmp_path / "scan.h5")
    assert main(["live", "watch", str(tmp_path / "scan.h5"), "--replay"]) == 0
    output = capsys.readouterr().out
    assert "flat 2, 10 × 6 uint16, mean 60,002" in output
    assert "29 frames, 0 lost" in output
    assert output.splitlines()[-1] == "scan.h5: all 29 frames have been replayed."


def test_watch_limits_messages_to_frames_of_the_geometry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def source_of(
        arguments: argparse.Namespace, frame_shape: tuple[int, int] | None
    ) -> FrameSource:
        opened.append(frame_shape)
        return source.source_of(arguments, frame_shape)

    monkeypatch.setattr(watch, "source_of", source_of)
    path = str(tmp_path / "scan.h5")
    save_projections(scan(), Path(path))
    assert main(["live", "watch", path, "--replay"]) == 0
    assert main(["live", "watch", path, "--replay", "--geometry", path]) == 0
    assert opened == [None, scan().geometry.shape]


def test_json_has_a_line_for_every_frame_and_event(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_projections(scan(), tmp_path / "scan.h5")
    assert main(["live", "watch", str(tmp_path / "scan.h5"), "--replay", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["kind"] for each in lines].count("projection") == 24
    last = [each for each in lines if each["kind"] == "projection"][-1]
    assert (last["index"], last["shape"], last["type"]) == (23, [6, 10], "uint16")
    assert last["angle_deg"] == pytest.approx(345)
    assert lines[-1]["kind"] == "ended"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["watch", "no-such-scan.h5"], "this file or folder does not exist; check the path, or"),
        (["watch", "http://x"], "is not supported; give tcp://host:port, pva://CHANNEL"),
        (["watch", "tcp://127.0.0.1:1", "--rate", "5"], "--rate needs --replay"),
        (["send", "no-such-scan.h5", "--to", "tcp://*:9"], "this file does not exist"),
        (["send", "no-such-scan.h5", "--to", "here"], "expected tcp://host:port"),
        (["watch", "tcp://127.0.0.1:1", "--pet", "--geometry", "x.h5"], "is for X-ray scans"),
        (["watch", "tcp://127.0.0.1:1", "--geometry", "no-such.h5"], "this file does not exist"),
        (["watch", ".", "--sender", "x"], "only streams (tcp://) have senders"),
        (["watch", ".", "--network"], "this address cannot accept programs on other computers"),
        (["watch", "tcp://*:9", "--sender-key", "x"], "neither a public key of 40 characters"),
        (["send", "x.h5", "--to", "tcp://*:9", "--receiver-key", "x"], "not a public key"),
    ],
)
def test_invalid_arguments_give_one_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["live", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_stream_key_is_created_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    assert main(["live", "key", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert main(["live", "key"]) == 0
    text = capsys.readouterr().out
    assert len(output["public"]) == 40 and output["public"] in text
    secret = Path(output["file"]).read_text().split()[1]
    assert secret not in text


def test_watch_follows_a_folder_with_its_settings_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "END_QUIET_S", 0.1)
    settings = flexray(tmp_path)
    assert main(["live", "watch", str(settings)]) == 0
    output = capsys.readouterr().out
    assert "plans 12 projections (FleX-ray scan)" in output
    assert "16 frames, 0 lost" in output
    assert "all 12 projections have arrived" in output
