"""Darks and flats of a running scan, kept in batches: taken one after the other, numbered on.

A batch that is counted from the beginning again replaces the one before where no projection came
between them; else both are of the scan, each at its moment.
"""

from __future__ import annotations

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


class References:
    """Darks, or flats, of one scan."""

    def __init__(self) -> None:
        self._kept: list[_Reference] = []

    @property
    def n_bytes(self) -> int:
        """Memory that they take."""
        return sum(int(each.values.nbytes) for each in self._kept)

    @property
    def followed_by(self) -> list[int]:
        """Number of projections that were there before each, as `Projections.info` counts."""
        return [each.followed_by for each in self._kept]

    @property
    def stacked(self) -> Array | None:
        """(n, n_rows, n_columns), None where there are none."""
        return np.stack([each.values for each in self._kept]) if self._kept else None

    def keep(self, frame: Frame, n_views: int) -> None:
        """Keep one that comes after so many projections."""
        last = self._kept[-1] if self._kept else None
        batch = 0 if last is None else last.batch
        if last is not None and frame.index <= last.index:
            batch += 1
            if n_views <= last.followed_by:
                self._kept = [each for each in self._kept if each.batch < last.batch]
        self._kept.append(_Reference(frame.values, frame.index, n_views, batch))

    def begin_anew(self) -> None:
        """Keep the last batch alone, as taken before a scan that begins now."""
        last = self._kept[-1].batch if self._kept else 0
        self._kept = [replace(each, followed_by=0) for each in self._kept if each.batch == last]
