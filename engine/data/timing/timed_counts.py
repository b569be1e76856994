"""Counts of TOF sinograms: only the bins with counts, ordered by TOF bin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError

MAX_BINS = 2**31 - 1
"""Maximum number of bins, because bin numbers are int32."""


@dataclass(frozen=True, eq=False)
class TimedCounts:
    """Counts of TOF bins, for bins with counts.

    TOF bins run towards the second end of a line (`engine.geometry.tof`). If the file does not
    state their direction, they have the order of the file.

    Attributes
    ----------
    starts : (n_times + 1,) index of the first count of each TOF bin
    bins : (n,) int32 bin of each count, ascending within a TOF bin
    counts : (n,) float32
    background : (n,) expected additive counts in use; None: all 0
    estimates : (n,) expected counts, by key of the input role with TOF bins
    is_ordered : True if the direction of the TOF bins is known

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
        """Return the non-zero counts of all TOF bins.

        Parameters
        ----------
        times
            (n_bins,) of each TOF bin; read one after the other
        is_ordered
            True if their direction is known

        Raises
        ------
        GeometryError
            if there are more bins than int32 can number
        """
        bins, counts, starts = [], [], [0]
        for values in times:
            if len(values) > MAX_BINS:
                raise GeometryError(
                    f"sinogram: each TOF bin has {len(values):,} values, expected at most "
                    f"{MAX_BINS:,}; choose a larger span, or sum the TOF bins."
                )
            # TOF sinograms are mostly empty: only bins with counts are stored.
            nonzero = np.flatnonzero(values)
            bins.append(nonzero.astype(np.int32))
            counts.append(np.asarray(values[nonzero], np.float32))
            starts.append(starts[-1] + len(nonzero))
        return cls(
            np.asarray(starts), np.concatenate(bins), np.concatenate(counts), is_ordered=is_ordered
        )

    @property
    def n_times(self) -> int:
        """Number of TOF bins."""
        return len(self.starts) - 1

    @property
    def times(self) -> NDArray[np.int16]:
        """TOF bin of each count, (n,)."""
        return np.repeat(np.arange(self.n_times, dtype=np.int16), np.diff(self.starts))

    def of_time(self, time: int) -> slice:
        """Return the rows of one TOF bin."""
        return slice(int(self.starts[time]), int(self.starts[time + 1]))

    def dense(self, time: int, n_bins: int) -> NDArray[np.float32]:
        """Return the counts of one TOF bin in all bins, (n_bins,).

        Parameters
        ----------
        time
            number of the TOF bin
        n_bins
            bins of the layout
        """
        values, rows = np.zeros(n_bins, np.float32), self.of_time(time)
        values[self.bins[rows]] = self.counts[rows]
        return values

    def sums(self, n_bins: int) -> NDArray[np.float32]:
        """Return the counts of all TOF bins together, (n_bins,)."""
        return np.bincount(self.bins, self.counts, n_bins).astype(np.float32)

    def picked(self, rows: NDArray[np.integer], starts: NDArray[np.int64]) -> Self:
        """Return some of the counts, with all their columns.

        Parameters
        ----------
        rows
            indices of the counts, TOF bin by TOF bin
        starts
            (n_times + 1,) index of the first selected count of each TOF bin
        """
        # Every column must follow the selection, or values would move to other bins.
        background = None if self.background is None else self.background[rows]
        estimates = {key: values[rows] for key, values in self.estimates.items()}
        parts = {"bins": self.bins[rows], "counts": self.counts[rows]}
        return replace(self, starts=starts, background=background, estimates=estimates, **parts)

    def where(self, selected: NDArray[np.bool_]) -> Self:
        """Return the counts that a mask selects.

        Parameters
        ----------
        selected
            (n,) mask
        """
        # The number of selected counts before each row gives the new starts of the TOF bins.
        before = np.concatenate([[0], np.cumsum(selected)])
        return self.picked(np.flatnonzero(selected), before[self.starts])

    def in_order(self, order: Sequence[int]) -> Self:
        """Return the counts with their TOF bins in a known order.

        Parameters
        ----------
        order
            TOF bin t of the result is number order[t] here
        """
        parts = [np.arange(self.starts[k], self.starts[k + 1]) for k in order]
        starts = np.cumsum([0, *(len(part) for part in parts)])
        return replace(self.picked(np.concatenate(parts), starts), is_ordered=True)

    def with_background(self, expected: Array) -> Self:
        """Return the counts with additional expected counts.

        Parameters
        ----------
        expected
            (n,) next to each count
        """
        earlier = 0 if self.background is None else self.background
        return replace(self, background=np.asarray(expected + earlier, np.float32))

    def with_estimate(self, key: str, expected: NDArray[np.float32]) -> Self:
        """Return the counts with the expected counts from the file of a role.

        Parameters
        ----------
        key
            key of the input role
        expected
            (n,) next to each count
        """
        return replace(self, estimates={**self.estimates, key: expected})
