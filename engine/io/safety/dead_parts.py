"""Recognise and remove `.part` files of processes that were killed.

A process that writes a part holds a lock of its name, which the system releases when the process
ends. The name of a part identifies user and machine, so parts of others are never removed.
"""

from __future__ import annotations

import glob
import platform
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from engine.core.errors import ResourceError
from engine.core.paths import locks_dir
from engine.io.safety.locks import is_in_use, only_writer

NEW_S = 2.0
"""A younger part may not have its lock yet."""
OLD_S = 7 * 86_400.0
"""Age at which any part in one of our own folders is removed."""
NOBODY = "x"


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
