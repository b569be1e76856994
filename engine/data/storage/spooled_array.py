"""Arrays in unnamed temporary files that are deleted with them.

Nobody else can change such a file, so that it may be mapped; another process of ours is handed the
open file and maps it too.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path
from typing import IO, Any

import numpy as np

from engine.core.arrays import Array
from engine.data.storage.columns import allow_addresses


class SpooledArray(np.memmap[Any, np.dtype[Any]]):
    """Values of a whole file. `descriptor` is the open file, -1 for a part of an array."""

    descriptor = -1


def spooled(values: Array, folder: Path) -> SpooledArray:
    """Write values into a nameless file in a folder and map it; raises `OSError` for no room."""
    with tempfile.TemporaryFile(dir=folder) as file:
        values.tofile(file)
        file.flush()
        return mapped(file, values.dtype.str, values.shape)


def mapped(file: IO[bytes], dtype: str, shape: tuple[int, ...]) -> SpooledArray:
    """Map an open file that holds an array; it may be closed then."""
    allow_addresses(int(np.prod(shape)) * np.dtype(dtype).itemsize)
    found = SpooledArray(file, dtype, "r", shape=shape)
    found.descriptor = os.dup(file.fileno())
    weakref.finalize(found, os.close, found.descriptor)
    return found
