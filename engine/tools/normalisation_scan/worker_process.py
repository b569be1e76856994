"""Create a normalisation in a separate process, so that a crash has no other effect."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection
from threading import Event

from engine.core.backend import cpu
from engine.core.errors import EngineError
from engine.jobs.process.exit_reasons import exit_text
from engine.jobs.process.side_process import (
    GONE,
    Refused,
    SideProcess,
    leave_signals_alone,
    run_commands,
    tell,
)
from engine.tools.normalisation_scan.measuring import (
    MeasuredNormalisation,
    NormalisationEvent,
    NormalisationRequest,
    measure,
)

LOOK_S = 0.1
"""Interval of checks for a request."""


class StopRequest(Enum):
    """Request of the caller."""

    CONTINUE = "go"
    PAUSE = "rest"
    END = "end"


@dataclass(frozen=True)
class Paused:
    """The measurement pauses after the current step, or continues.

    Attributes
    ----------
    is_paused : True while it is paused
    """

    is_paused: bool


@dataclass(frozen=True)
class Stopped:
    """The measurement was ended on request; nothing is stored."""


ApartEvent = NormalisationEvent | Paused | Refused | Stopped


def measure_in_process(
    request: NormalisationRequest,
    stop_request: Callable[[], StopRequest] = lambda: StopRequest.CONTINUE,
) -> Iterator[ApartEvent]:
    """Create a normalisation in a separate process.

    Parameters
    ----------
    request
        scans and source
    stop_request
        polled several times a second

    Yields
    ------
    event
        progress, and at the end `MeasuredNormalisation`, `Stopped` or `Refused` with a reason
    """
    process = SideProcess[ApartEvent](_main, request, name="isocenter-normalise")
    asked, last = StopRequest.CONTINUE, False
    try:
        while not last:
            wanted = stop_request()
            if wanted is StopRequest.END:
                yield Stopped()
                return
            # Only changes are sent: the process would otherwise read ten messages a second
            if wanted is not asked:
                asked = wanted
                process.ask(wanted.value)
            message = process.receive(LOOK_S)
            if message is GONE:
                break
            if message is not None:
                last = isinstance(message, MeasuredNormalisation | Refused)
                yield message
    finally:
        # Also if the caller stops iterating: the process must not continue alone
        code = process.end()
    # No last message: the process has crashed or was killed
    if not last:
        yield Refused(f"The measurement stopped. {exit_text(code)} Start it again.")


def _main(request: NormalisationRequest, events: Connection, requests: Connection) -> None:
    leave_signals_alone()
    # Set while the measurement may work
    goes = Event()
    goes.set()
    run_commands(
        requests, lambda word: goes.clear() if word == StopRequest.PAUSE.value else goes.set()
    )

    def report(event: NormalisationEvent) -> None:
        tell(events, event)
        # The result itself does not wait, even if a pause was requested
        if not goes.is_set() and not isinstance(event, MeasuredNormalisation):
            tell(events, Paused(True))
            goes.wait()
            tell(events, Paused(False))

    try:
        measure(request, on=cpu(request.threads), tell=report)
    except EngineError as e:
        tell(events, Refused(str(e)))
    except MemoryError:
        tell(events, Refused("there is not enough memory. Close other programs, and try again."))
    except Exception:  # noqa: BLE001  the last door: nothing may end without a word
        tell(events, Refused(f"internal error: {traceback.format_exc(limit=-1)}"))
    finally:
        events.close()
