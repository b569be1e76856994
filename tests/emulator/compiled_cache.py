"""A folder of this user in which compiled kernels are kept from run to run, by their hash."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import platformdirs

STALE_S = 60 * 86_400
"""Age after which a file that nothing asked for is dropped."""


def digest(*parts: str) -> str:
    """Name of what is made from these parts and nothing else."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """Return the file called `name`, made by `make` if missing; processes make it once."""
    file = folder() / name
    if not file.exists():
        with _lock(folder() / f"{name}.lock"):
            if not file.exists():
                _make(file, make)
    else:
        os.utime(file)
    return file


def _make(file: Path, make: Callable[[Path], None]) -> None:
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        make(unfinished)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


@cache
def folder() -> Path:
    """Return where files are kept: a folder of this user alone, since some are executed."""
    own = Path(platformdirs.user_cache_dir("isocenter-tests", appauthor=False))
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        _drop_stale(own)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="isocenter-tests-"))
    is_ours = not hasattr(os, "getuid") or own.stat().st_uid == os.getuid()
    if own.is_symlink() or not is_ours:
        return Path(tempfile.mkdtemp(prefix="isocenter-tests-"))
    return own


def _drop_stale(own: Path) -> None:
    now = time.time()
    for file in own.rglob("*"):
        if file.is_file() and now - file.stat().st_mtime > STALE_S:
            file.unlink(missing_ok=True)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # Windows: two processes may make the same file, and one of them wins
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
