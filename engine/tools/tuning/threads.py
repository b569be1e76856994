"""The numbers of threads that the kernels of the CPU are tried with."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.tools.tuning.problem import Values


def thread_numbers(on: Backend) -> tuple[int, ...]:
    """Return all threads, one fewer, which leaves a core to the system, and half of them.

    Half, since two threads of a processor may share a core and its caches.
    """
    n = on.threads
    return tuple(sorted({n, max(1, n - 1), max(1, (n + 1) // 2)}, reverse=True))


def values_to_store(values: Values, on: Backend) -> dict[str, int]:
    """Return values as a form keeps them: all threads are 0, whatever their number."""
    numbers = {name: int(value) for name, value in values.items()}
    if numbers["threads"] == on.threads:
        numbers["threads"] = 0
    return numbers
