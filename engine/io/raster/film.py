"""Write movies of existing images: GIF for slides, animated PNG without loss.

GIF has 256 colours per frame, so images with many colours lose some. Its frames last multiples of
10 ms, at least 20 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, UnknownFormatError
from engine.io.safety.atomic_write import write_atomically

FILM_SUFFIXES = (".gif", ".png")
GIF_STEP_MS = 10
COLOURS = 256
Frame = NDArray[np.uint8]


def write_film(frames: Sequence[Frame], path: Path, *, frame_ms: float) -> None:
    """Write images as a movie that repeats without end, completely or not at all.

    Parameters
    ----------
    frames
        images (rows, columns, 3) in red, green and blue, all of one size
    path
        file with suffix ".gif", or ".png" for an animated PNG
    frame_ms
        duration of each image [ms]

    Raises
    ------
    UnknownFormatError
        if the suffix is another one
    DataError
        if there is no image, or the sizes differ
    """
    write_atomically(film(frames, path.suffix.lower(), frame_ms=frame_ms), path)


def film(frames: Sequence[Frame], suffix: str, *, frame_ms: float) -> bytes:
    """Return the bytes of a movie.

    Parameters
    ----------
    frames
        images (rows, columns, 3), all of one size
    suffix
        ".gif" or ".png"
    frame_ms
        duration of each image [ms]; GIF rounds it to 10 ms

    Raises
    ------
    UnknownFormatError
        if the suffix is another one
    DataError
        if there is no image, or the sizes differ
    """
    from PIL import Image

    if suffix not in FILM_SUFFIXES:
        raise UnknownFormatError(
            f"the suffix of the movie is {suffix!r}, expected one of {', '.join(FILM_SUFFIXES)}; "
            "change the file name."
        )
    # A window that was resized during recording gives images of several sizes.
    sizes = {each.shape for each in frames}
    if len(sizes) != 1:
        raise DataError(
            f"the movie has {len(sizes)} image sizes (images: {len(frames)}), expected images of "
            "a single size; record it again without resizing the window."
        )
    images = [Image.fromarray(each) for each in frames]
    if suffix == ".gif":
        # Dithering would look like noise, and it flickers from frame to frame.
        none = Image.Dither.NONE
        images = [each.quantize(COLOURS, dither=none) for each in images]
        # Many browsers show frames of less than 20 ms as if they had 100 ms.
        frame_ms = max(round(frame_ms / GIF_STEP_MS), 2) * GIF_STEP_MS
    buffer = BytesIO()
    kind = suffix.removeprefix(".").upper()
    images[0].save(
        buffer, kind, save_all=True, append_images=images[1:], duration=round(frame_ms), loop=0
    )
    return buffer.getvalue()
