"""Measure the resolution in a separate process, so that a crash has no other effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from engine.core.backend import cpu
from engine.jobs.process.side_process import (
    Refused,
    SideProcess,
    leave_signals_alone,
    run_or_refuse,
    tell,
)
from engine.tools.resolution.measuring import (
    MeasuredResolution,
    ResolutionEvent,
    ResolutionRequest,
    measure_resolution,
)


def resolution_in_process(
    request: ResolutionRequest, is_wanted: Callable[[], bool] = lambda: True
) -> Iterator[ResolutionEvent | Refused]:
    """Measure the resolution in a separate process.

    Parameters
    ----------
    request
        scans and sources
    is_wanted
        polled several times a second; False ends the process without a result

    Yields
    ------
    event
        progress, and at the end `MeasuredResolution` or `Refused` with a reason
    """
    process = SideProcess[ResolutionEvent | Refused](_main, request, name="isocenter-resolution")
    yield from process.messages((MeasuredResolution, Refused), is_wanted)


def _main(request: ResolutionRequest, events: Connection, requests: Connection) -> None:
    leave_signals_alone()
    run_or_refuse(
        lambda: measure_resolution(request, on=cpu(), tell=lambda event: tell(events, event)),
        events,
    )
