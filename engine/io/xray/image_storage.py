"""Allocate storage for the images of an X-ray scan: memory or a temporary file."""

from __future__ import annotations

import math

import numpy as np

from engine.core.paths import cache_dir
from engine.data.storage.columns import Scratch
from engine.io.safety.budget import SMALL_BYTES, free_memory, refuse_large_data
from engine.io.xray.frames import Images

WHOLE_SETS = 7
"""Sets of projections that a run holds at once where all is in memory; one of which fewer fit goes
into a file as it is read, since the run that follows works with files too."""
WHAT = "the projections"


def allocate_images(shape: tuple[int, ...], name: str) -> Images:
    """Return room for images (n, rows, columns); raises `ResourceError` where there is none.

    It lies in memory, or, where that would not hold what a run makes of the images, in a nameless
    file of ours that goes with them.

    Parameters
    ----------
    shape
        of the images
    name
        of the file that they are read from, for the sentence
    """
    n_bytes = 4 * math.prod(int(n) for n in shape)
    if n_bytes < SMALL_BYTES or WHOLE_SETS * n_bytes <= free_memory():
        return np.empty(shape, np.float32)
    room = Scratch(cache_dir(), WHAT)
    if n_bytes > room.free_bytes:
        refuse_large_data(n_bytes, name, WHAT)
    return room.empty(shape, np.float32)
