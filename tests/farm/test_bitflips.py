"""Test of flipped bits in our files: detected, or without effect on the result."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_flipped_bit_never_changes_a_result_undetected() -> None:
    """Run the farm briefly in another process: a library may crash on a damaged file."""
    command = [sys.executable, "-m", "tests.farm.bitflips", "--flips", "300", "--seed", "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 flips" in done.stdout
    assert "0 accepted with another result" in done.stdout
