"""AddressSanitizer for kernels: its library must be loaded before Python's own memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.emulator import compiling


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
