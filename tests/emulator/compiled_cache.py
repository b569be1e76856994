"""Cache compiled kernels between runs, by hash, in a folder of the user."""

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
"""Files that were not used for this time are removed."""


def digest(*parts: str) -> str:
    """Return a hash of these parts as a file name."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def cached_file(name: str, make: Callable[[Path], None]) -> Path:
    """Return the cached file `name`; call `make` if it is missing, once for all processes."""
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
    """Return the cache folder. It is private to the user, because some files are executed."""
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
