"""Locks between processes: only one writes a file, fills a cache entry or claims a job.

A lock is a file in a folder of its own, so that none lies among a user's files; the system lets go
of it when its process dies.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

from engine.core.errors import ResourceError
from engine.core.paths import OTHER_HOME, locks_dir

POLL_S = 0.2
STALE_S = 2.0
"""Age at which a lock that nobody holds is litter of a process that was killed: whoever makes one
takes it at once."""


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold a file that will be written at the end of long work; refuse where another does."""
    lock = _lock_of(path)
    if not _acquired(lock):
        raise ResourceError(
            f"{path.name}: another process is writing this file; wait until it has finished, or "
            "choose another name."
        )
    with _released(lock):
        yield


@contextmanager
def after_others(path: Path, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold a file or folder; wait as long as another process does.

    Parameters
    ----------
    path
        what is held
    on_wait
        called several times a second while waiting; may raise to stop
    """
    lock = _lock_of(path)
    while not _acquired(lock):
        if on_wait is not None:
            on_wait()
        time.sleep(POLL_S)
    with _released(lock):
        sweep_locks()
        yield


def is_in_use(path: Path) -> bool:
    """Return True if a process, of ours or another, holds a file now."""
    lock = _lock_of(path)
    if not _acquired(lock):
        return True
    with _released(lock):
        return False


def sweep_locks() -> None:
    """Remove the locks of processes that were killed."""
    for file in locks_dir().glob("*.lock"):
        with suppress(OSError, ResourceError):
            lock = FileLock(file)
            if time.time() - file.stat().st_mtime > STALE_S and _acquired(lock):
                with _released(lock):
                    pass


def _lock_of(path: Path) -> FileLock:
    name = os.path.normcase(path.expanduser().resolve())
    digest = sha256(name.encode(errors="surrogateescape")).hexdigest()
    return FileLock(locks_dir() / f"{digest[:32]}.lock")


def _acquired(lock: FileLock) -> bool:
    """Take a lock if nobody holds it."""
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    except OSError as e:
        raise ResourceError(
            f"{Path(lock.lock_file).parent}: no lock file can be created there "
            f"({e.strerror or e}); free some space, or {OTHER_HOME}."
        ) from e
    return True


@contextmanager
def _released(lock: FileLock) -> Iterator[None]:
    """Let go at the end; the file goes while it is held, which whoever waits for it notices."""
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            Path(lock.lock_file).unlink()
        lock.release()
