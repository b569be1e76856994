"""Locks between processes: only one writes a file, fills a cache entry or claims a job.

Lock files are in a folder of the program, not next to the user's files. The system releases a lock
when its process ends.

`.part` files of processes that were killed are removed. A process that writes a part holds a lock
of its name, which the system releases when the process ends. The name of a part identifies user and
machine, so parts of others are never removed.
"""

from __future__ import annotations

import glob
import os
import platform
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import ResourceError
from engine.core.paths import OTHER_HOME, locks_dir, real_path

if TYPE_CHECKING:  # many modules can write, few commands do
    from filelock import FileLock

POLL_S = 0.2
STALE_S = 2.0
"""Age at which an unlocked lock file is removed: its process was killed, because a process locks a
new file at once.
"""
NEW_S = 2.0
"""A younger part may not have its lock yet."""
OLD_S = 7 * 86_400.0
"""Age at which any part in one of our own folders is removed."""
NOBODY = "x"
MAX_NUMBER = 2**31 - 1
"""Largest number of a process; a larger one in a file name is of another program."""


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
    from filelock import FileLock

    for file in locks_dir().glob("*.lock"):
        with suppress(OSError, ResourceError):
            lock = FileLock(file)
            # `_released` unlinks the file, which is safe only while this process holds its lock.
            if time.time() - file.stat().st_mtime > STALE_S and _acquired(lock):
                with _released(lock):
                    pass


def _lock_of(path: Path) -> FileLock:
    from filelock import FileLock

    # One file has many spellings: links, "~", and on Windows upper and lower case.
    name = os.path.normcase(real_path(path.expanduser()))
    digest = sha256(name.encode(errors="surrogateescape")).hexdigest()
    # As text: `Path` stores each name of a file in a table of the interpreter, which then grows
    return FileLock(f"{locks_dir()}{os.sep}{digest[:32]}.lock")


def _acquired(lock: FileLock) -> bool:
    """Acquire a lock unless another process holds it."""
    from filelock import Timeout

    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    except OSError as e:
        raise ResourceError(
            f"{Path(lock.lock_file).parent}: no lock file can be created in this folder "
            f"({e.strerror or e}); free some disk space. {OTHER_HOME}"
        ) from e
    return True


@contextmanager
def _released(lock: FileLock) -> Iterator[None]:
    """Remove and release a lock at the end; waiting processes then create a new file."""
    try:
        yield
    finally:
        with suppress(OSError):  # Windows cannot remove an open file
            os.unlink(lock.lock_file)  # noqa: PTH108  as text, see `_lock_of`
        lock.release()


def part_name(stem: str) -> str:
    """Return a unique name for the part of a file."""
    return f".{stem}.{_owner_mark()}.{secrets.token_hex(6)}.part"


@contextmanager
def locked_part(part: Path) -> Iterator[None]:
    """Hold the lock of a part while it is written."""
    if f".{NOBODY}." in part.name:
        yield
        return
    with ExitStack() as stack:
        with suppress(ResourceError):  # write even if no lock file can be created
            stack.enter_context(only_writer(part))
        yield


def sweep_parts(folder: Path, stem: str = "") -> None:
    """Remove parts that no process writes any more.

    Parameters
    ----------
    folder
        folder to search
    stem
        file name whose parts are removed; "" for all parts, only in folders of the program
    """
    pattern = f".{glob.escape(stem)}.*.part" if stem else ".*.part"
    for part in folder.glob(pattern):
        # Another process can remove the same part at the same time.
        with suppress(OSError, ResourceError):
            age_s = time.time() - part.stat().st_mtime
            # Locks work only on one machine. On a share, a part of another machine can be in use.
            is_ours = f".{_owner_mark()}." in part.name and _owner_mark() != NOBODY
            if (not stem and age_s > OLD_S) or (is_ours and age_s > NEW_S and not is_in_use(part)):
                shutil.rmtree(part) if part.is_dir() else part.unlink()


def _owner_mark() -> str:
    """Return the mark of this machine and of the user's folder of locks."""
    try:
        return sha256(f"{platform.node()} {locks_dir()}".encode()).hexdigest()[:8]
    except ResourceError:  # without a folder for locks, no part is locked or removed
        return NOBODY


def has_ended(number: str) -> bool:
    """Return True if a process has ended.

    Parameters
    ----------
    number
        decimal digits of the process number, from a file name

    Returns
    -------
    has_ended
        False also for a number that no process can have
    """
    import psutil

    return int(number) <= MAX_NUMBER and not psutil.pid_exists(int(number))
