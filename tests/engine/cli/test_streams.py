"""Tests that command output arrives completely, or one sentence reports the failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEAK = "import sys; from engine.cli.main import main; sys.exit(main({}))"


def run(words: list[str], out: str | int, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SPEAK.format(words)]
    environment = {**os.environ, **variables}
    if isinstance(out, int):
        return subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    with Path(out).open("w") as file:
        return subprocess.run(
            command, stdout=file, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )


def test_full_output_device_gives_one_sentence() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    done = run(["protocols"], "/dev/full")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith("isocenter: Writing to standard output failed (No space left")


def test_characters_missing_in_the_encoding_are_escaped() -> None:
    done = run(["inspect", "--help"], subprocess.PIPE, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\xb0" in done.stdout and "°" not in done.stdout
