"""Rows of these parts: a case with its value, and clocks that wait for the GPU."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

from engine.core.backend import Backend
from engine.core.json_types import Plain

Case = Callable[[], object]


def row(case: str, on: Backend, value: float, unit: str, **more: object) -> Plain:
    """Return a row as JSON values.

    Parameters
    ----------
    case
        name of the case
    on
        measured device
    value
        measured value
    unit
        its unit
    more
        further figures
    """
    threads = on.threads if on.gpu is None else None
    return {
        "case": case,
        "device": on.name,
        "threads": threads,
        "value": value,
        "unit": unit,
        **more,
    }


def seconds_of(case: Case, on: Backend, repeats: int) -> float:
    """Return the median wall-clock seconds of a case after an untimed run.

    The GPU is idle before and after each run.

    Parameters
    ----------
    case
        called once per run
    on
        device, which is waited for
    repeats
        number of timed runs
    """
    once(case, on)  # compiles, and reserves memory
    return median(once(case, on) for _ in range(repeats))


def once(case: Case, on: Backend) -> float:
    """Return the wall-clock seconds of one run.

    Parameters
    ----------
    case
        called once
    on
        device, which is waited for
    """
    _wait(on)
    start = perf_counter()
    case()
    _wait(on)
    return perf_counter() - start


def _wait(on: Backend) -> None:
    if on.gpu is not None:
        on.gpu.wait()
