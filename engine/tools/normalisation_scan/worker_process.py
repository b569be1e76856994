"""Create a normalisation in a separate process, so that a crash has no other effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection
from threading import Event

from engine.core.backend import cpu
from engine.jobs.process.side_process import (
    Refused,
    SideProcess,
    leave_signals_alone,
    run_commands,
    run_or_refuse,
    tell,
)
from engine.tools.normalisation_scan.measuring import (
    MeasuredNormalisation,
    NormalisationEvent,
    NormalisationRequest,
    measure,
)


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


ProcessEvent = NormalisationEvent | Paused | Refused | Stopped


def measure_in_process(
    request: NormalisationRequest,
    stop_request: Callable[[], StopRequest] = lambda: StopRequest.CONTINUE,
) -> Iterator[ProcessEvent]:
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
    process = SideProcess[ProcessEvent](_main, request, name="isocenter-normalise")
    asked = StopRequest.CONTINUE

    def goes_on() -> bool:
        nonlocal asked
        wanted = stop_request()
        # Only changes are sent: the process would otherwise read ten messages a second
        if wanted is not asked and wanted is not StopRequest.END:
            process.ask(wanted.value)
        asked = wanted
        return wanted is not StopRequest.END

    yield from process.messages((MeasuredNormalisation, Refused), goes_on)
    if asked is StopRequest.END:
        yield Stopped()


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

    run_or_refuse(lambda: measure(request, on=cpu(request.threads), tell=report), events)
