"""Darks and flats of a running scan, in batches with consecutive numbers.

If the numbers restart before a projection has arrived, the new batch replaces the previous one.
Otherwise both belong to the scan, each at its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.core.arrays import Array
from engine.live.core.frame import Frame


@dataclass(frozen=True, eq=False)
class _Reference:
    values: Array
    index: int
    followed_by: int
    batch: int
    record: int


class References:
    """Darks or flats of one scan."""

    def __init__(self) -> None:
        self._references: list[_Reference] = []
        # Counted as frames arrive: a sum over all of them would take n² steps for n frames.
        self._n_bytes = 0

    @property
    def n_bytes(self) -> int:
        """Memory of the frames."""
        return self._n_bytes

    @property
    def followed_by(self) -> list[int]:
        """Number of projections before each frame, as in `Projections.info`."""
        return [each.followed_by for each in self._references]

    @property
    def records(self) -> list[int]:
        """Number of the record of each frame in a recording."""
        return [each.record for each in self._references]

    def __iter__(self) -> Iterator[Array]:
        return iter([each.values for each in self._references])

    @property
    def stacked(self) -> Array | None:
        """All frames, (n, n_rows, n_columns); None without one."""
        return np.stack([each.values for each in self._references]) if self._references else None

    def keep(self, frame: Frame, n_views: int, record: int = 0) -> None:
        """Store a frame.

        Parameters
        ----------
        frame
            dark or flat
        n_views
            number of projections before it
        record
            number of its record in a recording
        """
        last = self._references[-1] if self._references else None
        batch = 0 if last is None else last.batch
        if last is not None and frame.index <= last.index:
            batch += 1
            # Taken again before any projection: the user discarded the first attempt
            if n_views <= last.followed_by:
                self._store([each for each in self._references if each.batch < last.batch])
        self._references.append(_Reference(frame.values, frame.index, n_views, batch, record))
        self._n_bytes += int(frame.values.nbytes)

    def restart(self) -> None:
        """Keep the last batch only, as if taken before the scan that starts now."""
        last = self._references[-1].batch if self._references else 0
        self._store(
            [replace(each, followed_by=0) for each in self._references if each.batch == last]
        )

    def _store(self, references: list[_Reference]) -> None:
        self._references = references
        self._n_bytes = sum(int(each.values.nbytes) for each in references)
