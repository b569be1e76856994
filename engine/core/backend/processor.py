"""Name and cores of the processor."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def processor_name() -> str:
    """Return the product name of the processor; empty if the system does not report it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    # Kernels for ARM64 list no "model name"; Python's own answer is used then.
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def usable_cores() -> int:
    """Return the number of CPU cores that this process can use."""
    # cpu_count includes cores that a container or a batch system has not assigned to us.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_label(threads: int) -> str:
    """Return the name of the CPU with some threads, for the window and the command line."""
    return "CPU, 1 thread" if threads == 1 else f"CPU, {threads} threads"
