"""Locks between processes: only one writes a file, fills a cache entry or claims a job.

Lock files are in a folder of the program, not next to the user's files. The system releases a lock
when its process ends.
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
"""Age at which an unlocked lock file is removed: its process was killed, because a process locks a
new file at once.
"""


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Lock a file that will be written at the end of long work.

    Parameters
    ----------
    path
        target, which need not exist yet

    Raises
    ------
    ResourceError
        if another process holds it
    """
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
    """Lock a file or folder, and wait for other processes to release it.

    Parameters
    ----------
    path
        file or folder
    on_wait
        called about every `POLL_S` seconds while waiting; an exception ends the wait
    """
    lock = _lock_of(path)
    # Polling instead of a blocking lock, so that the window can cancel the wait.
    while not _acquired(lock):
        if on_wait is not None:
            on_wait()
        time.sleep(POLL_S)
    with _released(lock):
        sweep_locks()
        yield


def is_in_use(path: Path) -> bool:
    """Return True if a process holds the lock of a file now, including this one."""
    lock = _lock_of(path)
    if not _acquired(lock):
        return True
    with _released(lock):
        return False


def sweep_locks() -> None:
    """Remove the lock files of processes that were killed."""
    for file in locks_dir().glob("*.lock"):
        with suppress(OSError, ResourceError):
            lock = FileLock(file)
            # `_released` unlinks the file, which is safe only while this process holds its lock.
            if time.time() - file.stat().st_mtime > STALE_S and _acquired(lock):
                with _released(lock):
                    pass


def _lock_of(path: Path) -> FileLock:
    # One file has many spellings: links, "~", and on Windows upper and lower case.
    name = os.path.normcase(path.expanduser().resolve())
    digest = sha256(name.encode(errors="surrogateescape")).hexdigest()
    return FileLock(locks_dir() / f"{digest[:32]}.lock")


def _acquired(lock: FileLock) -> bool:
    """Acquire a lock unless another process holds it."""
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
    """Remove and release a lock at the end; waiting processes then create a new file."""
    try:
        yield
    finally:
        with suppress(OSError):  # Windows cannot remove an open file
            Path(lock.lock_file).unlink()
        lock.release()
