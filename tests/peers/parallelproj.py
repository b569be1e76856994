"""The compiled replacement for libparallelproj; tests are skipped if g++ is missing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.emulator.compiled_cache import cached_file, digest

SOURCE = Path(__file__).with_suffix(".cpp")


def library(*defines: str) -> Path:
    """Return the library, built with some names defined, such as CUDA_ENABLED=0."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    name = f"parallelproj-{digest(SOURCE.read_text(encoding='utf-8'), *defines)}.so"
    flags = ("-O2", "-std=c++17", "-fPIC", "-shared", *(f"-D{each}" for each in defines))

    def make(path: Path) -> None:
        subprocess.run(["g++", *flags, str(SOURCE), "-o", str(path)], check=True)

    return cached_file(name, make)
