"""A search in a process of its own: a form that crashes takes that process, and nothing else.

Whoever draws it starts another process then, which goes on without the form.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from engine.jobs.process.exit_reasons import how_it_ended
from engine.jobs.process.side_process import GONE, Refused
from engine.tools.tuning.outcome import Began, SearchEvent, TriedForm, Trying
from engine.tools.tuning.problem import Values
from engine.tools.tuning.request import SearchRequest
from engine.tools.tuning.search_process import SearchPrepared, SearchProcess
from engine.tools.tuning.search_text import SearchEnded
from engine.tools.tuning.session import CRASHED

LOOK_S = 0.1
"""Between two looks whether the end is wanted."""
GRACE_S = 1.0
"""Time for the run at hand to end by itself once the end is wanted."""
OVERTIME_S = 15.0
"""Beyond the budget: a form that runs as long hangs."""
LEAST_S = 1.0
"""Time left that is worth another process."""
MOST_PROCESSES = 8

ApartEvent = SearchPrepared | SearchEvent | SearchEnded | Refused


def search_in_processes(
    request: SearchRequest, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[ApartEvent]:
    """Search in processes of their own.

    Parameters
    ----------
    request
        what is searched for
    should_stop
        asked several times a second whether to stop; what was found is kept

    Yields
    ------
    message
        what is worked on, each form; at last `SearchEnded`, or `Refused` with a sentence
    """
    yield from _SearchState(request, should_stop).events()


@dataclass
class _SearchState:
    """What is known of a search across its processes."""

    request: SearchRequest
    should_stop: Callable[[], bool]
    prepared: SearchPrepared | None = None
    trying: Values | None = None
    best: TriedForm | None = None
    has_begun: bool = False
    is_stopped: bool = False

    def __post_init__(self) -> None:
        self.begin, self.until = monotonic(), float("inf")
        self.seen: list[Values] = []
        self.unsure: list[Values] = []
        self.trials: Path | None = None

    @property
    def seconds_left(self) -> float:
        """Time left of the budget, which begins once the work is known."""
        return max(0.0, min(self.until - monotonic(), self.request.budget_s))

    def events(self) -> Iterator[ApartEvent]:
        """Yield what all processes tell, up to the end of the last."""
        for _ in range(MOST_PROCESSES):
            process = SearchProcess(replace(self.request, budget_s=max(self.seconds_left, 1e-3)))
            try:
                last = yield from self._draw(process)
            finally:
                code = process.end()
            if isinstance(last, Refused):
                yield last
                return
            if last is None and not self.is_stopped:
                if self.trying is None:
                    yield Refused(self._last_words(code))
                    return
                yield self._crashed(code)
            elif last is None:
                self._clear_note()
            if self.is_stopped or (isinstance(last, SearchEnded) and not last.is_lost):
                yield self._ended(last)
                return
            if self.seconds_left < LEAST_S:
                break
        yield self._ended(None)

    def _draw(
        self, process: SearchProcess
    ) -> Generator[ApartEvent, None, SearchEnded | Refused | None]:
        """Yield what a process tells; returns its last word, None where it had none."""
        asked_at: float | None = None
        self.trying = None
        while True:
            message = process.receive(LOOK_S)
            if message is GONE:
                return None
            if isinstance(message, SearchEnded | Refused):
                return message
            if message is not None and self._is_new(message):
                yield message
            now = monotonic()
            if asked_at is None and self.should_stop():
                asked_at, self.is_stopped = now, True
                process.stop()
            # before the first form there is nothing to keep
            waits_for_form = self.has_begun and asked_at is not None and now < asked_at + GRACE_S
            if asked_at is not None and not waits_for_form:
                return None
            if now > self.until + OVERTIME_S:
                return None

    def _is_new(self, message: SearchPrepared | SearchEvent) -> bool:
        """Take a message; whether no earlier process sent the like."""
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

    def _crashed(self, code: int | None) -> TriedForm:
        """Count the form at trial as faulty, so that the next process leaves it out."""
        values: Values = self.trying or {}
        hangs = monotonic() > self.until + OVERTIME_S
        fault = "it did not end" if hangs else f"{CRASHED}: {how_it_ended(code)}"
        self.request = replace(self.request, crashed=(*self.request.crashed, values))
        self.seen.append(values)
        return TriedForm(values, None, None, fault, self.seconds_left)

    def _last_words(self, code: int | None) -> str:
        kept = " The best form so far is kept." if self.best is not None else ""
        return f"The search stopped: {how_it_ended(code)}.{kept} Try again, or with less work."

    def _clear_note(self) -> None:
        """Take away the note of the form at trial: it was ended by us, and is no worse for it."""
        if self.trials is not None:
            self.trials.with_suffix(".trying").unlink(missing_ok=True)

    def _ended(self, last: SearchEnded | None) -> SearchEnded:
        """Return what all processes came to."""
        had_one = self.prepared is not None and self.prepared.had_one
        best = self.best
        of_best = last if last is not None else best
        return SearchEnded(
            n_tried=len(self.seen),
            seconds=monotonic() - self.begin,
            best=last.best if last is not None else best.values if best is not None else None,
            comparison=of_best.comparison if of_best is not None else None,
            had_one=had_one,
            has_one=last.has_one if last is not None else had_one or best is not None,
            was_stopped=self.is_stopped,
            n_unsure=len(self.unsure),
        )
