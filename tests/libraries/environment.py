"""The environment with PyTorch and other array libraries, separate from the program's.

    python -m tests.libraries.environment

creates `.venv/torch`: the libraries of `.venv`, and in addition PyTorch, JAX, array-api-strict,
xarray and deepinv. PyTorch brings several GB of CUDA libraries on Linux. Tests use another
environment if ISOCENTER_TORCH names its interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ("torch>=2.4", "jax", "array-api-strict", "xarray", "deepinv")
VARIABLE = "ISOCENTER_TORCH"
NOT_INSTALLED = (
    "PyTorch is not in this environment; `python -m tests.libraries.environment` installs it in "
    ".venv/torch"
)


def interpreter() -> Path | None:
    """Return the interpreter of the environment; None if there is none."""
    inside = Path("Scripts/python.exe" if os.name == "nt" else "bin/python")
    named = os.environ.get(VARIABLE)
    found = Path(named) if named else Path(sys.prefix) / "torch" / inside
    return found if found.is_file() else None


def create() -> Path:
    """Create the environment; return its interpreter."""
    folder = Path(sys.prefix) / "torch"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = interpreter()
    if python is None:
        raise SystemExit(f"{folder} has no interpreter.")
    # the libraries of the program are shared, not installed again
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
    shared = Path(done.stdout.strip()) / "isocenter_libraries.pth"
    shared.write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    install = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, *LIBRARIES], check=True)
    return python


if __name__ == "__main__":
    sys.stdout.write(f"{create()}\n")
