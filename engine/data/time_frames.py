"""Frames of time of a list-mode scan: which event is in which, and what part of the background.

Frame f holds the events of start_f ≤ t < end_f, and each frame begins where the one before ends, so
that an event is in one frame at most. Of the expected background of an event's line in the whole
scan, r randoms and s scatter, a frame expects

    r d_f / Σ d + s (p_f − d_f) / (Σ p − Σ d)

with d delayeds (seconds, where none were counted) and p prompts of the frame and of the scan. The
parts of frames that cover the scan add up to 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.errors import DataError

MOST_FRAMES = 1000
MS = 1000
_TIMES = re.compile(r"\s*[x×*]\s*")
_PART = re.compile(r"(?:(?P<n>\d+)x)?(?P<seconds>\d+(?:\.\d*)?|\.\d+)")
_EQUAL = re.compile(r"n\s*=\s*(?P<n>\d+)")
WANTED = "want lengths in seconds, such as 10x60,5x300, or n=20 for frames of as many prompts each"


@dataclass(frozen=True)
class TimeFrame:
    """One frame.

    Attributes
    ----------
    start_ms, end_ms : since the scan began; an event at the end is in the next one

    Examples
    --------
    >>> from engine.data.time_frames import TimeFrame
    >>> TimeFrame(60_000, 90_000).describe()
    '60 to 90 s'
    """

    start_ms: int
    end_ms: int

    @property
    def start_s(self) -> float:
        """When it begins [s]."""
        return self.start_ms / MS

    @property
    def duration_s(self) -> float:
        """How long it is [s]."""
        return (self.end_ms - self.start_ms) / MS

    def describe(self) -> str:
        """Return when it begins and ends."""
        return f"{self.start_s:g} to {self.end_ms / MS:g} s"

    def holds(self, time_ms: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which times are in it."""
        return np.asarray((time_ms >= self.start_ms) & (time_ms < self.end_ms))


class FrameVolume(NamedTuple):
    """A frame and its image."""

    frame: TimeFrame
    volume: Volume


@dataclass(frozen=True)
class FrameRequest:
    """The frames that are wanted.

    Attributes
    ----------
    ends_ms : of frames one after the other, from the start of the scan
    n_equal : number of frames of as many prompts each, in place of those
    """

    ends_ms: tuple[int, ...] = ()
    n_equal: int = 0

    @property
    def n_frames(self) -> int:
        """How many there are."""
        return self.n_equal or len(self.ends_ms)

    @classmethod
    def of(cls, text: str) -> FrameRequest | None:
        """Read "10x60,5x300" or "n=20"; None where nothing is wanted.

        Raises
        ------
        ValueError
            where the text says neither
        """
        text = text.strip()
        if not text:
            return None
        equal = _EQUAL.fullmatch(text)
        if equal:
            n = int(equal["n"])
            _refuse_number(n)
            return cls(n_equal=n)
        lengths: list[int] = []
        for part in re.split(r"[,;\s]+", _TIMES.sub("x", text)):
            found = _PART.fullmatch(part)
            if found is None:
                raise ValueError(f"{part!r} is no frame; {WANTED}")
            n, seconds = int(found["n"] or 1), float(found["seconds"])
            _refuse_number(len(lengths) + n)
            ms = round(seconds * MS)
            if ms < 1 or abs(ms - seconds * MS) > 1e-6:
                raise ValueError(f"a frame of {seconds:g} s; events are known to whole ms")
            lengths += [ms] * n
        return cls(tuple(np.cumsum(lengths).tolist()))

    def frames(self, data: ListMode) -> tuple[TimeFrame, ...]:
        """Return the frames of a scan, up to its end.

        Raises
        ------
        DataError
            where its events have no times, or too few different ones
        """
        if data.time_ms is None:
            raise DataError(
                "the scan holds no times of its events, so it has no frames; leave them out, or "
                "choose list mode with times."
            )
        ends = self.ends_ms or self._equal_ends(data.prompts.time_ms)
        starts = (0, *ends[:-1])
        over_ms = length_ms(data)
        return tuple(
            TimeFrame(start, min(end, over_ms))
            for start, end in zip(starts, ends, strict=True)
            if start < over_ms
        )

    def remark(self, frames: Sequence[TimeFrame]) -> str:
        """Say that a scan ended before all frames had; empty if it did not."""
        if self.n_equal or (len(frames), frames[-1].end_ms) == (self.n_frames, self.ends_ms[-1]):
            return ""
        left_out = self.n_frames - len(frames)
        missing = f", and {left_out} of {self.n_frames} frames are left out" if left_out else ""
        return (
            f"The scan ends after {frames[-1].end_ms / MS:g} s: frame {len(frames)} is "
            f"{frames[-1].duration_s:g} s long{missing}."
        )

    def _equal_ends(self, time_ms: NDArray[np.uint32] | None) -> tuple[int, ...]:
        times = np.sort(np.asarray(time_ms))
        places = np.arange(1, self.n_equal) * len(times) // self.n_equal
        ends = [*times[places].tolist(), int(times[-1]) + 1]
        if any(a >= b for a, b in zip((0, *ends[:-1]), ends, strict=True)):
            raise DataError(
                f"{len(times):,} prompts do not share out over {self.n_equal} frames of whole "
                "milliseconds; ask for fewer frames."
            )
        return tuple(ends)


def _refuse_number(n: int) -> None:
    if not 1 <= n <= MOST_FRAMES:
        raise ValueError(f"{n} frames; want 1 to {MOST_FRAMES}")


@dataclass(frozen=True)
class FrameShares:
    """Parts of the scan's background that frames expect, each (n_frames,).

    Attributes
    ----------
    randoms : of what is expected before scatter
    scatter : of the scatter
    """

    randoms: NDArray[np.float64]
    scatter: NDArray[np.float64]

    @classmethod
    def of(cls, data: ListMode, frames: Sequence[TimeFrame]) -> FrameShares:
        """Return the parts of the frames of a scan, by its prompts and delayeds."""
        times = np.asarray(data.time_ms)
        late = np.zeros(len(times), bool) if data.delayed is None else data.delayed
        prompts, delayeds = _counted(times[~late], frames), _counted(times[late], frames)
        n_delayed = int(np.count_nonzero(late))
        if n_delayed:
            randoms = delayeds / n_delayed
        else:
            randoms = np.array([f.end_ms - f.start_ms for f in frames]) / length_ms(data)
        trues = prompts - delayeds
        total = max(len(times) - 2 * n_delayed, 1)
        share = max(float(trues.sum()), 0.0) / total
        trues = np.maximum(trues, 0)  # a frame with more delayeds than prompts has no scatter
        return cls(randoms, share * trues / max(float(trues.sum()), 1.0))


def length_ms(data: ListMode) -> int:
    """Return the length of a scan with times: as it says, and no less than its last event."""
    times = np.asarray(data.time_ms)
    last = int(times.max()) + 1 if len(times) else 1
    return max(round(data.duration_s * MS), last)


def _counted(times: NDArray[np.uint32], frames: Sequence[TimeFrame]) -> NDArray[np.float64]:
    edges = [*(frame.start_ms for frame in frames), frames[-1].end_ms]
    places = np.searchsorted(np.sort(times), edges)
    return np.diff(places).astype(np.float64)
