"""Tests of `isocenter live` with list-mode PET."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.io import read_listmode, read_volume, write_listmode
from engine.modalities.studies import write_protocol
from engine.protocols.study.protocol import Protocol
from tests.engine.live.pet.running_events import PROTOCOL, scan


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    write_listmode(scan(), tmp_path / "scan.h5")
    protocol: Protocol = PROTOCOL
    write_protocol(protocol, tmp_path / "small.toml")
    return tmp_path / "scan.h5"


def test_watch_recognises_list_mode(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "watch", str(stored), "--replay"]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[-1] == f"scan.h5: all {scan().n_events:,} events have been replayed."
    assert f"Small ring at 3.0 s: {scan().n_prompts / 3:,.0f} prompts/s"[:22] in output[-2]
    assert f"{scan().n_events:,} events, 0 lost" in output[-2]


def test_watch_prints_a_line_for_every_batch(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["live", "watch", str(stored), "--replay", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    batches = [each for each in lines if each["kind"] == "events"]
    assert sum(each["prompts"] for each in batches) == scan().n_prompts
    assert sum(each["delayeds"] for each in batches) == scan().n_delayed
    assert lines[-1]["kind"] == "ended"


def test_reconstruct_writes_image_scan_and_volume(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image, recorded, full = (tmp_path / name for name in ("image.h5", "recorded.h5", "full.h5"))
    words = ["live", "reconstruct", str(stored), "--replay", "-o", str(image), "--json"]
    words += ["--protocol", str(tmp_path / "small.toml"), "--threads", "2"]
    assert main([*words, "--scan", str(recorded), "--volume", str(full)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    figures = [each for each in lines if each["event"] == "figures"][-1]
    assert (figures["events"], figures["dropped"]) == (scan().n_events, 0)
    assert figures["image_events"] == scan().n_prompts
    np.testing.assert_array_equal(read_listmode(recorded).crystals, scan().crystals)
    live, ordinary = read_volume(image), read_volume(full)
    assert live.unit == "counts/mm"
    assert live.info["live"]["prompts"] == scan().n_prompts
    assert live.info["live"]["corrections"] == ["line_geometry", "randoms"]
    assert live.info["live"]["protocol"]["algorithm"]["subsets"] == 3
    assert np.abs(live.values - ordinary.values).max() < 1e-4 * ordinary.values.max()
    assert ordinary.info["scan"]["prompts"] == scan().n_prompts
    assert main([*words, "--scan", str(recorded)]) == 2
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["watch", "SCAN"], "cannot be followed while they are written"),
        (["watch", "tcp://127.0.0.1:1", "--pet", "--rate", "1"], "--rate needs --replay"),
        (["send", "SCAN", "--to", "tcp://*:9", "--plain"], "--plain is for X-ray scans"),
        (
            ["reconstruct", "SCAN", "--replay", "-o", "x.h5", "--volume", "v.h5"],
            "--volume needs --scan",
        ),
        (
            [
                "reconstruct",
                "SCAN",
                "--replay",
                "-o",
                "x.h5",
                "--mode",
                "sliding",
                "--newest",
                "99",
            ],
            "expected 1 to 60 s",
        ),
        (
            ["reconstruct", "SCAN", "--replay", "-o", "x.h5", "--device", "cuda"],
            "runs only on the CPU",
        ),
        (
            [
                "reconstruct",
                "SCAN",
                "--replay",
                "-o",
                "x.h5",
                "--scan",
                "s.h5",
                "--mode",
                "sliding",
            ],
            "Remove --mode sliding",
        ),
        (["reconstruct", "SCAN", "--replay", "-o", "x.h5", "--protocol", "ct"], "protocol"),
    ],
)
def test_invalid_arguments_give_one_sentence(
    words: list[str], sentence: str, stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(stored) if word == "SCAN" else word for word in words]
    assert main(["live", *given]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("quiet", [False, True])
def test_rates_are_progress_and_quiet_hides_them(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    words = ["live", "reconstruct", str(stored), "--replay", "-o", str(tmp_path / "image.h5")]
    words += ["--protocol", str(tmp_path / "small.toml"), "--threads", "2"]
    assert main([*words, *(["--quiet"] if quiet else [])]) == 0
    output = capsys.readouterr()
    assert "Image: " in output.out and " lost" not in output.out
    assert (" lost" in output.err) is not quiet
