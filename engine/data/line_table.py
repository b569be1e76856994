"""Table of lines of response with one probability each, from another program.

w(a, b) = v_k if {a, b} is the k-th listed pair, else 0: lines that are not listed count nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of
from engine.core.errors import DataError
from engine.data.line_factors import LineFactor
from engine.geometry.scanner import Scanner

if TYPE_CHECKING:
    from engine.core.backend import Backend


@dataclass(frozen=True, eq=False)
class LineTable(LineFactor):
    """Values of listed lines.

    Attributes
    ----------
    pairs : (n,) int64 lower crystal · n_crystals + higher crystal, increasing
    values : (n,) float32
    n_crystals : number of crystals of the scanner
    """

    pairs: NDArray[np.int64]
    values: NDArray[np.float32]
    n_crystals: int
    replaces_geometry: bool = True
    blinds_lines: bool = True

    @classmethod
    def of(cls, crystals: Array, values: Array, n_crystals: int, name: str) -> Self:
        """Return the table of pairs in any order.

        Parameters
        ----------
        crystals
            (n, 2)
        values
            (n,) probabilities
        n_crystals
            number of crystals of the scanner
        name
            name of the file for error messages

        Raises
        ------
        DataError
            if a line is listed twice
        """
        packed = _packed(crystals, n_crystals)
        # Sorted once here, so that each lookup is a binary search.
        order = np.argsort(packed, kind="stable")
        packed = packed[order]
        twice = np.flatnonzero(packed[1:] == packed[:-1])
        if len(twice):
            low, high = divmod(int(packed[twice[0]]), n_crystals)
            raise DataError(
                f"{name}: the line between crystals {low:,} and {high:,} is listed twice; "
                "list each line once."
            )
        return cls(packed, np.ascontiguousarray(values[order], np.float32), n_crystals)

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        xp = module_of(crystals)
        pairs, values = xp.asarray(self.pairs), xp.asarray(self.values)
        wanted = _packed(crystals, self.n_crystals)
        # searchsorted returns n for pairs above the last one; the comparison below then fails.
        at = xp.minimum(xp.searchsorted(pairs, wanted), len(pairs) - 1)
        return xp.where(pairs[at] == wanted, values[at], np.float32(0))

    def fingerprint(self) -> Iterator[bytes]:
        yield self.pairs.tobytes()
        yield self.values.tobytes()

    def on_device(self, on: Backend) -> Self:
        return replace(self, pairs=on.to_device(self.pairs), values=on.to_device(self.values))

    def describe(self) -> str:
        """Return a phrase about the content."""
        span = f"{self.values.min():.3g} to {self.values.max():.3g}"
        return f"{len(self.values):,} lines one by one, {span}"


def _packed(crystals: Array, n_crystals: int) -> Array:
    """Return one number for each pair, independent of the order of its crystals."""
    low = crystals.min(axis=1).astype(np.int64)
    high = crystals.max(axis=1).astype(np.int64)
    return low * n_crystals + high
