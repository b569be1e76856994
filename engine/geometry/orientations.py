"""Lines of response between two equal panels, sorted by what a shift leaves unchanged.

The orientation of a pair of crystals is (a, b) = (row1 − row0, column1 − column0), crystal 0 on
panel 0 and crystal 1 on panel 1. Its (n_rows − |a|)(n_columns − |b|) shifts are counted by
(r, c) = (min(row0, row1), min(column0, column1)), c fastest; orientations follow one another with
b fastest. So all data of an orientation are one block, a picture of its shifts:

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
    """All orientations of two panels of n_rows × n_columns crystals, and the numbers of pairs."""

    n_rows: int
    n_columns: int
    _tables: Tables = field(default_factory=Tables, repr=False, compare=False)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of crystals, one on either panel."""
        return (self.n_rows * self.n_columns) ** 2

    @cached_property
    def offsets(self) -> NDArray[np.int32]:
        """(n, 2) a and b of every orientation."""
        a = np.arange(1 - self.n_rows, self.n_rows, dtype=np.int32)
        b = np.arange(1 - self.n_columns, self.n_columns, dtype=np.int32)
        return np.stack(np.meshgrid(a, b, indexing="ij"), -1).reshape(-1, 2)

    @cached_property
    def n_shifts(self) -> NDArray[np.int64]:
        """(n,) shifts of every orientation: its lines of response."""
        a, b = np.abs(self.offsets.astype(np.int64)).T
        return (self.n_rows - a) * (self.n_columns - b)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(n + 1,) number of the first pair of every orientation, and one past the last."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.n_shifts)])

    def index(self, a: Any, b: Any) -> Any:
        """Place of the orientation (a, b) in these tables."""
        return (a + self.n_rows - 1) * (2 * self.n_columns - 1) + b + self.n_columns - 1

    def block(self, a: int, b: int) -> tuple[slice, tuple[int, int]]:
        """Return where the pairs of an orientation are, and the shape of their picture."""
        i = self.index(a, b)
        shape = self.n_rows - abs(a), self.n_columns - abs(b)
        return slice(int(self.starts[i]), int(self.starts[i + 1])), shape

    def numbers(self, row0: Array, column0: Array, row1: Array, column1: Array) -> Array:
        """(n,) int64 numbers of pairs."""
        xp = module_of(row0)
        row0, column0, row1, column1 = (
            xp.asarray(v, np.int64) for v in (row0, column0, row1, column1)
        )
        a, b = row1 - row0, column1 - column0
        start = self._tables.beside(row0, self.starts)[self.index(a, b)]
        across = self.n_columns - xp.abs(b)
        return start + xp.minimum(row0, row1) * across + xp.minimum(column0, column1)

    def places(self, numbers: Array) -> tuple[Array, Array, Array, Array]:
        """Row and column on panel 0, row and column on panel 1 of numbered pairs, (n,) each."""
        xp = module_of(numbers)
        numbers = xp.asarray(numbers, np.int64)
        starts = self._tables.beside(numbers, self.starts)
        i = xp.searchsorted(starts, numbers, side="right") - 1
        a, b = xp.divmod(i, 2 * self.n_columns - 1)
        a, b = a - (self.n_rows - 1), b - (self.n_columns - 1)
        r, c = xp.divmod(numbers - starts[i], self.n_columns - xp.abs(b))
        row0, column0 = r + xp.maximum(-a, 0), c + xp.maximum(-b, 0)
        return row0, column0, row0 + a, column0 + b
