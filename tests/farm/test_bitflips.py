"""A bit that flips in a file of ours is noticed, or changes nothing that is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_no_flipped_bit_is_read_as_another_result() -> None:
    """A short run of the farm, in a process of its own: a library may die of a damaged file."""
    command = [sys.executable, "-m", "tests.farm.bitflips", "--flips", "300", "--seed", "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 flips" in done.stdout
    assert "0 accepted with another result" in done.stdout
