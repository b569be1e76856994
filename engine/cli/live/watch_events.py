"""`isocenter live watch` for list-mode PET: show events without reconstruction."""

from __future__ import annotations

import json
from time import monotonic

from engine.cli.console import Console
from engine.core.json_types import Plain
from engine.data.formatting import counted
from engine.live.core.frame import Ended, SourceEvent
from engine.live.pet.event_arrivals import EventArrivals
from engine.live.pet.event_batch import EventBatch, EventSource

EVERY_S = 1.0


def watch_events(source: EventSource, console: Console, *, as_json: bool, note: str = "") -> None:
    """Print batches of list mode and events of the source until it ends.

    Parameters
    ----------
    source
        source of list-mode events
    console
        receives the lines
    as_json
        True to print each batch as a JSON line; False for count rates once a second
    note
        end of each line of count rates
    """
    with EventArrivals(source) as arrivals:
        kind = _JsonWatch if as_json else _Watch
        watch = kind(console, arrivals, note)
        for arrival in arrivals:
            if isinstance(arrival, EventBatch):
                watch.show(arrival)
            else:
                watch.show_event(arrival)


class _JsonWatch:
    """Prints every batch and event as a JSON line."""

    def __init__(self, console: Console, arrivals: EventArrivals, note: str = "") -> None:
        self._console, self._arrivals, self._network = console, arrivals, bool(note)

    def show(self, batch: EventBatch) -> None:
        values: Plain = {
            "kind": "events",
            "first": batch.first,
            "prompts": batch.events.n_prompts,
            "delayeds": batch.events.n_delayed,
            "from_s": batch.span_s[0],
            "until_s": batch.span_s[1],
            "arrived_s": batch.arrived_s,
            # Since the previous line: never arrived, or arrived too fast to be printed
            "lost": batch.lost,
            "skipped_so_far": self._arrivals.dropped,
            "network": self._network,
        }
        self._console.line(json.dumps(values))

    def show_event(self, event: SourceEvent) -> None:
        self._console.line(json.dumps({"kind": type(event).__name__.lower(), "text": event.text}))


class _Watch:
    """Prints events immediately, and count rates once a second."""

    def __init__(self, console: Console, arrivals: EventArrivals, note: str = "") -> None:
        self._console, self._arrivals, self._note = console, arrivals, note
        self._shown_s = monotonic()
        self._lost = 0
        self._prompts = self._delayeds = 0
        self._from_s: float | None = None
        self._until_s = 0.0
        self._scanner = ""

    def show(self, batch: EventBatch) -> None:
        events = batch.events
        self._scanner = events.scanner.name
        self._lost += batch.lost
        self._prompts += events.n_prompts
        self._delayeds += events.n_delayed
        first_s, self._until_s = batch.span_s
        self._from_s = first_s if self._from_s is None else self._from_s
        if monotonic() - self._shown_s >= EVERY_S:
            self._show_newest()

    def show_event(self, event: SourceEvent) -> None:
        if isinstance(event, Ended):
            self._show_newest()
        self._console.line(event.text)

    def _counts(self) -> str:
        # Events that arrived too fast for this display are not lost on the way
        skipped = self._arrivals.dropped
        words = f"{max(self._lost - skipped, 0):,} lost"
        return f"{words}, {skipped:,} not displayed" if skipped else words

    def _show_newest(self) -> None:
        self._shown_s = monotonic()
        if self._from_s is None:
            return
        # At least 1 ms: a batch may have all its events in the same millisecond
        seconds = max(self._until_s - self._from_s, 1e-3)
        self._console.line(
            f"  {self._scanner} at {self._until_s:.1f} s: "
            f"{self._prompts / seconds:,.0f} prompts/s, {self._delayeds / seconds:,.0f} "
            f"delayeds/s; {counted(self._arrivals.arrived, 'event')}, {self._counts()}{self._note}"
        )
        # Rates are of the last second only, counts of the whole scan
        self._from_s, self._prompts, self._delayeds = None, 0, 0
