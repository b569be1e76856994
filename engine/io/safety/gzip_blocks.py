"""Compress gzip with all threads: one member whose blocks are compressed in parallel.

Blocks end at a byte (a sync flush) and begin with the 32 KiB before them as their dictionary, so
that what a reader sees is one stream of deflate like any other (RFC 1951, RFC 1952; the way of
pigz). Intel's ISA-L deflates, at about the ratio of zlib in a tenth of its time. The bytes are the
same for any number of threads.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from isal import isal_zlib

LEVEL = 2
"""Out of 0 to 3: above it, real volumes are 3 % smaller in twice the time, and noise is not."""
BLOCK = 1 << 20
AT_ONCE = 32
"""Blocks of a stream that are packed beside one another."""
WINDOW = 1 << 15
"""Bytes before a block that it may repeat: deflate reaches no farther back."""
MOST_THREADS = 16
HEADER = b"\x1f\x8b\x08\x00" + bytes(4) + b"\x00\xff"
"""Magic, deflate, no flags, no time, no level, no system (RFC 1952, section 2.3)."""


def gzipped(content: bytes, *, threads: int | None = None) -> bytes:
    """Return the bytes of a gzip file, without a name or a time.

    Parameters
    ----------
    content
        what is packed
    threads
        that work; None: one for each core
    """
    view = memoryview(content)
    with ThreadPoolExecutor(threads or min(os.cpu_count() or 1, MOST_THREADS)) as pool:
        parts = pool.map(lambda start: _block(view, start), range(0, max(len(view), 1), BLOCK))
        packed = b"".join([HEADER, *parts])
    return packed + struct.pack("<II", zlib.crc32(view), len(view) & 0xFFFFFFFF)


def gzip_pieces(
    pieces: Iterable[bytes | memoryview], *, threads: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes of `gzipped` for content that comes in pieces, since memory may not hold it.

    Parameters
    ----------
    pieces
        of the content
    threads
        that work; None: one for each core
    """
    crc, size, before, left = 0, 0, b"", bytearray()
    yield HEADER
    with ThreadPoolExecutor(threads or min(os.cpu_count() or 1, MOST_THREADS)) as pool:
        for piece in pieces:
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            left += piece
            n_bytes = (len(left) - 1) // BLOCK * BLOCK  # one is held back: the last ends the stream
            if n_bytes >= AT_ONCE * BLOCK:
                content = bytes(left[:n_bytes])
                yield from _blocks(pool, before, content, is_end=False)
                before = content[-WINDOW:]
                del left[:n_bytes]
        yield from _blocks(pool, before, bytes(left), is_end=True)
    yield struct.pack("<II", crc, size & 0xFFFFFFFF)


def _blocks(
    pool: ThreadPoolExecutor, before: bytes, content: bytes, *, is_end: bool
) -> Iterator[bytes]:
    """Compress all blocks of some content, which goes on after the bytes `before`."""
    view, first = memoryview(before + content), len(before)
    starts = range(first, max(len(view), first + 1), BLOCK)
    return pool.map(lambda at: _block(view, at, ends=is_end and at == starts[-1]), starts)


def _block(content: memoryview, start: int, *, ends: bool | None = None) -> bytes:
    """Compress the block that begins at `start`; the last one `ends` the stream, unless said."""
    data, before = content[start : start + BLOCK], content[max(0, start - WINDOW) : start]
    is_last = start + BLOCK >= len(content) if ends is None else ends
    return _deflated(data, bytes(before), is_last=is_last)


def _deflated(data: memoryview, before: bytes, *, is_last: bool) -> bytes:
    raw = LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS
    stream = isal_zlib.compressobj(*raw, zdict=before) if before else isal_zlib.compressobj(*raw)
    packed = stream.compress(data)
    return bytes(packed + stream.flush(zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH))
