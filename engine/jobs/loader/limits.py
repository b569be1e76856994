"""How much memory and processor time the reading of a file may take."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from stat import S_ISREG

SECONDS_PER_PART = 20.0
PART_BYTES = 100_000_000
"""Each started part of this size may take `SECONDS_PER_PART` of processor time."""
FREE_SHARE = 0.8
"""Share of the free memory that a file may take."""
LEAST_BYTES = 256 << 20
MOST_LOOKED_AT = 5000
"""Files of a folder whose sizes are added: a scan may be a folder, or a header beside its data."""


def allowed_seconds(path: Path | None) -> float:
    """Return the processor time [s] for a file, by its size and that of what lies beside it."""
    parts = max(1, ceil(_bytes_at(path) / PART_BYTES)) if path is not None else 1
    return SECONDS_PER_PART * parts


def _bytes_at(path: Path) -> int:
    folder = path if path.is_dir() else path.parent
    total = 0
    try:
        with os.scandir(folder) as entries:
            for n, entry in enumerate(entries):
                if n >= MOST_LOOKED_AT:
                    break
                facts = entry.stat()
                total += facts.st_size if S_ISREG(facts.st_mode) else 0
    except OSError:
        return total
    return total


@contextmanager
def limited_memory() -> Iterator[int]:
    """Let this process take most of the memory that is free now; yields how much [bytes]."""
    import psutil

    free = max(LEAST_BYTES, int(FREE_SHARE * psutil.virtual_memory().available))
    if sys.platform != "linux":
        yield free
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    most = psutil.Process().memory_info().vms + free
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield free
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def write_no_core() -> None:
    """Leave no image of the memory on the disk when a reader crashes."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
