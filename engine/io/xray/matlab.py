"""Read MATLAB 5.0 files with simple numbers, texts and structs; all else is refused.

The format is published by its vendor ("MAT-File Format"). This is our own reader, because SciPy
trusts the stated lengths, and a file with wrong lengths crashes the process.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array

MARK = b"MATLAB 5.0 MAT-file"
MARK_OF_HDF5 = b"MATLAB 7.3 MAT-file"
"""Begin of files that are HDF5, with the axes of each array in reverse order."""
HEADER_BYTES, TAG_BYTES = 128, 8
BEGINNING = 4096
"""Bytes of a variable that contain flags, up to some hundred axes, and the name."""
MATRIX, COMPRESSED = 14, 15
TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
"""Storage type of a text -> encoding."""
STRUCT, TEXT, DOUBLE = 2, 4, 6
NUMBERS = range(6, 16)
COMPLEX = 0x800
DEEPEST = 4
MAX_FIELDS = 1000

Struct = dict[str, "Value"]
Value = Array | str | Struct | None
"""Numbers, a text, a struct of one element, or None for anything else."""


class MatlabError(ValueError):
    """The content violates the format."""


@dataclass(frozen=True)
class _Part:
    """An element with its type and bytes."""

    kind: int
    data: memoryview


def variables(content: memoryview, max_bytes: int) -> Iterator[tuple[str, Value]]:
    """Yield name and value of each variable.

    Parameters
    ----------
    content
        the whole file
    max_bytes
        limit of the unpacked size of all variables

    Raises
    ------
    MatlabError
        if the content violates the format or exceeds the limit
    """
    order = order_of(bytes(content[:HEADER_BYTES]))
    for stored in _parts(content[HEADER_BYTES:], order):
        part: _Part | None = stored
        if stored.kind == COMPRESSED:
            inner = memoryview(_unpacked(stored.data, max_bytes))
            max_bytes -= len(inner)
            part = next(_parts(inner, order), None)
        if part is None:
            raise MatlabError("a compressed variable is empty")
        if part.kind != MATRIX:
            raise MatlabError(f"a variable has type {part.kind}, expected {MATRIX}")
        yield _matrix(part.data, order, 0)


@dataclass(frozen=True)
class Entry:
    """Place of a variable in its file.

    Attributes
    ----------
    name : name of the variable
    start : byte offset of its tag
    n_bytes : size of tag and content
    """

    name: str
    start: int
    n_bytes: int


def entries(read: Callable[[int, int], bytes], size: int) -> Iterator[Entry]:
    """Yield the position of each variable without unpacking its values.

    Parameters
    ----------
    read
        function that returns bytes of the file, `read(n_bytes, start)`
    size
        size of the file in bytes

    Raises
    ------
    MatlabError
        if the file is truncated or violates the format
    """
    order = order_of(read(HEADER_BYTES, 0))
    at = HEADER_BYTES
    while at + TAG_BYTES <= size:
        kind, n_bytes = struct.unpack(f"{order}II", read(TAG_BYTES, at))
        if at + TAG_BYTES + n_bytes > size:
            raise MatlabError(f"a variable of {n_bytes:,} bytes is incomplete")
        begin = read(min(n_bytes, BEGINNING), at + TAG_BYTES)
        if kind == COMPRESSED:
            begin = zlib.decompressobj().decompress(begin, BEGINNING)[TAG_BYTES:]
        elif kind != MATRIX:
            raise MatlabError(f"a variable has type {kind}, expected {MATRIX} or {COMPRESSED}")
        yield Entry(_name(begin, order), at, TAG_BYTES + n_bytes)
        # Elements are padded to 8 bytes, except compressed ones (MAT-File Format, "Data Element").
        at += TAG_BYTES + n_bytes + (0 if kind == COMPRESSED else -n_bytes % 8)


def _name(begin: bytes, order: str) -> str:
    """Return the name of a variable from its first bytes."""
    parts = _parts(memoryview(begin), order)
    try:
        _, _, name = next(parts), next(parts), next(parts)
    except StopIteration as e:
        raise MatlabError("parts of a variable are missing") from e
    return bytes(name.data).decode("latin-1")


def order_of(head: bytes) -> str:
    """Return the byte order in a file header, as the sign of `struct`."""
    # Writers store the 16-bit number "MI"; in a little-endian file its bytes are "IM".
    return "<" if head[126:HEADER_BYTES] == b"IM" else ">"


def _unpacked(data: memoryview, max_bytes: int) -> bytes:
    unpack = zlib.decompressobj()
    # One byte more than allowed shows that the limit is exceeded, without unpacking all.
    found = unpack.decompress(data, max_bytes + 1)
    if len(found) > max_bytes:
        raise MatlabError(f"a variable decompresses to more than {max_bytes:,} bytes")
    return found


def _parts(data: memoryview, order: str) -> Iterator[_Part]:
    """Yield the elements in a range of bytes; incomplete ones are refused."""
    at = 0
    while at + 8 <= len(data):
        kind, n_bytes = struct.unpack_from(f"{order}II", data, at)
        begin, step = at + 8, n_bytes + (0 if kind == COMPRESSED else -n_bytes % 8)
        # Small data element: the upper 16 bits are its size, and up to 4 bytes are in the tag.
        if kind >> 16:
            kind, n_bytes, begin, step = kind & 0xFFFF, kind >> 16, at + 4, 0
            if n_bytes > 4:
                raise MatlabError(f"a short element has {n_bytes} bytes, expected at most 4")
        if begin + n_bytes > len(data):
            raise MatlabError(f"an element of {n_bytes:,} bytes is incomplete")
        yield _Part(kind, data[begin : begin + n_bytes])
        at += 8 + step


def _matrix(data: memoryview, order: str, depth: int) -> tuple[str, Value]:
    parts = _parts(data, order)
    try:
        flags, shape = next(parts), _shape(next(parts), order)
        name = bytes(next(parts).data).decode("latin-1")
        (word,) = struct.unpack_from(f"{order}I", flags.data)
        kind = word & 0xFF
        if kind == STRUCT:
            return name, _struct(parts, shape, order, depth)
        if kind == TEXT:
            return name, _text(next(parts), order)
        if kind in NUMBERS and not word & COMPLEX:
            return name, _numbers(next(parts), shape, order)
    except StopIteration as e:
        raise MatlabError("parts of a variable are missing") from e
    return name, None


def _shape(part: _Part, order: str) -> tuple[int, ...]:
    sizes = np.frombuffer(part.data, f"{order}i4").tolist() if part.kind == 5 else []
    # Every MATLAB array has at least two axes.
    if len(sizes) < 2 or min(sizes) < 0:
        raise MatlabError(
            f"the shape of an array is {sizes[:8]}, expected two or more sizes of at least 0"
        )
    return tuple(sizes)


def _numbers(part: _Part, shape: tuple[int, ...], order: str) -> Array:
    # Stored types differ from the class of the array: MATLAB compresses small integers.
    kind = TYPES.get(part.kind)
    if kind is None:
        raise MatlabError(
            f"the numbers have type {part.kind}, expected one of {', '.join(map(str, TYPES))}"
        )
    values = np.frombuffer(part.data, f"{order}{kind}")
    if len(values) != math.prod(shape):
        raise MatlabError(f"an array has {len(values):,} numbers, expected {math.prod(shape):,}")
    return values.reshape(shape, order="F")


def _text(part: _Part, order: str) -> str:
    encoding = TEXTS.get(part.kind)
    if encoding is None:
        raise MatlabError(
            f"a string has type {part.kind}, expected one of {', '.join(map(str, TEXTS))}"
        )
    ends = {"<": "-le", ">": "-be"}[order] if encoding in ("utf-16", "utf-32") else ""
    return bytes(part.data).decode(encoding + ends, errors="replace")


def _struct(parts: Iterator[_Part], shape: tuple[int, ...], order: str, depth: int) -> Value:
    """Return a struct with its fields, None if it has several elements."""
    (length,) = struct.unpack_from(f"{order}i", next(parts).data)
    data = bytes(next(parts).data)
    # The depth is limited, because a hostile file could nest structs until the stack overflows.
    if math.prod(shape) != 1 or depth == DEEPEST:
        return None
    if length < 1 or len(data) // length > MAX_FIELDS:
        raise MatlabError(
            f"the field names need {len(data):,} bytes, expected at most {MAX_FIELDS:,} names of "
            f"{length} bytes"
        )
    names = [data[k : k + length].split(b"\0")[0] for k in range(0, len(data), length)]
    found: Struct = {}
    for name in names:
        part = next(parts)
        # An empty matrix element has no flags and no shape (MAT-File Format, "miMATRIX").
        is_empty = part.kind == MATRIX and not len(part.data)
        inner = (
            _matrix(part.data, order, depth + 1)[1]
            if part.kind == MATRIX and not is_empty
            else None
        )
        found[name.decode("latin-1")] = inner
    return found
