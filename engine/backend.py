"""The one place that knows which device we run on."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import ModuleType

import numpy

from engine.errors import ResourceError


@dataclass(frozen=True)
class Backend:
    """A device: its name, its array module and, on the CPU, how many threads may work."""

    name: str
    """"cpu" or "cuda"."""
    xp: ModuleType
    """numpy or cupy."""
    threads: int = 1
    """Worker threads of CPU kernels."""

    @property
    def is_cuda(self) -> bool:
        """Whether arrays live on a GPU."""
        return self.name == "cuda"

    @property
    def label(self) -> str:
        """Plain words for the window and the command line."""
        if self.is_cuda:
            return "GPU (CUDA)"
        return f"CPU, {self.threads} thread{'s' if self.threads > 1 else ''}"


def usable_cores() -> int:
    """CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu(threads: int | None = None) -> Backend:
    """The CPU, with `threads` workers (all usable cores if None)."""
    return Backend("cpu", numpy, threads or usable_cores())


def best() -> Backend:
    """Return the fastest device this version can use on this machine."""
    return cpu()


def named(name: str, threads: int | None = None) -> Backend:
    """Return the backend called "auto", "cpu" or "cuda"."""
    if name == "auto":
        return cpu(threads) if threads else best()
    if name == "cpu":
        return cpu(threads)
    raise ResourceError(
        f"device {name!r}: list-mode PET runs on the CPU in this version; use --device cpu."
    )
