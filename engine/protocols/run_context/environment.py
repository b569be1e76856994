"""Software and machine of a run."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import lru_cache
from pathlib import Path

from engine.core.json_types import Plain

DISTRIBUTION = "isocenter"
OF_COMMIT = "# branch.oid "
"""Start of the line in which Git states the hash of the checkout."""
NO_COMMIT, UNKNOWN = "(initial)", "unknown"
"""Hash that Git states for a checkout without commits, and the commit in a record of it."""
PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "pydantic", "h5py", "nibabel")


def program_version() -> str | None:
    """Return the version of the program; None if it is not installed."""
    return _version(DISTRIBUTION)


@lru_cache(maxsize=1)
def environment() -> Plain:
    """Return versions, operating system and processor as JSON values."""
    from engine.core.backend.processor import processor_name

    return {
        "isocenter": program_version(),
        # The version alone does not identify a development checkout.
        "commit": _commit(Path(__file__).resolve().parents[3]),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "system": platform.platform(),
        "processor": processor_name(),
        "cores": os.cpu_count(),
    }


def _version(distribution: str) -> str | None:
    # Its import takes longer than all else that a short command needs of this module.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _commit(root: Path) -> str | None:
    """Return the hash of the checkout, with "-dirty" after changes.

    Parameters
    ----------
    root
        folder of the program

    Returns
    -------
    commit
        `UNKNOWN` for a checkout without commits or an answer of Git; None for an installed wheel
    """
    if not (root / ".git").exists():
        return None
    words = ("status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=no")
    command = ["git", "--no-optional-locks", "-C", str(root), *words]
    try:
        # A hanging Git, for example on a network drive, must not stop a reconstruction.
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return UNKNOWN
    lines = done.stdout.splitlines()
    commits = (line.removeprefix(OF_COMMIT) for line in lines if line.startswith(OF_COMMIT))
    commit = next(commits, NO_COMMIT)
    if commit == NO_COMMIT:
        return UNKNOWN
    is_changed = any(not line.startswith("#") for line in lines)
    return f"{commit}-dirty" if is_changed else commit
