"""Recognise and remove partial files of processes that were killed.

Whoever writes a part holds a lock of its name, which the system lets go of when its process dies.
The name says whose locks are asked: those of other users and machines are never judged.
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
"""A part so young may not be held yet."""
OLD_S = 7 * 86_400.0
"""Age at which a part in a folder of ours is dead, whoever wrote it."""
NOBODY = "x"


def part_name(stem: str) -> str:
    """Return a name that nobody has for a part of a file."""
    return f".{stem}.{_owner_mark()}.{secrets.token_hex(6)}.part"


@contextmanager
def held(part: Path) -> Iterator[None]:
    """Hold a part that is being written."""
    if f".{NOBODY}." in part.name:
        yield
        return
    with ExitStack() as stack:
        with suppress(ResourceError):  # a target may take a file where no lock can be kept
            stack.enter_context(only_writer(part))
        yield


def sweep_parts(folder: Path, stem: str = "") -> None:
    """Remove dead parts: those of one file by its name, or all in a folder of ours."""
    pattern = f".{glob.escape(stem)}.*.part" if stem else ".*.part"
    for part in folder.glob(pattern):
        with suppress(OSError, ResourceError):
            age_s = time.time() - part.stat().st_mtime
            is_ours = f".{_owner_mark()}." in part.name and _owner_mark() != NOBODY
            if (not stem and age_s > OLD_S) or (is_ours and age_s > NEW_S and not is_in_use(part)):
                shutil.rmtree(part) if part.is_dir() else part.unlink()


def _owner_mark() -> str:
    """Return the mark of this machine and this user's locks."""
    try:
        return sha256(f"{platform.node()} {locks_dir()}".encode()).hexdigest()[:8]
    except ResourceError:  # without a folder for locks nothing is held, and nothing swept
        return NOBODY
