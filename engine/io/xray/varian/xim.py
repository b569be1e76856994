"""Read Varian `.xim`: one projection, and the facts that the machine stored with it.

Values p of a detector with w columns are stored as d_i = p_i − p_(i−1) − p_(i−w) + p_(i−w−1), in 1,
2 or 4 bytes as stated by two bits of a table; the first w + 1 are stored as they are. With
e_i = p_i − p_(i−w), e_i = e_(i−1) + d_i, so two cumulative sums invert it. Values have 32 bits.
Sums use 64 bits, and larger results are damage; sums of 16 bits would wrap without notice.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import InputFile

MARK = b"VMS.XI\0"
WIDTHS = (1, 2, 4)
"""Size of a difference in bytes, by its two bits."""
BYTES = np.array([*WIDTHS, 0])
LARGEST = 2**31 - 1
MAX_PIXELS = 2**16
MAX_FACTS = 10_000
UNKNOWN = 3.4e38
"""Larger doubles mark unknown values."""
Image = NDArray[np.int64]


@dataclass(frozen=True)
class Xim:
    """An image and its facts.

    Attributes
    ----------
    values : (rows, columns); None if the file contains facts only
    numbers, texts : name -> value as stored; without unknown values
    """

    values: Image | None
    numbers: dict[str, float]
    texts: dict[str, str]


@dataclass
class ImageBytes:
    """Rest of a file; missing bytes are an error."""

    path: Path
    data: bytes
    at: int = 0

    def whole(self, maximum: int = LARGEST) -> int:
        """Return the next 32-bit integer, which must be from 0 to `maximum`."""
        (number,) = struct.unpack("<i", self.take(4))
        if not 0 <= number <= maximum:
            raise self.damage(
                f"the number at byte {self.at - 4:,} is {number:,}, expected 0 to {maximum:,}"
            )
        return int(number)

    def take(self, n_bytes: int) -> bytes:
        """Return the next bytes; raise `FileFormatError` if the file ends before."""
        found = self.data[self.at : self.at + n_bytes]
        if len(found) < n_bytes:
            raise self.damage(
                f"the data end at byte {len(self.data):,}, {n_bytes - len(found):,} bytes too early"
            )
        self.at += n_bytes
        return found

    def damage(self, what: str) -> FileFormatError:
        """Return a `FileFormatError` that reports damage."""
        return FileFormatError(f"{self.path.name}: {what}. The image is damaged; copy it again.")


def read_xim(file: InputFile) -> Xim:
    """Return image and facts of a `.xim` file.

    Parameters
    ----------
    file
        `.xim` file, compressed or not

    Raises
    ------
    FileFormatError
        if the file is damaged
    """
    left = ImageBytes(file.path, file.read())
    left.take(8 + 4)  # mark and version
    columns, rows = left.whole(MAX_PIXELS), left.whole(MAX_PIXELS)
    left.take(4)  # used bits per pixel
    n_bytes, packed = left.whole(8), left.whole(1)
    values = (_unpacked if packed else _uncompressed)(left, rows, columns, n_bytes)
    left.take(4 * left.whole())  # the histogram
    numbers, texts = _facts(left)
    return Xim(values, numbers, texts)


def _uncompressed(left: ImageBytes, rows: int, columns: int, n_bytes: int) -> Image | None:
    data = left.take(left.whole())
    if not rows * columns:
        return None
    if n_bytes not in WIDTHS or len(data) != rows * columns * n_bytes:
        raise left.damage(
            f"found {len(data):,} bytes, expected {rows * columns * n_bytes:,} for {rows:,} x "
            f"{columns:,} pixels of {n_bytes} bytes"
        )
    kind = f"<u{n_bytes}" if n_bytes < 4 else "<i4"
    return np.frombuffer(data, kind).reshape(rows, columns).astype(np.int64)


def _unpacked(left: ImageBytes, rows: int, columns: int, _: int) -> Image | None:
    table, data = left.take(left.whole()), left.take(left.whole())
    left.take(4)  # size of the uncompressed image
    return from_differences(left, table, data, (rows, columns)) if rows * columns else None


def from_differences(left: ImageBytes, table: bytes, data: bytes, shape: tuple[int, int]) -> Image:
    """Return the image from a table of widths and compressed differences.

    Parameters
    ----------
    left
        the file, for error messages
    table
        two bits for each difference
    data
        values of the first row and one more, then the differences
    shape
        (rows, columns), both above 0

    Raises
    ------
    FileFormatError
        if sizes do not match, or values exceed 32 bits
    """
    rows, columns = shape
    n = max(rows * columns - columns - 1, 0)
    if rows < 2 or len(data) < n or 4 * len(table) < n:  # a difference has at least one byte
        raise left.damage(
            f"{len(data):,} bytes cannot contain {rows:,} x {columns:,} compressed pixels"
        )
    first = np.frombuffer(data[: 4 * (columns + 1)], "<i4").astype(np.int64)
    if len(first) != columns + 1:
        raise left.damage("the first row of the image is truncated")
    e = np.empty((rows - 1) * columns, np.int64)
    e[0] = first[columns] - first[0]
    e[1:] = _differences(left, table, data[4 * (columns + 1) :], n)
    values = np.concatenate([first[None, :columns], e.cumsum().reshape(rows - 1, columns)])
    values = values.cumsum(axis=0)
    if abs(values).max() > LARGEST:
        raise left.damage(f"the values exceed the maximum of {LARGEST:,}")
    return values


def _differences(left: ImageBytes, table: bytes, data: bytes, n: int) -> Image:
    pairs = np.frombuffer(table, np.uint8)[:, None] >> np.array([0, 2, 4, 6], np.uint8)
    width = (pairs & 3).reshape(-1)[:n]
    ends = BYTES[width].cumsum()
    stored = np.frombuffer(data, np.uint8)
    if n and ((width == len(WIDTHS)).any() or ends[-1] != len(stored)):
        raise left.damage(
            f"the compressed pixels have {len(stored):,} bytes, expected {ends[-1]:,}"
        )
    found = np.empty(n, np.int64)
    # All differences of one width at once: a loop over pixels would take minutes.
    for code, n_bytes in enumerate(WIDTHS):
        here = np.flatnonzero(width == code)
        places = (ends[here] - n_bytes)[:, None] + np.arange(n_bytes)
        found[here] = stored[places].view(f"<i{n_bytes}").reshape(-1)
    return found


def _facts(left: ImageBytes) -> tuple[dict[str, float], dict[str, str]]:
    """Return numbers and texts; lists, such as collimator leaf positions, are skipped."""
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for _ in range(left.whole(MAX_FACTS)):
        name = left.take(left.whole()).decode("latin-1").rstrip("\0")
        kind = left.whole()
        if kind == 0:
            (numbers[name],) = struct.unpack("<i", left.take(4))
        elif kind == 1:
            (number,) = struct.unpack("<d", left.take(8))
            if abs(number) < UNKNOWN:  # also False for NaN
                numbers[name] = number
        elif kind == 2:
            texts[name] = left.take(left.whole()).decode("latin-1").rstrip("\0")
        elif kind in (4, 5):
            left.take(left.whole())
        else:
            raise left.damage(f"{name[:40]!r} has type {kind}, expected 0, 1, 2, 4 or 5")
    return numbers, texts
