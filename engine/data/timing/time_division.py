"""Division of a scan into frames, with the expected background of each.

Frame f contains the events of its parts, start ≤ t < end. Parts do not overlap, so an event is in
one frame at most; some time can be in no frame. With r randoms and s scatter expected for an
event's line in the whole scan, a frame expects

    r d_f / Σ d + s (p_f − d_f) / (Σ p − Σ d)

where d are delayeds (seconds, if none were counted) and p prompts of the frame and of the scan. The
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
"""Owner of time that is in no frame."""


@dataclass(frozen=True, eq=False)
class TimeDivision:
    """Assignment of events to frames.

    Attributes
    ----------
    frames : frames in order
    edges_ms : (n + 1,) int64, starts and ends of parts since the start of the scan, in order
    owners : (n,) int64, frame of each part, from 0; -1: no frame

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
        """Return the division into frames of one part each, in order."""
        # Parts alternate: a frame, then the time up to the next frame, which may be empty.
        edges = [mark for frame in frames for mark in (frame.start_ms, frame.end_ms)]
        owners = [owner for k in range(len(frames)) for owner in (k, NONE)]
        return cls(tuple(frames), np.array(edges, np.int64), np.array(owners[:-1], np.int64))

    def place_of(self, time_ms: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Return the frame of each time.

        Parameters
        ----------
        time_ms
            (n,) times since the start of the scan

        Returns
        -------
        (n,) numbers of frames; -1 if a time is in no frame
        """
        # One more on each side: searchsorted returns 0 before the first edge and n after the last.
        owners = np.concatenate([[NONE], self.owners, [NONE]]).astype(np.int32)
        return np.asarray(owners[np.searchsorted(self.edges_ms, time_ms, side="right")])

    def parts_ms(self, k: int) -> NDArray[np.int64]:
        """Return starts and ends (m, 2) of the parts of a frame, in order."""
        (parts,) = np.nonzero(self.owners == k)
        return np.column_stack([self.edges_ms[parts], self.edges_ms[parts + 1]])

    def decayed(self, k: int, half_life_s: float) -> float:
        """Return the remaining activity in a frame, relative to a frame of equal length at time 0.

        Parameters
        ----------
        k
            number of the frame
        half_life_s
            half-life of the nuclide
        """
        starts, ends = self.parts_ms(k).T / MS
        lengths = ends - starts
        # Gates consist of many parts; each has its own decay, and the mean is weighted by its
        # length.
        means = [
            decayed(float(start), half_life_s) / frame_factor(float(length), half_life_s)
            for start, length in zip(starts, lengths, strict=True)
        ]
        total = float(lengths.sum())
        return float(lengths @ means) / total * frame_factor(total, half_life_s)


@dataclass(frozen=True)
class FrameShares:
    """Share of each frame in the background of the scan, (n_frames,) each.

    Attributes
    ----------
    randoms : share of the expected randoms
    scatter : share of the expected scatter
    """

    randoms: NDArray[np.float64]
    scatter: NDArray[np.float64]

    @classmethod
    def of(cls, data: ListMode, division: TimeDivision) -> FrameShares:
        """Return the shares of the frames of a scan.

        Parameters
        ----------
        data
            list mode with event times
        division
            the frames
        """
        prompts, delayeds = _counted(data, division)
        n_delayed = data.n_delayed
        if n_delayed:
            randoms = delayeds / n_delayed
        else:
            # Without delayeds the rate of randoms is taken as constant.
            randoms = np.array([f.duration_s for f in division.frames]) * MS / length_ms(data)
        trues = prompts - delayeds
        # Events include delayeds: prompts minus delayeds is all events minus twice the delayeds.
        total = max(data.n_events - 2 * n_delayed, 1)
        # Frames need not cover the scan: the scatter in between belongs to none of them.
        share = max(float(trues.sum()), 0.0) / total
        trues = np.maximum(trues, 0)  # a frame with more delayeds than prompts has no scatter
        return cls(randoms, share * trues / max(float(trues.sum()), 1.0))


def length_ms(data: ListMode) -> int:
    """Return the length of a scan: its duration, but at least up to its last event.

    Parameters
    ----------
    data
        list mode with event times
    """
    times = np.asarray(data.time_ms)
    # Some files round the duration down, and an event at the end must still be inside.
    last = int(times.max()) + 1 if len(times) else 1
    return max(round(data.duration_s * MS), last)


def counts_of_frames(data: ListMode, division: TimeDivision) -> NDArray[np.float64]:
    """Return prompts minus delayeds of each frame, at least 0.

    Parameters
    ----------
    data
        list mode with event times
    division
        the frames
    """
    prompts, delayeds = _counted(data, division)
    return np.maximum(prompts - delayeds, 0)


def middle_counts(data: ListMode, division: TimeDivision) -> int:
    """Return the median over frames of prompts minus delayeds."""
    return int(np.median(counts_of_frames(data, division)))


def _counted(
    data: ListMode, division: TimeDivision
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the prompts and the delayeds of each frame."""
    times, n = np.asarray(data.time_ms), len(division.frames)
    prompts, delayeds = np.zeros(n + 1), np.zeros(n + 1)
    for rows in pieces(len(times)):
        # Shifted by one: bincount takes no negative numbers, and slot 0 collects events of no
        # frame.
        places = division.place_of(times[rows]) + 1
        late = np.zeros(len(places), bool) if data.delayed is None else data.delayed[rows]
        prompts += np.bincount(places[~late], minlength=n + 1)
        delayeds += np.bincount(places[late], minlength=n + 1)
        data.storage.release_pages()
    return prompts[1:], delayeds[1:]
