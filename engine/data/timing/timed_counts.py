"""Counts of TOF sinograms: only the bins with counts, ordered by TOF bin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError

MOST_BINS = 2**31 - 1
"""Bins that their numbers here can tell apart."""


@dataclass(frozen=True, eq=False)
class TimedCounts:
    """Counts of TOF bins, for bins with counts.

    Times run towards the second end of a line (`engine.geometry.tof`), unless the file that they
    come from does not tell: then they are those of the file.

    Attributes
    ----------
    starts : (n_times + 1,) where the counts of each time begin
    bins : (n,) int32 bin of each count, ascending within a time
    counts : (n,) float32
    background : (n,) expected additive counts in use; None: all 0
    estimates : (n,) expected counts, by the key of the role whose file tells their times
    is_ordered : True if it is known which way times run

    Examples
    --------
    >>> import numpy as np
    >>> from engine.data.timing.timed_counts import TimedCounts
    >>> timed = TimedCounts.of([np.array([0, 2, 0.0]), np.array([1, 1, 0.0])])
    >>> timed.bins.tolist(), timed.times.tolist(), timed.counts.tolist()
    ([1, 0, 1], [0, 1, 1], [2.0, 1.0, 1.0])
    """

    starts: NDArray[np.int64]
    bins: NDArray[np.int32]
    counts: NDArray[np.float32]
    background: NDArray[np.float32] | None = None
    estimates: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    is_ordered: bool = True

    @classmethod
    def of(cls, times: Iterable[Array], *, is_ordered: bool = True) -> Self:
        """Keep what is not 0 of the values (n_bins,) of each time, which are looked at in turn."""
        bins, counts, starts = [], [], [0]
        for values in times:
            if len(values) > MOST_BINS:
                raise GeometryError(
                    f"sinogram: {len(values):,} bins with time of flight, at most "
                    f"{MOST_BINS:,} are supported; choose a larger span, or sum the "
                    "TOF bins."
                )
            nonzero = np.flatnonzero(values)
            bins.append(nonzero.astype(np.int32))
            counts.append(np.asarray(values[nonzero], np.float32))
            starts.append(starts[-1] + len(nonzero))
        return cls(
            np.asarray(starts), np.concatenate(bins), np.concatenate(counts), is_ordered=is_ordered
        )

    @property
    def n_times(self) -> int:
        """Bins of time."""
        return len(self.starts) - 1

    @property
    def times(self) -> NDArray[np.int16]:
        """(n,) bin of time of each count."""
        return np.repeat(np.arange(self.n_times, dtype=np.int16), np.diff(self.starts))

    def of_time(self, time: int) -> slice:
        """Return the rows of one time."""
        return slice(int(self.starts[time]), int(self.starts[time + 1]))

    def dense(self, time: int, n_bins: int) -> NDArray[np.float32]:
        """(n_bins,) counts of one time."""
        values, rows = np.zeros(n_bins, np.float32), self.of_time(time)
        values[self.bins[rows]] = self.counts[rows]
        return values

    def sums(self, n_bins: int) -> NDArray[np.float32]:
        """(n_bins,) counts of all times."""
        return np.bincount(self.bins, self.counts, n_bins).astype(np.float32)

    def picked(self, rows: NDArray[np.integer], starts: NDArray[np.int64]) -> Self:
        """Return these counts, with all that belongs to each; `starts` as for all."""
        background = None if self.background is None else self.background[rows]
        estimates = {key: values[rows] for key, values in self.estimates.items()}
        parts = {"bins": self.bins[rows], "counts": self.counts[rows]}
        return replace(self, starts=starts, background=background, estimates=estimates, **parts)

    def where(self, selected: NDArray[np.bool_]) -> Self:
        """Return those counts, (n,), that are kept."""
        before = np.concatenate([[0], np.cumsum(selected)])
        return self.picked(np.flatnonzero(selected), before[self.starts])

    def in_order(self, order: Sequence[int]) -> Self:
        """Return the counts with time t as that of number order[t] here, in a known order."""
        parts = [np.arange(self.starts[k], self.starts[k + 1]) for k in order]
        starts = np.cumsum([0, *(len(part) for part in parts)])
        return replace(self.picked(np.concatenate(parts), starts), is_ordered=True)

    def with_background(self, expected: Array) -> Self:
        """Return the counts with more expected ones, (n,), beside them."""
        earlier = 0 if self.background is None else self.background
        return replace(self, background=np.asarray(expected + earlier, np.float32))

    def with_estimate(self, key: str, expected: NDArray[np.float32]) -> Self:
        """Return the counts with what the file of a role expects beside each."""
        return replace(self, estimates={**self.estimates, key: expected})
