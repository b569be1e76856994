"""Read two-dimensional NumPy files (.npy) row by row on demand."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from tokenize import TokenError
from typing import IO
from zipfile import BadZipFile

import numpy as np

from engine.core.arrays import Array
from engine.io.safety.open_input import HEAD_BYTES, InputFile

PIECE_BYTES = 64 * 2**20
DAMAGE = (
    *(OSError, ValueError, EOFError, LookupError, TypeError, AttributeError, NotImplementedError),
    *(ArithmeticError, SyntaxError, RuntimeError, BadZipFile, zlib.error, struct.error),
)
"""A flipped bit can require an unknown compression, a later ZIP version or a password."""


@dataclass(frozen=True)
class FileRows:
    """Rows of numbers in an open file.

    Attributes
    ----------
    file : must stay open as long as rows are read
    dtype : type of a number
    shape : rows and columns
    start : byte offset of the first number
    """

    file: InputFile
    dtype: np.dtype[np.generic]
    shape: tuple[int, int]
    start: int

    def pieces(self) -> Iterator[tuple[int, Array]]:
        """Yield the number of the first row and some rows, piece by piece."""
        n_rows, n_columns = self.shape
        row = max(n_columns * self.dtype.itemsize, 1)
        # Whole rows of about 64 MiB, but at least one, even if a row is longer.
        step = max(PIECE_BYTES // row, 1)
        for first in range(0, n_rows, step):
            n = min(step, n_rows - first)
            yield first, self.file.array(self.dtype, (n, n_columns), self.start + first * row)

    def sum(self, axis: int, dtype: type[np.float64]) -> Array:
        """Return the sum over the rows, like `numpy.sum`.

        Parameters
        ----------
        axis
            0, the only axis that is supported
        dtype
            type of the sum

        Returns
        -------
        total
            (n_columns,)
        """
        total = np.zeros(self.shape[1 - axis], dtype)
        for _, part in self.pieces():
            total += part.sum(axis=axis, dtype=dtype)
        return total


def header_of(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Return shape, True for column-major order, and type; the stream is then at the values.

    Parameters
    ----------
    stream
        at the beginning of an array

    Raises
    ------
    ValueError
        if the version is not 1 or 2, or the header is damaged; also SyntaxError and TokenError
    """
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"the NPY format version is {version}, expected (1, 0) or (2, 0)")
    form = np.lib.format
    read = form.read_array_header_1_0 if version == (1, 0) else form.read_array_header_2_0
    # NumPy parses the header with `literal_eval`, which is slow and can crash for long texts.
    return read(stream, max_header_size=HEAD_BYTES)


def rows_of(file: InputFile) -> FileRows:
    """Return the rows of a NumPy file (.npy), which are read on demand.

    Parameters
    ----------
    file
        version 1 or 2 of the format

    Raises
    ------
    ValueError
        if it is not a C-contiguous array of numbers with two axes, or is truncated
    """
    stream = file.stream()
    try:
        shape, by_columns, dtype = header_of(stream)
    except (SyntaxError, TokenError) as e:
        raise ValueError(f"the header is invalid ({e})") from e
    # Object arrays are pickles, which could run any code.
    if len(shape) != 2 or by_columns or dtype.hasobject or not dtype.itemsize:
        raise ValueError(
            f"the array has the shape {shape[:8]} and the type {dtype}, expected a 2D array of "
            "numbers in C order"
        )
    start = stream.tell()
    # Python integers do not overflow, so damaged shapes are compared correctly.
    if min(shape) < 1 or start + shape[0] * shape[1] * dtype.itemsize > file.size:
        raise ValueError(f"the file is too short for {shape[0]:,} × {shape[1]:,} numbers")
    return FileRows(file, dtype, (shape[0], shape[1]), start)
