"""Read a TIFF file: a grey image or several pages, checked before tifffile unpacks anything."""

from __future__ import annotations

import logging
import struct
import zlib
from typing import Any

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.safety.budget import refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile

MAGICS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
DAMAGE = (
    OSError,
    ValueError,
    RuntimeError,
    LookupError,
    TypeError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    ImportError,
    struct.error,
    zlib.error,
)
"""Exceptions that tifffile raises for damaged images."""
UNCOMPRESSED, DEFLATE = 1, (8, 32946)
UNSUPPORTED = {34925: "LZMA", 34926: "Zstandard", 50000: "Zstandard"}
"""Compressions that tifffile may decompress, depending on Python, but that this reader refuses."""
MAX_PAGES = 100_000
# Our own error messages replace the log of tifffile.
logging.getLogger("tifffile").addHandler(logging.NullHandler())


def is_tiff(head: bytes) -> bool:
    """Return True if a file begins like a TIFF or BigTIFF file."""
    return head[:4] in MAGICS


def tiff_of(file: InputFile) -> Array:
    """Read a grey image.

    Parameters
    ----------
    file
        TIFF or BigTIFF file

    Returns
    -------
    image
        (rows, columns), or (pages, rows, columns), in the stored type

    Raises
    ------
    FileFormatError
        if the file is damaged, or is not a grey image
    """
    import tifffile

    if not is_tiff(file.head):
        raise FileFormatError(
            f"{file.name}: not a TIFF image; copy it again, or choose another file."
        )
    try:
        _refuse_endless(file)
        # is_ome=False: OME metadata can refer to other files, which tifffile would open.
        with tifffile.TiffFile(file.stream(), name=file.name, is_ome=False) as images:
            _refuse_unusable(images, file)
            # One thread: by default, tifffile starts several for each compressed image.
            return np.asarray(images.asarray(maxworkers=1))
    except DAMAGE as e:
        reason = " ".join(str(e).split())
        raise FileFormatError(
            f"{file.name}: damaged or truncated TIFF image; copy it again. Reason: {reason}."
        ) from e


def _refuse_endless(file: InputFile) -> None:
    """Refuse pages that form a loop, and more pages than any scan has."""
    order = "<" if file.head.startswith(b"II") else ">"
    is_big = file.head[2:4] in (b"+\0", b"\0+")
    # BigTIFF has 64-bit counts and offsets, and entries of 20 bytes instead of 12.
    count, entry, place = ("Q", 20, "Q") if is_big else ("H", 12, "I")
    n_bytes = struct.calcsize(f"{order}{count}")
    (at,) = struct.unpack_from(f"{order}{place}", file.head, 8 if is_big else 4)
    seen: set[int] = set()
    while at and at not in seen and len(seen) < MAX_PAGES:
        seen.add(at)
        (n_entries,) = struct.unpack(f"{order}{count}", file.read(n_bytes, at))
        last = file.read(struct.calcsize(f"{order}{place}"), at + n_bytes + n_entries * entry)
        (at,) = struct.unpack(f"{order}{place}", last)
    if at:
        raise ValueError(f"the pages form a loop, or there are more than {MAX_PAGES:,} pages")


def _refuse_unusable(images: Any, file: InputFile) -> None:
    """Refuse images other than grey ones, and sizes larger than the file, before reading."""
    pages = images.pages
    shape, dtype = pages[0].shape, pages[0].dtype
    if len(shape) != 2 or dtype is None or dtype.kind not in "uif":
        raise FileFormatError(
            f"{file.name}: the image has the shape {shape} and the type {dtype}, expected one grey "
            "value per pixel; save it as a greyscale image."
        )
    n_bytes = sum(_checked_page(page, file, dtype.itemsize) for page in pages)
    n_series = int(images.series[0].nbytes)
    if n_series > max(n_bytes, file.size):
        raise FileFormatError(
            f"{file.name}: damaged or truncated TIFF image (it states {n_series:,} bytes of "
            f"pixels, but the file has only {file.size:,}); copy it again."
        )
    refuse_large_data(n_series, file.name)


def _checked_page(page: Any, file: InputFile, item_bytes: int) -> int:
    """Return the pixel bytes of a page; refuse missing data and implausible compression."""
    n_bytes = int(np.prod(page.shape, dtype=object)) * item_bytes
    places = list(zip(page.dataoffsets, page.databytecounts, strict=False))
    here = sum(page.databytecounts)
    is_uncompressed = int(page.compression) == UNCOMPRESSED
    ends = max((at + n for at, n in places), default=0)
    if ends > file.size or (is_uncompressed and n_bytes > here) or not all(page.dataoffsets):
        raise FileFormatError(
            f"{file.name}: damaged or truncated TIFF image (some of its {n_bytes:,} bytes of "
            f"pixels lie beyond the end of the file at {file.size:,} bytes); copy it again."
        )
    # A hostile stream of these can require gigabytes for its dictionary or window.
    unsupported = UNSUPPORTED.get(int(page.compression))
    if unsupported is not None:
        raise FileFormatError(
            f"{file.name}: {unsupported} compression is not supported; save the image uncompressed "
            "or with deflate."
        )
    if not is_uncompressed:
        refuse_bomb(n_bytes, here, file.name)
        segment = int(np.prod(page.chunks, dtype=object)) * item_bytes
        refuse_bomb(segment, file.size, file.name)
        if int(page.compression) in DEFLATE:
            _refuse_overfull(file, places, segment)
    return n_bytes


def _refuse_overfull(file: InputFile, places: list[tuple[int, int]], segment: int) -> None:
    """Refuse parts that unpack to more than their pixels; tifffile would unpack all of them."""
    for at, n_bytes in places:
        data = zlib.decompressobj().decompress(file.read(n_bytes, at), segment + 1)
        if len(data) > segment:
            raise FileFormatError(
                f"{file.name}: damaged TIFF image (a strip or tile decompresses to more than "
                f"{segment:,} bytes); copy it again."
            )
