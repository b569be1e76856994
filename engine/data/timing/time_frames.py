"""Time frames and gates of a list-mode scan, and their images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.core.json_types import Plain
from engine.data.volume import Volume

MAX_FRAMES = 1000
MS = 1000


class Gate(NamedTuple):
    """Part of a repeated cycle.

    Attributes
    ----------
    number, n_gates : number of the gate in the cycle, from 1, and number of gates
    used_ms : time of the scan in this gate [ms]
    """

    number: int
    n_gates: int
    used_ms: int


@dataclass(frozen=True)
class TimeFrame:
    """One frame, or one gate.

    Attributes
    ----------
    start_ms, end_ms : since the start of the scan; an event at the end is in the next frame. For a
        gate its first start and its last end
    gate : part of a cycle; None: all time from start to end

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
        """Start of the frame [s]."""
        return self.start_ms / MS

    @property
    def duration_s(self) -> float:
        """Duration of the frame [s]."""
        return (self.gate.used_ms if self.gate else self.end_ms - self.start_ms) / MS

    def facts(self) -> Plain:
        """Return start and duration for provenance; for a gate also its number and last end."""
        facts: Plain = {"start_s": self.start_s, "duration_s": self.duration_s}
        if self.gate is None:
            return facts
        # a gate has parts in many cycles: only its first start and last end are known here
        place = {"gate": self.gate.number, "n_gates": self.gate.n_gates}
        return {**facts, "end_s": self.end_ms / MS, **place}

    def describe(self) -> str:
        """Return start and end as text; for a gate its number and the time in it."""
        if self.gate:
            return f"gate {self.gate.number} of {self.gate.n_gates}, {self.duration_s:g} s"
        return f"{self.start_s:g} to {self.end_ms / MS:g} s"


def join_up(frames: Sequence[TimeFrame]) -> bool:
    """Return True if frames cover the time from the start of the scan without gaps.

    Parameters
    ----------
    frames
        frames in order; for gates the result is False
    """
    # each frame must start at the end of the previous one
    starts = [0, *(frame.end_ms for frame in frames[:-1])]
    pairs = zip(frames, starts, strict=True)
    return all(frame.gate is None and frame.start_ms == start for frame, start in pairs)


def bids_times(frames: Sequence[TimeFrame]) -> Plain:
    """Return the times of frames under BIDS names; for gates only the time in each.

    Parameters
    ----------
    frames
        frames or gates of a scan

    Returns
    -------
    "FrameTimesStart" and "FrameDuration" in s, or "GateDuration"
    """
    lengths = [frame.duration_s for frame in frames]
    # A gate has many parts, so a start time would be misleading.
    if any(frame.gate for frame in frames):
        return {"GateDuration": lengths}
    return {"FrameTimesStart": [frame.start_s for frame in frames], "FrameDuration": lengths}


def info_of_frame(info: Plain, frame: TimeFrame) -> Plain:
    """Return the origin of one frame, from that of all frames.

    It states only the times of this frame, so that no program takes it for the whole scan.

    Parameters
    ----------
    info
        origin of the image of all frames as JSON values
    frame
        frame or gate
    """
    found = info.get("scan")
    scan = {**(found if isinstance(found, dict) else {}), "frames": [frame.facts()]}
    return {**info, "scan": scan, **bids_times([frame])}


class FrameVolume(NamedTuple):
    """A frame and its image."""

    frame: TimeFrame
    volume: Volume
