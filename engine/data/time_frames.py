"""Frames of time of a list-mode scan: which event is in which, and what part of the background.

Frame f holds the events of start_f ≤ t < end_f, and no frame begins before the one before it ends,
so that an event is in one frame at most; between two frames there may be time that is in none. Of
the expected background of an event's line in the whole scan, r randoms and s scatter, a frame
expects

    r d_f / Σ d + s (p_f − d_f) / (Σ p − Σ d)

with d delayeds (seconds, where none were counted) and p prompts of the frame and of the scan. The
parts of frames that cover the scan add up to 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
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
_DASH = re.compile(r"\s*[-\N{EN DASH}]\s*")
_SPAN = re.compile(r"(?P<start>\d+(?:\.\d*)?|\.\d+)-(?P<end>\d+(?:\.\d*)?|\.\d+)")
WANTED = (
    "want lengths in seconds, such as 10x60,5x300, or starts and ends since the scan began, such "
    "as 0-60,120-180, or n=20 for frames of as many prompts each"
)


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


def join_up(frames: Sequence[TimeFrame]) -> bool:
    """Whether frames begin with the scan and each where the one before it ends."""
    starts = [0, *(frame.end_ms for frame in frames[:-1])]
    return all(frame.start_ms == start for frame, start in zip(frames, starts, strict=True))


class FrameVolume(NamedTuple):
    """A frame and its image."""

    frame: TimeFrame
    volume: Volume


@dataclass(frozen=True)
class FrameRequest:
    """The frames that are wanted.

    Attributes
    ----------
    spans_ms : start and end of each since the scan began, in order, none into the next
    n_equal : number of frames of as many prompts each, in place of those
    """

    spans_ms: tuple[tuple[int, int], ...] = ()
    n_equal: int = 0

    @property
    def n_frames(self) -> int:
        """How many there are."""
        return self.n_equal or len(self.spans_ms)

    @classmethod
    def of(cls, text: str) -> FrameRequest | None:
        """Read "10x60,5x300", "0-60,120-180" or "n=20"; None where nothing is wanted.

        Raises
        ------
        ValueError
            where the text says none of them
        """
        text = text.strip()
        if not text:
            return None
        equal = _EQUAL.fullmatch(text)
        if equal:
            n = int(equal["n"])
            _refuse_number(n)
            return cls(n_equal=n)
        parts = re.split(r"[,;\s]+", _DASH.sub("-", _TIMES.sub("x", text)))
        return cls(_spans(parts) if _SPAN.fullmatch(parts[0]) else _one_after_the_other(parts))

    def frames(self, data: ListMode) -> tuple[TimeFrame, ...]:
        """Return the frames of a scan, up to its end.

        Raises
        ------
        DataError
            where its events have no times, or too few different ones, or it ended before all frames
        """
        if data.time_ms is None:
            raise DataError(
                "the scan holds no times of its events, so it has no frames; leave them out, or "
                "choose list mode with times."
            )
        spans = self.spans_ms or _joined(self._equal_ends(data.prompts.time_ms))
        over_ms = length_ms(data)
        if spans[0][0] >= over_ms:
            raise DataError(
                f"the first frame begins at {spans[0][0] / MS:g} s, and the scan ends after "
                f"{over_ms / MS:g} s; ask for frames within it."
            )
        return tuple(TimeFrame(start, min(end, over_ms)) for start, end in spans if start < over_ms)

    def remark(self, frames: Sequence[TimeFrame]) -> str:
        """Say that a scan ended before all frames had; empty if it did not."""
        n, k = self.n_frames, len(frames)
        if self.n_equal or (k == n and frames[-1].end_ms == self.spans_ms[-1][1]):
            return ""
        left_out = f"{n - k} of {n} frames are left out"
        if frames[-1].end_ms == self.spans_ms[k - 1][1]:
            return f"The scan has ended when frame {k + 1} begins: {left_out}."
        missing = f", and {left_out}" if k < n else ""
        return (
            f"The scan ends after {frames[-1].end_ms / MS:g} s: frame {k} is "
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


def _one_after_the_other(parts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Read lengths, of which each begins where the one before ends."""
    lengths: list[int] = []
    for part in parts:
        found = _PART.fullmatch(part)
        if found is None:
            raise ValueError(_no_frame(part, span=_SPAN.fullmatch(part) is not None))
        n, ms = int(found["n"] or 1), _whole_ms(found["seconds"])
        _refuse_number(len(lengths) + n)
        if ms < 1:
            raise ValueError(f"a frame of {float(found['seconds']):g} s; it would hold nothing")
        lengths += [ms] * n
    return _joined(tuple(accumulate(lengths)))


def _spans(parts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Read starts and ends."""
    _refuse_number(len(parts))
    spans: list[tuple[int, int]] = []
    for part in parts:
        found = _SPAN.fullmatch(part)
        if found is None:
            raise ValueError(_no_frame(part, span=_PART.fullmatch(part) is not None))
        start, end = _whole_ms(found["start"]), _whole_ms(found["end"])
        if start >= end:
            raise ValueError(f"frame {part} s does not end after it begins")
        if spans and start < spans[-1][1]:
            raise ValueError(
                f"frame {part} s begins before the one before it ends, at {spans[-1][1] / MS:g} s; "
                "want frames in order, with no time in two of them"
            )
        spans.append((start, end))
    return tuple(spans)


def _no_frame(part: str, *, span: bool) -> str:
    mixed = "lengths and times are not mixed; " if span else ""
    return f"{part!r} is no frame{' here' if span else ''}; {mixed}{WANTED}"


def _whole_ms(text: str) -> int:
    ms = round(float(text) * MS)
    if abs(ms - float(text) * MS) > 1e-6:
        raise ValueError(f"{text} s is no time of a frame; events are known to whole ms")
    return ms


def _joined(ends: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    return tuple(zip((0, *ends[:-1]), ends, strict=True))


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
        prompts, delayeds = _counted(data, frames)
        n_delayed = data.n_delayed
        if n_delayed:
            randoms = delayeds / n_delayed
        else:
            randoms = np.array([f.end_ms - f.start_ms for f in frames]) / length_ms(data)
        trues = prompts - delayeds
        total = max(data.n_events - 2 * n_delayed, 1)
        share = max(float(trues.sum()), 0.0) / total
        trues = np.maximum(trues, 0)  # a frame with more delayeds than prompts has no scatter
        return cls(randoms, share * trues / max(float(trues.sum()), 1.0))


def length_ms(data: ListMode) -> int:
    """Return the length of a scan with times: as it says, and no less than its last event."""
    times = np.asarray(data.time_ms)
    last = int(times.max()) + 1 if len(times) else 1
    return max(round(data.duration_s * MS), last)


def middle_counts(data: ListMode, frames: Sequence[TimeFrame]) -> int:
    """Return the median over frames of the prompts that are not taken for randoms."""
    prompts, delayeds = _counted(data, frames)
    return max(int(np.median(prompts - delayeds)), 0)


def _counted(
    data: ListMode, frames: Sequence[TimeFrame]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many prompts and delayeds each frame holds."""
    times = np.asarray(data.time_ms)
    late = np.zeros(len(times), bool) if data.delayed is None else data.delayed
    edges = [(frame.start_ms, frame.end_ms) for frame in frames]
    prompts, delayeds = (
        np.diff(np.searchsorted(np.sort(kind), edges), axis=1)[:, 0].astype(np.float64)
        for kind in (times[~late], times[late])
    )
    return prompts, delayeds
