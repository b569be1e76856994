"""Arrays in unnamed temporary files, which the system removes with them.

No other program can change such a file, so it can be mapped safely. Another process of ours
receives the open file and maps it too.
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
    """Values of a whole file. `descriptor` is the open file, -1 for a view of an array."""

    descriptor = -1


def spooled(values: Array, folder: Path) -> SpooledArray:
    """Write values to an unnamed file and map it.

    Parameters
    ----------
    values
        any contiguous array
    folder
        folder on the disk to use

    Raises
    ------
    OSError
        if the disk is full
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        values.tofile(file)
        file.flush()
        return mapped(file, values.dtype.str, values.shape)


def mapped(file: IO[bytes], dtype: str, shape: tuple[int, ...]) -> SpooledArray:
    """Map an open file that contains an array; the file object can then be closed.

    Parameters
    ----------
    file
        open for reading
    dtype
        as NumPy writes it, "<f4"
    shape
        shape of the array
    """
    allow_addresses(int(np.prod(shape)) * np.dtype(dtype).itemsize)
    found = SpooledArray(file, dtype, "r", shape=shape)
    # A duplicate outlives the file object and can be sent to another process.
    found.descriptor = os.dup(file.fileno())
    weakref.finalize(found, os.close, found.descriptor)
    return found
