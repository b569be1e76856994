"""Time frames and gates of a list-mode scan, and their images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.core.json_types import Plain
from engine.data.volume import Volume

MOST_FRAMES = 1000
MS = 1000


class Gate(NamedTuple):
    """A part of a repeated cycle.

    Attributes
    ----------
    number, n_gates : its place in the cycle, from 1, and how many parts that has
    used_ms : how much of the scan's time is in it [ms]
    """

    number: int
    n_gates: int
    used_ms: int


@dataclass(frozen=True)
class TimeFrame:
    """One frame, or one gate.

    Attributes
    ----------
    start_ms, end_ms : since the scan began; an event at the end is in the next one. Of a gate, when
        it begins first and when it ends last
    gate : which part of a cycle it is; None: all time from start to end

    Examples
    --------
    >>> from engine.data.timing.time_frames import Gate, TimeFrame
    >>> TimeFrame(60_000, 90_000).describe()
    '60 to 90 s'
    >>> TimeFrame(210, 599_740, Gate(3, 8, 71_300)).describe()
    'gate 3 of 8, 71.3 s'
    """

    start_ms: int
    end_ms: int
    gate: Gate | None = None

    @property
    def start_s(self) -> float:
        """When it begins [s]."""
        return self.start_ms / MS

    @property
    def duration_s(self) -> float:
        """Duration of the frame [s]."""
        return (self.gate.used_ms if self.gate else self.end_ms - self.start_ms) / MS

    def facts(self) -> Plain:
        """Return when it is, for provenance; of a gate also which one and when it ends last."""
        facts: Plain = {"start_s": self.start_s, "duration_s": self.duration_s}
        if self.gate is None:
            return facts
        place = {"gate": self.gate.number, "n_gates": self.gate.n_gates}
        return {**facts, "end_s": self.end_ms / MS, **place}

    def describe(self) -> str:
        """Return when it begins and ends; of a gate, its place and how much time it holds."""
        if self.gate:
            return f"gate {self.gate.number} of {self.gate.n_gates}, {self.duration_s:g} s"
        return f"{self.start_s:g} to {self.end_ms / MS:g} s"


def join_up(frames: Sequence[TimeFrame]) -> bool:
    """Return True if frames begin with the scan and each where the one before it ends."""
    starts = [0, *(frame.end_ms for frame in frames[:-1])]
    pairs = zip(frames, starts, strict=True)
    return all(frame.gate is None and frame.start_ms == start for frame, start in pairs)


def bids_times(frames: Sequence[TimeFrame]) -> Plain:
    """Return when frames are, as BIDS calls it; of gates only how much time each holds."""
    lengths = [frame.duration_s for frame in frames]
    if any(frame.gate for frame in frames):
        return {"GateDuration": lengths}
    return {"FrameTimesStart": [frame.start_s for frame in frames], "FrameDuration": lengths}


class FrameVolume(NamedTuple):
    """A frame and its image."""

    frame: TimeFrame
    volume: Volume
