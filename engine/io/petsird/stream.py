"""Bytes of a yardl stream: plain numbers, and whole numbers of 7 bits a byte.

A byte below 128 ends a number, lower bits come first; signed numbers z are kept as
u = 2 z for z ≥ 0 and −2 z − 1 for z < 0. https://microsoft.github.io/yardl, binary encoding.
"""

from __future__ import annotations

import gzip
import zlib
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.safety.budget import most_unpacked, refuse_large_data
from engine.io.safety.open_input import InputFile

GZIP = b"\x1f\x8b"
MAGIC = b"yardl\x01\x00\x00\x00"
"""Name and version of the encoding."""
MOST_VARINT = 10
"""Bytes of the longest whole number."""
AT_ONCE = 16 * 2**20
"""Bytes read from the file at once."""


class EndOfStreamError(Exception):
    """The file ends where more was promised."""


class YardlStream:
    """A file as a stream of numbers.

    Parameters
    ----------
    file
        plain, or packed by gzip

    Attributes
    ----------
    name : of the file, for sentences
    most : bytes it can hold at most, which bounds every count in it
    """

    def __init__(self, file: InputFile) -> None:
        self.name = file.name
        packed = file.head.startswith(GZIP)
        self.most = most_unpacked(file.size) if packed else file.size
        stream = file.stream()
        self._source: BinaryIO = gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[assignment]
        self._buffer = np.empty(0, np.uint8)
        self._at = self._before = 0
        if bytes(self.take(len(MAGIC))) != MAGIC:
            raise FileFormatError(f"{self.name}: not a yardl stream with binary encoding 1.")

    @property
    def position(self) -> int:
        """Bytes taken so far."""
        return self._before + self._at

    def _fill(self, n_bytes: int) -> None:
        """Have at least `n_bytes` at hand, or all there are."""
        rest = self._buffer[self._at :]
        if len(rest) >= n_bytes:
            return
        pieces, n_there = [rest], len(rest)
        while n_there < n_bytes:
            more = self._more(max(n_bytes - n_there, AT_ONCE))
            if not len(more):
                break
            pieces.append(more)
            n_there += len(more)
        self._before += self._at
        self._buffer, self._at = np.concatenate(pieces), 0
        if self.position + len(self._buffer) > self.most:
            raise FileFormatError(
                f"{self.name}: decompresses to more data than any scan; the file is damaged."
            )

    def _more(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        try:
            return np.frombuffer(self._source.read(min(n_bytes, AT_ONCE)), np.uint8)
        except EOFError:
            return np.empty(0, np.uint8)
        except (OSError, zlib.error) as e:
            raise FileFormatError(
                f"{self.name}: cannot be decompressed ({e}); copy it again."
            ) from e

    def peek(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        """Return the next bytes without taking them, fewer where the file ends."""
        self._fill(n_bytes)
        return self._buffer[self._at : self._at + n_bytes]

    def skip(self, n_bytes: int) -> None:
        """Take bytes that were peeked at."""
        self._at += n_bytes

    def take(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        """Return the next bytes."""
        if n_bytes > self.most:
            raise EndOfStreamError
        refuse_large_data(n_bytes, self.name)
        found = self.peek(n_bytes)
        if len(found) < n_bytes:
            raise EndOfStreamError
        self._at += n_bytes
        return found

    def byte(self) -> int:
        """Return the next byte."""
        if self._at >= len(self._buffer):
            self._fill(1)
            if self._at >= len(self._buffer):
                raise EndOfStreamError
        self._at += 1
        return int(self._buffer[self._at - 1])

    def whole(self) -> int:
        """Return a whole number of at least 0."""
        value = 0
        for shift in range(0, 7 * MOST_VARINT, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise self.damaged()

    def count(self) -> int:
        """Return how many values follow, of at least a byte each."""
        n = self.whole()
        if n > self.most:
            raise self.damaged()
        return n

    def wholes(self, n: int) -> npt.NDArray[np.uint64]:
        """Return n whole numbers of at least 0."""
        refuse_large_data(8 * n, self.name)
        values = np.empty(n, np.uint64)
        done = 0
        while done < n:
            part = self.peek(min(MOST_VARINT * (n - done), AT_ONCE))
            ends = np.flatnonzero(part < 0x80)[: n - done]
            if not len(ends):
                if len(part) >= MOST_VARINT:
                    raise self.damaged()
                raise EndOfStreamError
            values[done : done + len(ends)] = self._numbers(part, ends)
            done += len(ends)
            self._at += int(ends[-1]) + 1
        return values

    def _numbers(
        self, part: npt.NDArray[np.uint8], ends: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.uint64]:
        starts = np.empty_like(ends)
        starts[0], starts[1:] = 0, ends[:-1] + 1
        lengths = ends - starts + 1
        longest = int(lengths.max())
        if longest > MOST_VARINT:
            raise self.damaged()
        values = (part[starts] & 0x7F).astype(np.uint64)
        for k in range(1, longest):
            longer = np.flatnonzero(lengths > k)
            bits = (part[starts[longer] + k] & 0x7F).astype(np.uint64)
            values[longer] |= bits << np.uint64(7 * k)
        return values

    def floats(self, kind: str, n: int) -> Array:
        """Return n numbers of a fixed size, each as `kind` of numpy says."""
        return self.take(n * np.dtype(kind).itemsize).view(kind).copy()

    def text(self) -> str:
        """Return a text."""
        return bytes(self.take(self.whole())).decode("utf-8", errors="replace")

    def damaged(self) -> FileFormatError:
        """Return the fault of a stream that makes no sense where it is now."""
        return FileFormatError(
            f"{self.name}: invalid data at byte {self.position:,}; the file is damaged, so copy it "
            "again."
        )


def signed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the signed numbers that whole numbers stand for."""
    half = (values >> np.uint64(1)).astype(np.int64)
    return np.where(values & np.uint64(1), ~half, half)


def begins_as_yardl(head: bytes) -> bytes:
    """Return the first bytes of a stream, unpacked; empty if it is none."""
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, 512)
        except zlib.error:
            return b""
    return head if head.startswith(MAGIC) else b""
