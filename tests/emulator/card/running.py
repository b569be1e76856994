"""Run processes with the software card."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.emulator import compiling, nvrtc
from tests.emulator.card.machine import Machine

ROOT = Path(__file__).parents[3]
CUPY = Path(sys.prefix) / "card" / "cupy"


def obstacle() -> str:
    """Return the reason why the software card cannot run here, or ""."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return "the software card only redirects calls of x86-64 on Linux"
    if not CUPY.is_dir():
        return "CuPy is not in .venv/card, where `python3 packaging/bootstrap.py test` puts it"
    if not nvrtc.is_installed():
        return "the wheel nvidia-cuda-nvrtc, which compiles for a card, is not installed"
    try:
        compiling.check()
    except compiling.NoCompilerError as e:
        return str(e)
    return ""


def call(machine: Machine, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python on a machine, from the root of the clone."""
    site = str(Path(__file__).with_name("site"))
    environment = os.environ | machine.environment() | {"PYTHONPATH": site} | variables
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
