"""Values of a dataset that are converted or collected while they are written, piece by piece.

A scan can fill most of the memory, so a second copy of it in the type of the file would not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import prod

import numpy as np

from engine.core.arrays import Array, release_pages
from engine.io.safety.seal import CHUNK_BYTES


@dataclass(frozen=True)
class Piecewise:
    """An array that exists in pieces only.

    Attributes
    ----------
    shape : of the whole array
    dtype : of the dataset
    rows : returns the values from one row to another, of any type
    """

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    rows: Callable[[int, int], Array]

    @property
    def nbytes(self) -> int:
        """Size in the file."""
        return prod(self.shape) * self.dtype.itemsize

    def pieces(self) -> Iterator[memoryview]:
        """Yield the bytes in order."""
        step = max(1, CHUNK_BYTES // max(1, prod(self.shape[1:]) * self.dtype.itemsize))
        for first in range(0, self.shape[0], step):
            values = self.rows(first, min(first + step, self.shape[0]))
            yield np.ascontiguousarray(values, self.dtype).reshape(-1).view(np.uint8).data
            release_pages(values)

    @cached_property
    def sha256(self) -> str:
        """Digest of all bytes."""
        found = sha256()
        for piece in self.pieces():
            found.update(piece)
        return found.hexdigest()


def stored_as(values: Array, kind: str) -> Array | Piecewise:
    """Return an array in the type of a file, converted later if necessary.

    Parameters
    ----------
    values
        array of any type
    kind
        type in the file, such as "<f4"
    """
    dtype = np.dtype(kind)
    if values.dtype == dtype or not values.ndim:
        return np.ascontiguousarray(values, dtype)
    return Piecewise(values.shape, dtype, lambda first, end: values[first:end])
