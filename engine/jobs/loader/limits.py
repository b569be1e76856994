"""Limits on the memory and processor time that reading a file may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from math import ceil
from pathlib import Path

from engine.io.safety.budget import available_memory
from engine.io.safety.stored_bytes import stored_at

SECONDS_PER_PART = 20.0
PART_BYTES = 100_000_000
"""Each started part of this size allows `SECONDS_PER_PART` of processor time."""
FREE_SHARE = 0.8
"""Share of the free memory that reading may use."""
MIN_BYTES = 256 << 20
MAX_INSPECTED = 5000
"""Most files of a folder whose sizes are added: a scan may be a folder, or a header with data."""


def allowed_seconds(path: Path | None) -> float:
    """Return the processor time [s] allowed for a file.

    Parameters
    ----------
    path
        file or folder; the stored bytes of all files in its folder count. None for one part
    """
    parts = max(1, ceil(_bytes_at(path) / PART_BYTES)) if path is not None else 1
    return SECONDS_PER_PART * parts


def _bytes_at(path: Path) -> int:
    # A header alone is small: the data that it names are usually in the same folder
    try:
        folder = path if path.is_dir() else path.parent
        with os.scandir(folder) as entries:
            # By stored bytes: a sparse file of 8 TB would allow weeks.
            return sum(stored_at(Path(entry.path)) for entry in islice(entries, MAX_INSPECTED))
    except OSError:  # also a name that is too long for the disk
        return 0


@contextmanager
def limited_memory(max_bytes: int | None = None) -> Iterator[int]:
    """Limit the further memory of this process; yields the limit [bytes].

    Parameters
    ----------
    max_bytes
        limit; None for most of the free memory
    """
    import psutil

    free = max(MIN_BYTES, int(FREE_SHARE * available_memory()))
    free = free if max_bytes is None else min(free, max_bytes)
    # Windows and macOS have no limit on address space that a process can set for itself
    if sys.platform != "linux":
        yield free
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    most = psutil.Process().memory_info().vms + free
    # The soft limit may not exceed the hard one, and only root can raise that
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield free
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def write_no_core() -> None:
    """Disable core dumps of this process."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
