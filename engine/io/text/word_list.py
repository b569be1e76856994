"""Read a long list of words in a file in pieces, on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.core.arrays import Array
from engine.io.safety.open_input import InputFile


class Words(Protocol):
    """Words in memory (an array) or in a file."""

    @property
    def dtype(self) -> np.dtype[np.generic]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, which: slice | int, /) -> Array: ...


@dataclass(frozen=True)
class FileWords:
    """Words of an open file; a slice of consecutive ones is an array in memory.

    Attributes
    ----------
    file : must stay open as long as words are read
    dtype : type of a word
    start : byte offset of the first word
    """

    file: InputFile
    dtype: np.dtype[np.generic]
    start: int = 0

    def __len__(self) -> int:
        # Bytes after the last complete word are ignored here; `cut_off` reports them.
        return max(self.file.size - self.start, 0) // self.dtype.itemsize

    def __getitem__(self, which: slice | int, /) -> Array:
        if not isinstance(which, slice):
            # A scalar, so that one word behaves like one element of an array.
            return np.asarray(self[which : which + 1][0])
        begin, end, _ = which.indices(len(self))
        place = self.start + begin * self.dtype.itemsize
        return self.file.array(self.dtype, (max(end - begin, 0),), place)
