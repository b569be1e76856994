"""AddressSanitizer for kernels: its library must be loaded before Python's own memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.emulator import compiling

ROOT = Path(__file__).parents[2]
ALL_RAN = "all kernels ran"


def sanitizer_environment() -> dict[str, str]:
    """Return the environment of a process that may make an `EmulatedGpu(sanitize=True)`."""
    try:
        compiling.check()
    except compiling.NoCompilerError as e:
        pytest.skip(f"CUDA kernels cannot be run on this CPU: {e}")
    done = subprocess.run(
        ["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    library = Path(done.stdout.strip())
    if not library.is_absolute():
        pytest.skip("AddressSanitizer's library is not installed beside g++")
    return os.environ | {"LD_PRELOAD": str(library), "ASAN_OPTIONS": "detect_leaks=0"}


def assert_runs_sanitized(code: str) -> None:
    """Run statements in a process that has AddressSanitizer loaded from the start, without a fault.

    code : what may make an `EmulatedGpu(sanitize=True)`; its last statement stands at its margin
    """
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint({ALL_RAN!r})"],
        cwd=ROOT, env=sanitizer_environment(), capture_output=True, text=True, timeout=280,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ALL_RAN in done.stdout
