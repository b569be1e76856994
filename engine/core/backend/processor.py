"""The name of this machine's processor."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def processor_name() -> str:
    """Return the processor as its maker calls it; an empty text where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def usable_cores() -> int:
    """CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_label(threads: int) -> str:
    """Return the name of the CPU with some threads, for the window and the command line."""
    return f"CPU, {threads} thread{'s' if threads > 1 else ''}"
