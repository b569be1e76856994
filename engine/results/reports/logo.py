"""Check the logo of a site by its number of pixels before it is decoded."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import TYPE_CHECKING

from engine.core.errors import SettingsError

if TYPE_CHECKING:
    from PIL.Image import Image

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
MAX_LOGO_BYTES = 4_000_000
MAX_LOGO_PIXELS = 25_000_000
"""Decoded, each pixel needs 4 bytes. A file of 0.5 MB can state 144 million pixels."""
LONGEST_EDGE = 2000
"""Pixels of the decoded logo along an edge: 1,000 per cm on paper."""
DAMAGE = (OSError, ValueError, SyntaxError, EOFError, IndexError, zlib.error)
"""Exceptions that Pillow raises for damaged images."""


def refuse_bad_logo(data: bytes, name: str) -> None:
    """Refuse a logo that is too large, damaged, or neither PNG nor JPEG.

    Parameters
    ----------
    data
        content of the file, or its first `MAX_LOGO_BYTES` + 1 bytes
    name
        file name for the message

    Raises
    ------
    SettingsError
        states the actual and the expected size
    """
    if len(data) > MAX_LOGO_BYTES:
        raise SettingsError(
            f"{name}: the logo has more than {MAX_LOGO_BYTES:,} bytes; choose a smaller image in "
            "the site settings."
        )
    if not data.startswith((PNG, JPEG)):
        raise SettingsError(
            f"{name}: the logo is not a PNG or JPEG image; choose another image of at most "
            f"{MAX_LOGO_BYTES:,} bytes in the site settings."
        )
    try:
        image = _undecoded(data)
        width, height = image.size
        if width * height > MAX_LOGO_PIXELS:
            raise SettingsError(
                f"{name}: the logo has {width:,} x {height:,} pixels, expected at most "
                f"{MAX_LOGO_PIXELS:,} in total; choose a smaller image in the site settings."
            )
        image.load()
    except DAMAGE as e:
        raise SettingsError(
            f"{name}: the logo is damaged ({' '.join(str(e).split())[:100]}); choose another PNG "
            "or JPEG image in the site settings."
        ) from e


def decoded_logo(data: bytes) -> Image:
    """Return the pixels of a checked logo with transparency, reduced to the size of a report.

    Parameters
    ----------
    data
        content that `refuse_bad_logo` has accepted
    """
    image = _undecoded(data)
    image.thumbnail((LONGEST_EDGE, LONGEST_EDGE))
    return image.convert("RGBA")


def _undecoded(data: bytes) -> Image:
    from PIL.JpegImagePlugin import JpegImageFile
    from PIL.PngImagePlugin import PngImageFile

    # Not `Image.open`: it would try other formats, and refuse large images without their size.
    kind = PngImageFile if data.startswith(PNG) else JpegImageFile
    return kind(BytesIO(data))
