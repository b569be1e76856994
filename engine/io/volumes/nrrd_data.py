"""Read the values of NRRD, after the header or in separate files; sizes are checked first."""

from __future__ import annotations

import bz2
import zlib

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.io.folder import open_below
from engine.io.safety.budget import most_unpacked, refuse_large_data
from engine.io.safety.open_input import InputFile
from engine.io.volumes.nrrd_header import NrrdHeader

RAW, GZIP, BZIP2 = ("raw",), ("gzip", "gz"), ("bzip2", "bz2")
MOST_LINES = 100_000
"""Largest number of lines that are skipped before the values."""


def read_values(
    file: InputFile, header: NrrdHeader, shape: tuple[int, ...], kind: np.dtype[np.generic]
) -> NDArray[np.float32]:
    """Return the values, first axis fastest in the file.

    Parameters
    ----------
    file
        file of the header
    header
        with the names of the data files, if there are any
    shape, kind
        stated shape and type of the values

    Raises
    ------
    FileFormatError
        if a file is missing, damaged, or smaller than stated
    """
    n_bytes = int(np.prod(shape, dtype=object)) * kind.itemsize
    # Stored bytes and float32 values are in memory together.
    refuse_large_data(n_bytes + 4 * n_bytes // kind.itemsize, file.name)
    if not header.files:
        data = _payload(file, header, header.start, n_bytes)
    elif n_bytes % len(header.files):
        raise FileFormatError(
            f"{file.name}: {n_bytes:,} bytes of values cannot be divided evenly among "
            f"{len(header.files):,} files; export it again."
        )
    else:
        data = b"".join(_of_file(file, header, name, n_bytes) for name in header.files)
    return np.asarray(np.frombuffer(data, kind).reshape(shape, order="F"), np.float32)


def _of_file(file: InputFile, header: NrrdHeader, name: str, n_bytes: int) -> bytes:
    with open_below(file.path, name) as data:
        return _payload(data, header, 0, n_bytes // len(header.files))


def _payload(file: InputFile, header: NrrdHeader, start: int, n_bytes: int) -> bytes:
    """Return the bytes of the values in one file."""
    encoding = str(header.fields["encoding"]).lower()
    if n_bytes > (file.size if encoding in RAW else most_unpacked(file.size)):
        raise FileFormatError(
            f"{file.name}: its header states {n_bytes:,} bytes of values, but the file has "
            f"{file.size:,} bytes; copy it again."
        )
    start, skipped = _after_lines(file, header, start), _skip(header, "byte")
    # NRRD, "byte skip": −1 means that the values are at the end of the file, for raw data only.
    if skipped < 0 and encoding in RAW:
        start, skipped = file.size - n_bytes, 0
    if skipped < 0 or skipped > file.size:
        raise FileFormatError(
            f"{file.name}: its header skips {skipped:,} bytes before the values, expected 0 to "
            f"{file.size:,}; export it again."
        )
    # Bytes are skipped after decompression, lines before it.
    data = _unpacked(file, encoding, start, skipped + n_bytes)[skipped:]
    if len(data) != n_bytes:
        raise FileFormatError(
            f"{file.name}: truncated after {len(data):,} bytes of values, expected {n_bytes:,}; "
            "copy it again."
        )
    return data


def _after_lines(file: InputFile, header: NrrdHeader, start: int) -> int:
    """Return the byte offset after the lines to be skipped."""
    n = _skip(header, "line")
    if n <= 0:
        return start
    if n <= MOST_LINES:
        parts = file.read(start=start).split(b"\n", n)
        if len(parts) > n:
            return file.size - len(parts[n])
    raise FileFormatError(
        f"{file.name}: its header skips {n:,} lines before the values, but the file has fewer "
        "lines; export it again."
    )


def _skip(header: NrrdHeader, what: str) -> int:
    # The format allows both spellings.
    names = (f"{what} skip", f"{what}skip")
    return next((int(header.fields[name]) for name in names if name in header.fields), 0)


def _unpacked(file: InputFile, encoding: str, start: int, n_bytes: int) -> bytes:
    try:
        if encoding in RAW:
            return file.read(n_bytes, start)
        if encoding in GZIP:
            return zlib.decompressobj(wbits=31).decompress(file.read(start=start), n_bytes)
        if encoding in BZIP2:
            return bz2.BZ2Decompressor().decompress(file.read(start=start), n_bytes)
    except (zlib.error, OSError, ValueError, EOFError) as e:
        raise FileFormatError(f"{file.name}: damaged ({e}); copy it again.") from e
    raise FileFormatError(
        f"{file.name}: values are encoded as {encoding[:20]!r}, expected raw, gzip or bzip2; save "
        "the image in one of these encodings."
    )
