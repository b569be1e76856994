"""Tests of damaged logos, and of logos with more pixels than a report needs.

Cases: PNG of 12,000 x 12,000 and 18,000 x 18,000 pixels (Pillow refuses the second); JPEG of
13,000 x 2,000; PNG with 2³¹ - 1 columns in its header; truncated PNG; text chunk that
unpacks to 5 MB; a GIF named PNG; a zero edge; a logo of exactly the limit (accepted).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image

from engine.core.errors import SettingsError
from engine.results.reports.logo import (
    LONGEST_EDGE,
    MAX_LOGO_PIXELS,
    decoded_logo,
    refuse_bad_logo,
)


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a PNG chunk."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *, before: bytes = b"", rows: int | None = None) -> bytes:
    """Return a white PNG with one bit per pixel and only some of its rows."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    n_rows = height if rows is None else rows
    packed = zlib.compress((b"\0" + b"\xff" * ((width + 7) // 8)) * n_rows if n_rows else b"", 9)
    return b"\x89PNG\r\n\x1a\n" + head + before + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def jpeg() -> bytes:
    data = BytesIO()
    Image.new("L", (13_000, 2_000)).save(data, "JPEG")
    return data.getvalue()


def gif() -> bytes:
    data = BytesIO()
    Image.new("L", (9, 9)).save(data, "GIF")
    return data.getvalue()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: png(12_000, 12_000, rows=1), "12,000 x 12,000 pixels, expected at most 25,000,0"),
        (lambda: png(18_000, 18_000, rows=1), r"18,000 x 18,000 pixels"),
        (lambda: png(2**31 - 1, 1, rows=0), r"2,147,483,647 x 1 pixels"),
        (jpeg, r"13,000 x 2,000 pixels"),
        (lambda: png(300, 300)[:-40], "damaged"),
        (lambda: png(300, 300, before=chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(5 << 20), 9))),
         "damaged"),
        (lambda: png(0, 10), "damaged"),
        (lambda: b"\x89PNG\r\n\x1a\n", "damaged"),
        (gif, "neither|not a PNG"),
    ],
)  # fmt: skip
def test_bad_logo_is_refused_before_decoding(make: Callable[[], bytes], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason) as refused:
        refuse_bad_logo(make(), "logo.png")
    assert "logo.png" in str(refused.value) and "hoose" in str(refused.value)


def test_large_logo_is_reduced_for_the_page() -> None:
    data = png(5000, MAX_LOGO_PIXELS // 5000)
    refuse_bad_logo(data, "logo.png")
    image = decoded_logo(data)
    assert max(image.size) == LONGEST_EDGE and image.getpixel((0, 0)) == (255, 255, 255, 255)
    assert decoded_logo(png(30, 10)).size == (30, 10)
