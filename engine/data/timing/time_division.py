"""Division of a scan into frames, with the expected background of each.

Frame f holds the events of its parts, start ≤ t < end, and no two parts overlap, so that an event
is in one frame at most; some time may be in none. Of the expected background of an event's line in
the whole scan, r randoms and s scatter, a frame expects

    r d_f / Σ d + s (p_f − d_f) / (Σ p − Σ d)

with d delayeds (seconds, where none were counted) and p prompts of the frame and of the scan. The
shares of frames that cover the scan add up to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode
from engine.data.storage.columns import pieces
from engine.data.timing.decay import decayed, frame_factor
from engine.data.timing.time_frames import MS, TimeFrame

NONE = -1
"""Owner of time that no frame holds."""


@dataclass(frozen=True, eq=False)
class TimeDivision:
    """Assignment of events to frames.

    Attributes
    ----------
    frames : frames in order
    edges_ms : (n + 1,) int64, where parts begin and end, since the scan began, in order
    owners : (n,) int64, the frame that holds each part, from 0; -1: none does

    Examples
    --------
    >>> import numpy as np
    >>> from engine.data.timing.time_division import TimeDivision
    >>> from engine.data.timing.time_frames import TimeFrame
    >>> two = TimeDivision.of((TimeFrame(0, 100), TimeFrame(150, 200)))
    >>> two.place_of(np.array([0, 99, 100, 150, 200])).tolist()
    [0, 0, -1, 1, -1]
    """

    frames: tuple[TimeFrame, ...]
    edges_ms: NDArray[np.int64]
    owners: NDArray[np.int64]

    @classmethod
    def of(cls, frames: Sequence[TimeFrame]) -> Self:
        """Return the division by frames of one part each, in order."""
        edges = [mark for frame in frames for mark in (frame.start_ms, frame.end_ms)]
        owners = [owner for k in range(len(frames)) for owner in (k, NONE)]
        return cls(tuple(frames), np.array(edges, np.int64), np.array(owners[:-1], np.int64))

    def place_of(self, time_ms: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Return the frame of each moment, -1 where none holds it."""
        owners = np.concatenate([[NONE], self.owners, [NONE]]).astype(np.int32)
        return np.asarray(owners[np.searchsorted(self.edges_ms, time_ms, side="right")])

    def parts_ms(self, k: int) -> NDArray[np.int64]:
        """Return (m, 2) starts and ends of the parts of frame `k`, in order."""
        (parts,) = np.nonzero(self.owners == k)
        return np.column_stack([self.edges_ms[parts], self.edges_ms[parts + 1]])

    def decayed(self, k: int, half_life_s: float) -> float:
        """Return what is left of a nuclide in frame `k`, against as long a one that starts at 0."""
        starts, ends = self.parts_ms(k).T / MS
        lengths = ends - starts
        means = [
            decayed(float(start), half_life_s) / frame_factor(float(length), half_life_s)
            for start, length in zip(starts, lengths, strict=True)
        ]
        total = float(lengths.sum())
        return float(lengths @ means) / total * frame_factor(total, half_life_s)


@dataclass(frozen=True)
class FrameShares:
    """Share of each frame in the background of the scan, each (n_frames,).

    Attributes
    ----------
    randoms : randoms of what is expected before scatter
    scatter : scatter of the scatter
    """

    randoms: NDArray[np.float64]
    scatter: NDArray[np.float64]

    @classmethod
    def of(cls, data: ListMode, division: TimeDivision) -> FrameShares:
        """Return the parts of the frames of a scan, by its prompts and delayeds."""
        prompts, delayeds = _counted(data, division)
        n_delayed = data.n_delayed
        if n_delayed:
            randoms = delayeds / n_delayed
        else:
            randoms = np.array([f.duration_s for f in division.frames]) * MS / length_ms(data)
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


def counts_of_frames(data: ListMode, division: TimeDivision) -> NDArray[np.float64]:
    """Return the prompts of each frame that are not taken for randoms, at least 0."""
    prompts, delayeds = _counted(data, division)
    return np.maximum(prompts - delayeds, 0)


def middle_counts(data: ListMode, division: TimeDivision) -> int:
    """Return the median over frames of the prompts that are not taken for randoms."""
    return int(np.median(counts_of_frames(data, division)))


def _counted(
    data: ListMode, division: TimeDivision
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many prompts and delayeds each frame holds."""
    times, n = np.asarray(data.time_ms), len(division.frames)
    prompts, delayeds = np.zeros(n + 1), np.zeros(n + 1)
    for rows in pieces(len(times)):
        places = division.place_of(times[rows]) + 1
        late = np.zeros(len(places), bool) if data.delayed is None else data.delayed[rows]
        prompts += np.bincount(places[~late], minlength=n + 1)
        delayeds += np.bincount(places[late], minlength=n + 1)
        data.storage.rest()
    return prompts[1:], delayeds[1:]
