"""Name and cores of the processor, and the threads of the engine and of BLAS.

The engine divides its work among its own threads. Threads of BLAS in addition wait actively for
their next matrix product, and take processor time from the engine's kernels. All steps of a run use
the same threads: starting them for each step took 8 % of the time of a small scan.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock, local
from typing import Any


@lru_cache(maxsize=1)
def processor_name() -> str:
    """Return the product name of the processor; empty if the system does not report it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    # Kernels for ARM64 list no "model name". Python's own answer starts a process.
    return next(names, None) or platform.processor()


def usable_cores() -> int:
    """Return the number of CPU cores that this process can use."""
    # cpu_count includes cores that a container or a batch system has not assigned to us.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_label(threads: int) -> str:
    """Return the name of the CPU with some threads, for the window and the command line."""
    return "CPU, 1 thread" if threads == 1 else f"CPU, {threads} threads"


class _BlasLimit:
    """Limit of the BLAS libraries of the process, shared by the blocks of all threads."""

    def __init__(self) -> None:
        self._lock, self._n_blocks = Lock(), 0
        self._n_modules = 0
        self._found: Any = None
        self._limit: Any = None

    def begin(self) -> None:
        """Begin a block."""
        with self._lock:
            self._n_blocks += 1
            # A library that was loaded since belongs to the limit, too.
            if self._n_blocks == 1 or self._n_modules != len(sys.modules):
                self._set()

    def end(self) -> None:
        """End a block; the last one restores the caller's numbers."""
        with self._lock:
            self._n_blocks -= 1
            if self._n_blocks == 0:
                self._limit.restore_original_limits()
                self._limit = None

    def _set(self) -> None:
        from threadpoolctl import ThreadpoolController

        if self._limit is not None:
            self._limit.restore_original_limits()
        if self._found is None or self._n_modules != len(sys.modules):
            # A search takes a millisecond, so it is repeated only if modules were imported since.
            self._found = ThreadpoolController()
            self._n_modules = len(sys.modules)
        self._limit = self._found.limit(limits=1, user_api="blas")


_BLAS = _BlasLimit()
"""The number belongs to the process."""


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread within a block, and restore the caller's number after it.

    The number belongs to the process. If blocks overlap, the first one sets it, and the last one
    restores it. A library that is loaded inside a block is limited from the next block on.
    """
    _BLAS.begin()
    try:
        yield
    finally:
        _BLAS.end()


_LENT = local()


@contextmanager
def lent(pool: ThreadPoolExecutor) -> Iterator[None]:
    """Lend threads to the work that the calling thread does within a block.

    Parameters
    ----------
    pool
        threads, which run no other work meanwhile
    """
    before = lent_pool()
    _LENT.pool = pool
    try:
        yield
    finally:
        _LENT.pool = before


def lent_pool() -> ThreadPoolExecutor | None:
    """Return the threads that are lent to the calling thread; None if there are none."""
    pool: ThreadPoolExecutor | None = getattr(_LENT, "pool", None)
    return pool
