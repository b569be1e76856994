"""DICOM files as streams with limits: number of parts, and size after decompression.

pydicom decides from the group of file attributes whether a file is deflated, wherever the transfer
syntax is in this group. Only then does it read the whole rest of a stream with a single call.
"""

from __future__ import annotations

import zlib

from engine.core.errors import FileFormatError
from engine.io.safety.budget import max_unpacked_bytes
from engine.io.safety.open_input import InputFile

MAX_PIECES, BYTES_PER_PIECE = 300_000, 64
"""Maximum number of attributes and items of a header, also one for each 64 bytes of the file.  An
Enhanced file of 5,000 frames has as many; a frame of 64 × 64 pixels can have 128.
"""
MIN_PIECES = 10_000
TOO_MANY = "its header has more than {:,} parts"
MAX_INFLATED = 64 * 2**20
"""Maximum size of a deflated object. Images are compressed in other ways; reports are small."""
PIECE_BYTES = 1 << 16


class BoundedStream:
    """A DICOM file as a stream that refuses too many parts and large deflated objects.

    Parameters
    ----------
    file
        open file
    is_whole
        True to read all attributes, possibly millions; False for a header
    may_be_deflated
        True to accept a deflated object of limited size; False to refuse all of them
    """

    def __init__(
        self, file: InputFile, *, is_whole: bool = False, may_be_deflated: bool = False
    ) -> None:
        self._file, self._stream = file, file.stream()
        self._n_read = 0
        self._max_pieces = MIN_PIECES + file.size if is_whole else max_pieces(file.size)
        self._may_be_deflated = may_be_deflated

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes; without a size, the rest of a deflated file.

        Raises
        ------
        FileFormatError
            if the file is deflated, and that is not accepted or its object is too large
        """
        # pydicom reads each tag and each value separately, so reads count the parts of a header.
        self._n_read += 1
        if self._n_read > self._max_pieces:
            raise ValueError(TOO_MANY.format(self._max_pieces))
        if size is None or size < 0:
            self._refuse_deflated()
        return self._stream.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to a position."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._stream.tell()

    def _refuse_deflated(self) -> None:
        name = self._file.name
        if not self._may_be_deflated:
            raise FileFormatError(
                f"{name}: the deflated transfer syntax is not supported; export the file again "
                "without compression."
            )
        start = self._stream.tell()
        max_bytes = min(MAX_INFLATED, max_unpacked_bytes(self._file.size - start))
        if _inflates_beyond(max_bytes, self._file, start):
            raise FileFormatError(
                f"{name}: would decompress from {self._file.size:,} to more than {max_bytes:,} "
                "bytes; export the file again without compression."
            )


def max_pieces(n_bytes: int) -> int:
    """Return the maximum number of parts of a header in a file of this size."""
    return min(MAX_PIECES, MIN_PIECES + n_bytes // BYTES_PER_PIECE)


def _inflates_beyond(max_bytes: int, file: InputFile, start: int) -> bool:
    """Return True if deflated data become larger than allowed; nothing of them is stored."""
    unpack, total = zlib.decompressobj(-zlib.MAX_WBITS), 0
    for at in range(start, file.size, PIECE_BYTES):
        left = file.read(PIECE_BYTES, at)
        while left and not unpack.eof:
            total += len(unpack.decompress(left, PIECE_BYTES))
            if total > max_bytes:
                return True
            left = unpack.unconsumed_tail
    return False
