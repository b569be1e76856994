"""`isocenter live watch`: show the frames of a source without reconstruction."""

from __future__ import annotations

import argparse
import json
from collections import deque
from time import monotonic

import numpy as np

from engine.cli.console import Console
from engine.cli.live.source import (
    add_geometry,
    add_source,
    event_source_of,
    has_events,
    network_note,
    source_of,
    stored_geometry,
)
from engine.cli.verbs import Verbs
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.data.formatting import counted
from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Ended, Frame, SourceEvent
from engine.live.receiving.limits import UNKNOWN_BYTES

EVERY_S = 1.0
RATE_OF = 200
"""Number of frames for the average rate."""


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter live watch`, which tests a source without a reconstruction."""
    p = verbs.add_parser("watch", help="show frames, rate and losses of a source")
    add_source(p)
    add_geometry(p, f"frames of a network stream have at most {UNKNOWN_BYTES >> 20} MiB")
    p.add_argument("--json", action="store_true", help="print each frame and event as a JSON line")
    p.set_defaults(act=_watch)


def _watch(arguments: argparse.Namespace, console: Console) -> None:
    if has_events(arguments):
        if arguments.geometry is not None:
            raise SettingsError("--geometry is for X-ray scans. Use --scanner for list mode.")
        from engine.cli.live.watch_events import watch_events

        watch_events(
            event_source_of(arguments),
            console,
            as_json=arguments.json,
            note=network_note(arguments),
        )
        return
    # The source is read in a thread, and every frame arrives here in order
    geometry = stored_geometry(arguments.geometry)
    source = source_of(arguments, None if geometry is None else geometry.shape)
    with Arrivals(source) as arrivals:
        kind = _JsonWatch if arguments.json else _Watch
        watch = kind(console, arrivals, network_note(arguments))
        for arrival in arrivals:
            if isinstance(arrival, Frame):
                watch.show(arrival)
            else:
                watch.show_event(arrival)


class _JsonWatch:
    """Prints every frame and event as a JSON line."""

    def __init__(self, console: Console, arrivals: Arrivals, note: str = "") -> None:
        self._console, self._arrivals, self._network = console, arrivals, bool(note)

    def show(self, frame: Frame) -> None:
        values: Plain = {
            "kind": frame.kind.name.lower(),
            "index": frame.index,
            # A source without angles is valid: PVAccess and folders may have none
            "angle_deg": None if frame.angle_rad is None else np.degrees(frame.angle_rad),
            "shape": list(frame.values.shape),
            "type": frame.values.dtype.name,
            "mean": float(frame.values.mean()),
            "arrived_s": frame.arrived_s,
            # Since the previous line: never arrived, or arrived too fast to be printed
            "lost": frame.lost,
            "skipped_so_far": self._arrivals.dropped,
            "network": self._network,
        }
        self._console.line(json.dumps(values))

    def show_event(self, event: SourceEvent) -> None:
        self._console.line(json.dumps({"kind": type(event).__name__.lower(), "text": event.text}))


class _Watch:
    """Prints events immediately, and the newest frame once a second."""

    def __init__(self, console: Console, arrivals: Arrivals, note: str = "") -> None:
        self._console, self._arrivals, self._note = console, arrivals, note
        # The rate of the last 200 frames follows changes, unlike the average of the scan
        self._times: deque[float] = deque(maxlen=RATE_OF)
        self._last: Frame | None = None
        self._shown_s = monotonic()
        self._lost = 0

    def show(self, frame: Frame) -> None:
        self._times.append(frame.arrived_s)
        self._lost += frame.lost
        self._last = frame
        if monotonic() - self._shown_s >= EVERY_S:
            self._show_newest()

    def show_event(self, event: SourceEvent) -> None:
        # The last figures would otherwise be up to a second old
        if isinstance(event, Ended):
            self._show_newest()
        self._console.line(event.text)

    def _show_newest(self) -> None:
        frame, self._shown_s = self._last, monotonic()
        if frame is None:
            return
        at = "" if frame.angle_rad is None else f" at {np.degrees(frame.angle_rad):.2f}°"
        rows, columns = frame.values.shape
        self._console.line(
            f"  {frame.kind.name.lower()} {frame.index}{at}, {columns} × {rows} "
            f"{frame.values.dtype.name}, mean {frame.values.mean():,.6g}; {self._rate()}; "
            f"{counted(self._arrivals.arrived, 'frame')}, {self._counts()}{self._note}"
        )

    def _counts(self) -> str:
        # Frames that arrived too fast for this display are not lost on the way
        skipped = self._arrivals.dropped
        words = f"{max(self._lost - skipped, 0):,} lost"
        return f"{words}, {skipped:,} not displayed" if skipped else words

    def _rate(self) -> str:
        if len(self._times) < 2 or self._times[-1] <= self._times[0]:
            return "no rate yet"
        rate = (len(self._times) - 1) / (self._times[-1] - self._times[0])
        return f"{rate:.1f} frames/s"
