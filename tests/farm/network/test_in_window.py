"""A short run of the network farm in the window; the long one is `tests.farm.network.in_window`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_damaged_messages_and_rogue_peers_do_not_harm_the_window() -> None:
    words = ("--messages", "200", "--rogues", "5", "--queries", "2")
    command = [sys.executable, "-m", "tests.farm.network.in_window", *words]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "5 rogue peers: 0 faults" in ended.stdout
