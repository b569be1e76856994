"""The shim for system calls: compiled here, preloaded, and configured by the environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SETTING, LOG = "DISTURB", "DISTURB_LOG"
SOURCE = Path(__file__).with_name("shim.c")


def obstacle() -> str:
    """Return why this machine cannot run the shim, or "" if it can."""
    if not sys.platform.startswith("linux"):
        return "a disturbed disk needs Linux"
    return "" if shutil.which("cc") else "a disturbed disk needs a C compiler"


def compiled(folder: Path) -> Path:
    """Compile the shim in a folder and return the library."""
    library = folder / "shim.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return library


def under(library: Path, module: str, *arguments: str | Path) -> str:
    """Run a module under the shim with the home of the tests; return its output."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=SOURCE.parents[2],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}\n{done.stdout[-500:]}"
    return done.stdout


@contextmanager
def disturbing(what: str, after: int, path: Path) -> Iterator[None]:
    """Disturb file access below a path in this process, which runs under the shim."""
    os.environ[SETTING] = f"{what}:{after}:{path}"
    try:
        yield
    finally:
        del os.environ[SETTING]
