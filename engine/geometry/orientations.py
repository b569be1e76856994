"""Lines of response between two equal panels, grouped by their orientation.

The orientation of a crystal pair is (a, b) = (row1 − row0, column1 − column0), crystal 0 on panel 0
and crystal 1 on panel 1. Its (n_rows − |a|)(n_columns − |b|) shifts are numbered by (r, c) =
(min(row0, row1), min(column0, column1)), c fastest. Orientations are numbered with b fastest. All
data of an orientation are therefore one block, an image of its shifts:

    number = start(a, b) + r (n_columns − |b|) + c,    Σ (n_rows − |a|)(n_columns − |b|) = n².
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, Tables, module_of


@dataclass(frozen=True)
class Orientations:
    """All orientations of two panels of n_rows × n_columns crystals, and the pair numbers."""

    n_rows: int
    n_columns: int
    _tables: Tables = field(default_factory=Tables, repr=False, compare=False)

    @property
    def n_pairs(self) -> int:
        """Number of crystal pairs, one on each panel."""
        return (self.n_rows * self.n_columns) ** 2

    @cached_property
    def offsets(self) -> NDArray[np.int32]:
        """Row and column differences (a, b) of each orientation, (n, 2)."""
        a = np.arange(1 - self.n_rows, self.n_rows, dtype=np.int32)
        b = np.arange(1 - self.n_columns, self.n_columns, dtype=np.int32)
        return np.stack(np.meshgrid(a, b, indexing="ij"), -1).reshape(-1, 2)

    @cached_property
    def n_shifts(self) -> NDArray[np.int64]:
        """Number of shifts of each orientation, (n,): its lines of response."""
        a, b = np.abs(self.offsets.astype(np.int64)).T
        return (self.n_rows - a) * (self.n_columns - b)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Number of the first pair of each orientation, (n + 1,), with the total at the end."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.n_shifts)])

    def index(self, a: Any, b: Any) -> Any:
        """Return the index of the orientation (a, b) in these tables; numbers or arrays."""
        return (a + self.n_rows - 1) * (2 * self.n_columns - 1) + b + self.n_columns - 1

    def block(self, a: int, b: int) -> tuple[slice, tuple[int, int]]:
        """Return the pairs of an orientation as a slice, and the shape of their image.

        Parameters
        ----------
        a
            row difference
        b
            column difference
        """
        i = self.index(a, b)
        shape = self.n_rows - abs(a), self.n_columns - abs(b)
        return slice(int(self.starts[i]), int(self.starts[i + 1])), shape

    def numbers(self, row0: Array, column0: Array, row1: Array, column1: Array) -> Array:
        """Return the numbers of pairs, (n,) int64.

        Parameters
        ----------
        row0, column0
            crystal on panel 0, (n,)
        row1, column1
            crystal on panel 1, (n,)
        """
        xp = module_of(row0)
        row0, column0, row1, column1 = (
            xp.asarray(v, np.int64) for v in (row0, column0, row1, column1)
        )
        a, b = row1 - row0, column1 - column0
        # Lines of a GPU need the table there; it is copied once.
        start = self._tables.like(row0, self.starts)[self.index(a, b)]
        across = self.n_columns - xp.abs(b)
        return start + xp.minimum(row0, row1) * across + xp.minimum(column0, column1)

    def places(self, numbers: Array) -> tuple[Array, Array, Array, Array]:
        """Return the crystals of numbered pairs.

        Parameters
        ----------
        numbers
            (n,) numbers of pairs

        Returns
        -------
        row and column on panel 0, row and column on panel 1, (n,) each
        """
        xp = module_of(numbers)
        numbers = xp.asarray(numbers, np.int64)
        starts = self._tables.like(numbers, self.starts)
        i = xp.searchsorted(starts, numbers, side="right") - 1
        a, b = xp.divmod(i, 2 * self.n_columns - 1)
        # Indices of orientations start at 0; differences are signed.
        a, b = a - (self.n_rows - 1), b - (self.n_columns - 1)
        r, c = xp.divmod(numbers - starts[i], self.n_columns - xp.abs(b))
        # The shift counts the smaller row; for negative differences that is the row on panel 1.
        row0, column0 = r + xp.maximum(-a, 0), c + xp.maximum(-b, 0)
        return row0, column0, row0 + a, column0 + b
