"""Numbers of threads that are tried for CPU kernels."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.tools.tuning.problem import Values


def thread_numbers(on: Backend) -> tuple[int, ...]:
    """Return all threads, one fewer, which leaves a core to the system, and half of them.

    Two hardware threads may share a core and its caches, so half of them may be as fast.

    Parameters
    ----------
    on
        CPU with its threads
    """
    # The user's number, which may be below that of the machine
    n = on.threads
    return tuple(sorted({n, max(1, n - 1), max(1, (n + 1) // 2)}, reverse=True))


def values_to_store(values: Values, on: Backend) -> dict[str, int]:
    """Return values as they are stored: 0 stands for all threads, whatever their number.

    Parameters
    ----------
    values
        parameters of a variant
    on
        CPU with its threads
    """
    numbers = {name: int(value) for name, value in values.items()}
    if numbers["threads"] == on.threads:
        numbers["threads"] = 0
    return numbers
