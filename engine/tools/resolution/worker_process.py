"""Measure the resolution in a separate process, so that a crash has no other effect."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from engine.core.backend import cpu
from engine.core.errors import EngineError
from engine.jobs.process.exit_reasons import exit_text
from engine.jobs.process.side_process import (
    GONE,
    Refused,
    SideProcess,
    leave_signals_alone,
    tell,
)
from engine.tools.resolution.measuring import (
    MeasuredResolution,
    ResolutionEvent,
    ResolutionRequest,
    measure_resolution,
)

LOOK_S = 0.1
"""Interval of checks for a request to stop."""


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
    last = False
    try:
        while not last:
            if not is_wanted():
                return
            message = process.receive(LOOK_S)
            if message is GONE:
                break
            if message is not None:
                last = isinstance(message, MeasuredResolution | Refused)
                yield message
    finally:
        # Also if the caller stops iterating: the process must not continue alone
        code = process.end()
    # No last message: the process has crashed or was killed
    if not last:
        yield Refused(f"The measurement stopped. {exit_text(code)} Start it again.")


def _main(request: ResolutionRequest, events: Connection, requests: Connection) -> None:
    leave_signals_alone()
    try:
        measure_resolution(request, on=cpu(), tell=lambda event: tell(events, event))
    except EngineError as e:
        tell(events, Refused(str(e)))
    except MemoryError:
        tell(events, Refused("there is not enough memory. Close other programs, and try again."))
    except Exception:  # noqa: BLE001  the last door: nothing may end without a word
        tell(events, Refused(f"internal error: {traceback.format_exc(limit=-1)}"))
    finally:
        events.close()
