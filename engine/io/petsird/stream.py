"""Read the bytes of a yardl stream: fixed-size numbers, and integers with 7 bits in each byte.

A byte below 128 ends an integer, and lower bits come first. Signed integers z are stored as u = 2 z
for z ≥ 0 and −2 z − 1 for z < 0. https://microsoft.github.io/yardl, binary encoding.
"""

from __future__ import annotations

import gzip
import zlib
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.safety.budget import max_unpacked_bytes, refuse_large_data
from engine.io.safety.open_input import InputFile

GZIP = b"\x1f\x8b"
MAGIC = b"yardl\x01\x00\x00\x00"
"""Name and version of the encoding."""
MAX_VARINT = 10
"""Maximum number of bytes of an integer."""
AT_ONCE = 16 * 2**20
"""Bytes that are read from the file at once."""


class EndOfStreamError(Exception):
    """The file ends before the end of the stream."""


class YardlStream:
    """A file as a stream of numbers.

    Parameters
    ----------
    file
        uncompressed, or compressed with gzip

    Attributes
    ----------
    name : file name for messages
    max_bytes : maximum number of bytes it can contain, which limits every count in it
    """

    def __init__(self, file: InputFile) -> None:
        self.name = file.name
        packed = file.head.startswith(GZIP)
        self.max_bytes = max_unpacked_bytes(file.size) if packed else file.size
        stream = file.stream()
        self._source: BinaryIO = gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[assignment]
        self._buffer = np.empty(0, np.uint8)
        self._at = self._before = 0
        if bytes(self.take(len(MAGIC))) != MAGIC:
            raise FileFormatError(
                f"{self.name}: not a PETSIRD file (yardl binary format 1); choose another file."
            )

    @property
    def position(self) -> int:
        """Number of bytes read so far."""
        return self._before + self._at

    def _fill(self, n_bytes: int) -> None:
        """Read until at least `n_bytes` are buffered, or the file ends."""
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
        # The limit of decompression bombs, tested while reading, because gzip states its size only
        # modulo 2^32.
        if self.position + len(self._buffer) > self.max_bytes:
            raise FileFormatError(
                f"{self.name}: decompresses to more than {self.max_bytes:,} bytes, the limit for a "
                "file of this size; copy it again."
            )

    def _more(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        try:
            return np.frombuffer(self._source.read(min(n_bytes, AT_ONCE)), np.uint8)
        # A truncated gzip file. The stream then ends early, which `EndOfStreamError` reports.
        except EOFError:
            return np.empty(0, np.uint8)
        except (OSError, zlib.error) as e:
            raise FileFormatError(
                f"{self.name}: cannot be decompressed ({e}); copy it again."
            ) from e

    def peek(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        """Return the next bytes without consuming them; fewer if the file ends.

        Parameters
        ----------
        n_bytes
            number of bytes
        """
        self._fill(n_bytes)
        return self._buffer[self._at : self._at + n_bytes]

    def skip(self, n_bytes: int) -> None:
        """Consume bytes that were returned by `peek`."""
        self._at += n_bytes

    def take(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        """Return the next bytes.

        Parameters
        ----------
        n_bytes
            number of bytes

        Raises
        ------
        EndOfStreamError
            if the file ends before
        ResourceError
            if they do not fit in memory
        """
        # A damaged length is refused before any memory is allocated for it.
        if n_bytes > self.max_bytes:
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
            # Not `take(1)`: schema and header are read byte by byte, so the cost of a call counts.
            self._fill(1)
            if self._at >= len(self._buffer):
                raise EndOfStreamError
        self._at += 1
        return int(self._buffer[self._at - 1])

    def whole(self) -> int:
        """Return an unsigned integer of variable length."""
        value = 0
        for shift in range(0, 7 * MAX_VARINT, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise self.damaged()

    def count(self) -> int:
        """Return a number of values that follow; each has at least one byte."""
        n = self.whole()
        if n > self.max_bytes:
            raise self.damaged()
        return n

    def wholes(self, n: int) -> npt.NDArray[np.uint64]:
        """Return n unsigned integers of variable length.

        Parameters
        ----------
        n
            number of integers

        Raises
        ------
        EndOfStreamError
            if the file ends before
        FileFormatError
            if an integer is too long
        """
        refuse_large_data(8 * n, self.name)
        values = np.empty(n, np.uint64)
        done = 0
        while done < n:
            part = self.peek(min(MAX_VARINT * (n - done), AT_ONCE))
            # The high bit is 0 in the last byte of each integer, so all ends are found at once.
            ends = np.flatnonzero(part < 0x80)[: n - done]
            if not len(ends):
                # No end within 10 bytes: the data are damaged. Otherwise the file ends here.
                if len(part) >= MAX_VARINT:
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
        if longest > MAX_VARINT:
            raise self.damaged()
        values = (part[starts] & 0x7F).astype(np.uint64)
        # One pass per byte position over all integers: at most 10 passes instead of a loop over
        # events.
        for k in range(1, longest):
            longer = np.flatnonzero(lengths > k)
            bits = (part[starts[longer] + k] & 0x7F).astype(np.uint64)
            values[longer] |= bits << np.uint64(7 * k)
        return values

    def floats(self, kind: str, n: int) -> Array:
        """Return n numbers of a fixed size.

        Parameters
        ----------
        kind
            NumPy type
        n
            number of numbers
        """
        # A copy, because the buffer is reused and may not be aligned.
        return self.take(n * np.dtype(kind).itemsize).view(kind).copy()

    def text(self) -> str:
        """Return a UTF-8 text."""
        return bytes(self.take(self.whole())).decode("utf-8", errors="replace")

    def damaged(self) -> FileFormatError:
        """Return the error for data that cannot be valid at this position."""
        return FileFormatError(
            f"{self.name}: invalid data at byte {self.position:,}; the file is damaged, so copy it "
            "again."
        )


def signed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return signed integers from their zigzag encoding."""
    half = (values >> np.uint64(1)).astype(np.int64)
    return np.where(values & np.uint64(1), ~half, half)


def begins_as_yardl(head: bytes) -> bytes:
    """Return the first bytes of a yardl stream, decompressed; empty for other files."""
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, 512)
        except zlib.error:
            return b""
    return head if head.startswith(MAGIC) else b""
