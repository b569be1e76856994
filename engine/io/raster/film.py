"""Films of pictures that are there already: GIF for slides, animated PNG without loss.

A GIF has 256 colours in each frame, so that images in many colours lose some; its frames last
whole hundredths of a second, at least two.
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
    """Write images as a film that begins anew at its end; whole or not at all.

    Parameters
    ----------
    frames
        (rows, columns, 3) red, green and blue of each, all of one size
    path
        ends in ".gif", or in ".png" for an animated PNG
    frame_ms
        how long each is shown [ms]

    Raises
    ------
    UnknownFormatError
        where the ending is another one
    DataError
        where there is no frame, or they differ in size
    """
    write_atomically(film(frames, path.suffix.lower(), frame_ms=frame_ms), path)


def film(frames: Sequence[Frame], suffix: str, *, frame_ms: float) -> bytes:
    """Return a film as the bytes of a file; see `write_film`."""
    from PIL import Image

    if suffix not in FILM_SUFFIXES:
        raise UnknownFormatError(
            f"a movie cannot be saved as {suffix or 'a file without suffix'}; use the suffix "
            f"{' or '.join(FILM_SUFFIXES)}."
        )
    sizes = {each.shape for each in frames}
    if len(sizes) != 1:
        raise DataError(
            f"a movie of {len(frames)} images in {len(sizes)} sizes, expected at least one image "
            "and a single size; record it again without resizing the window."
        )
    images = [Image.fromarray(each) for each in frames]
    if suffix == ".gif":
        none = Image.Dither.NONE
        images = [each.quantize(COLOURS, dither=none) for each in images]
        frame_ms = max(round(frame_ms / GIF_STEP_MS), 2) * GIF_STEP_MS
    buffer = BytesIO()
    kind = suffix.removeprefix(".").upper()
    images[0].save(
        buffer, kind, save_all=True, append_images=images[1:], duration=round(frame_ms), loop=0
    )
    return buffer.getvalue()
