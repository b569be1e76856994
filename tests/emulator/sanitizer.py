"""AddressSanitizer for kernels: load its library before Python allocates memory."""

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
    """Return the environment for a process that creates an `EmulatedGpu(sanitize=True)`."""
    try:
        compiling.check()
    except compiling.NoCompilerError as e:
        pytest.skip(f"CUDA kernels cannot be run on this CPU: {e}")
    done = subprocess.run(
        ["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    library = Path(done.stdout.strip())
    if not library.is_absolute():
        pytest.skip("AddressSanitizer's library is not installed with g++")
    return os.environ | {"LD_PRELOAD": str(library), "ASAN_OPTIONS": "detect_leaks=0"}


def assert_runs_sanitized(code: str) -> None:
    """Run code in a new process with AddressSanitizer and check that it reports no fault.

    code : statements that may create an `EmulatedGpu(sanitize=True)`; the last one is not indented
    """
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint({ALL_RAN!r})"],
        cwd=ROOT, env=sanitizer_environment(), capture_output=True, text=True, timeout=280,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ALL_RAN in done.stdout
