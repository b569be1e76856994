"""Search in a separate process, so that a variant that crashes has no other effect.

The caller then starts another process, which continues without the variant.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from engine.jobs.process.exit_reasons import exit_text
from engine.jobs.process.side_process import CLOSED, Refused
from engine.tools.tuning.outcome import Began, SearchEvent, TriedVariant, Trying
from engine.tools.tuning.problem import Values
from engine.tools.tuning.request import SearchRequest
from engine.tools.tuning.search_process import SearchPrepared, SearchProcess
from engine.tools.tuning.search_text import SearchEnded
from engine.tools.tuning.session import CRASHED

POLL_S = 0.1
"""Interval of checks for a stop."""
GRACE_S = 1.0
"""Time for the current run to end after a stop."""
OVERTIME_S = 15.0
"""Time beyond the budget after which a variant counts as hanging."""
MIN_S = 1.0
"""Least remaining time for another process."""
MAX_PROCESSES = 8

ProcessEvent = SearchPrepared | SearchEvent | SearchEnded | Refused


def search_in_processes(
    request: SearchRequest, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[ProcessEvent]:
    """Search in separate processes.

    Parameters
    ----------
    request
        request
    should_stop
        polled several times a second; True stops, and the result so far is stored

    Yields
    ------
    message
        problem and variants, and at the end `SearchEnded`, or `Refused` with a reason
    """
    yield from _SearchState(request, should_stop).events()


@dataclass
class _SearchState:
    """State of a search across its processes."""

    request: SearchRequest
    should_stop: Callable[[], bool]
    prepared: SearchPrepared | None = None
    trying: Values | None = None
    best: TriedVariant | None = None
    has_begun: bool = False
    is_stopped: bool = False

    def __post_init__(self) -> None:
        # Preparing the work does not count as search time
        self.begin, self.until = monotonic(), float("inf")
        self.seen: list[Values] = []
        self.unsure: list[Values] = []
        self.trials: Path | None = None

    @property
    def seconds_left(self) -> float:
        """Remaining time of the budget, which starts once the problem is known."""
        return max(0.0, min(self.until - monotonic(), self.request.budget_s))

    def events(self) -> Iterator[ProcessEvent]:
        """Yield the events of all processes, up to the end of the last one."""
        for _ in range(MAX_PROCESSES):
            # Each process gets the time that is left
            process = SearchProcess(replace(self.request, budget_s=max(self.seconds_left, 1e-3)))
            try:
                last = yield from self._draw(process)
            finally:
                code = process.end()
            if isinstance(last, Refused):
                yield last
                return
            # The process died: by the current variant if there is one
            if last is None and not self.is_stopped:
                # Without a variant at fault, the next process would die in the same way
                if self.trying is None:
                    yield Refused(self._end_text(code))
                    return
                yield self._crashed(code)
            elif last is None:
                # Otherwise the next session would count this variant as faulty
                self._clear_note()
            if self.is_stopped or (isinstance(last, SearchEnded) and not last.is_lost):
                yield self._ended(last)
                return
            # Starting a process takes about as long
            if self.seconds_left < MIN_S:
                break
        yield self._ended(None)

    def _draw(
        self, process: SearchProcess
    ) -> Generator[ProcessEvent, None, SearchEnded | Refused | None]:
        """Yield the messages of a process; return its last one, None if it died."""
        asked_at: float | None = None
        self.trying = None
        while True:
            message = process.receive(POLL_S)
            if message is CLOSED:
                return None
            if isinstance(message, SearchEnded | Refused):
                return message
            if message is not None and self._is_new(message):
                yield message
            now = monotonic()
            if asked_at is None and self.should_stop():
                asked_at, self.is_stopped = now, True
                process.stop()
            # before the first variant there is nothing to store
            waits_for_form = self.has_begun and asked_at is not None and now < asked_at + GRACE_S
            if asked_at is not None and not waits_for_form:
                return None
            # A kernel that hangs ends only with its process
            if now > self.until + OVERTIME_S:
                return None

    def _is_new(self, message: SearchPrepared | SearchEvent) -> bool:
        """Process a message; return True if no earlier process sent the same."""
        if isinstance(message, SearchPrepared):
            is_first, self.trials = self.prepared is None, message.trials
            if is_first:
                self.prepared, self.until = message, monotonic() + self.request.budget_s
            return is_first
        if isinstance(message, Began):
            is_first, self.has_begun = not self.has_begun, True
            return is_first
        if isinstance(message, Trying):
            self.trying = message.values
            return True
        self.trying = None
        if message.is_best:
            self.best = message
        if message.is_unsure and message.values not in self.unsure:
            self.unsure.append(message.values)
        is_new = message.values not in self.seen
        if is_new:
            self.seen.append(message.values)
        return is_new or message.is_best

    def _crashed(self, code: int | None) -> TriedVariant:
        """Count the current variant as faulty, so that the next process leaves it out."""
        values: Values = self.trying or {}
        hangs = monotonic() > self.until + OVERTIME_S
        ended = exit_text(code).removesuffix(".")
        fault = "the program did not end" if hangs else f"{CRASHED}. {ended}"
        # The next process gets the list with its request
        self.request = replace(self.request, crashed=(*self.request.crashed, values))
        self.seen.append(values)
        return TriedVariant(values, None, None, fault, self.seconds_left)

    def _end_text(self, code: int | None) -> str:
        saved = " The best variant so far is saved." if self.best is not None else ""
        return f"The search stopped. {exit_text(code)}{saved} Try again, or use a smaller problem."

    def _clear_note(self) -> None:
        """Delete the note about the current variant, which we have ended ourselves."""
        if self.trials is not None:
            self.trials.with_suffix(".trying").unlink(missing_ok=True)

    def _ended(self, last: SearchEnded | None) -> SearchEnded:
        """Return the summary of all processes."""
        was_stored = self.prepared is not None and self.prepared.was_stored
        best = self.best
        of_best = last if last is not None else best
        return SearchEnded(
            n_tried=len(self.seen),
            seconds=monotonic() - self.begin,
            best=last.best if last is not None else best.values if best is not None else None,
            comparison=of_best.comparison if of_best is not None else None,
            was_stored=was_stored,
            is_stored=last.is_stored if last is not None else was_stored or best is not None,
            was_stopped=self.is_stopped,
            n_unsure=len(self.unsure),
        )
