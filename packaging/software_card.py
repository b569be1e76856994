"""Install CuPy for the software card of the tests in a separate folder.

The tests run CuPy without a GPU (tests/emulator/card). CuPy stays out of the other libraries, so
the program under test finds no CuPy, as on a computer without a GPU.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from locked import FOLDER, Lock, this_machine
from machine import say

GROUP = "cuda13"
"""Group of the lock that contains CuPy."""
PACKAGES = ("cupy-cuda13x", "cuda-pathfinder", "nvidia-cuda-runtime", "nvidia-ml-py")
MACHINE = "linux-x86_64"


def requirements(root: Path) -> str:
    """Return the entries of the lock with their hashes."""
    entries = re.split(r"\n(?=\S)", (root / FOLDER / f"{GROUP}.txt").read_text("utf-8"))
    return "\n".join(entry for entry in entries if entry.split("==")[0] in PACKAGES) + "\n"


def install(root: Path, python: Path) -> bool:
    """Install CuPy once for each version; return True if it is installed."""
    if this_machine().split()[-1] != MACHINE or not Lock(root).fits:
        return False
    folder, required = root / ".venv" / "card", requirements(root)
    stamp = folder / "requirements.txt"
    if stamp.is_file() and stamp.read_text("utf-8") == required:
        return True
    say("Installing CuPy for the tests' software card")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "new.txt"
    file.write_text(required, "utf-8")
    options = ["--disable-pip-version-check", "--no-input", "--quiet", "--no-deps", "--no-compile"]
    options += ["--upgrade", "--require-hashes", "--target", str(folder), "-r", str(file)]
    command = [str(python), "-m", "pip", "install", *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        say("CuPy could not be installed; the tests that need the software card are skipped.")
        return False
    file.replace(stamp)
    return True
