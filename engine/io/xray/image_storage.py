"""Allocate storage for the images of an X-ray scan: memory or a temporary file."""

from __future__ import annotations

import math

import numpy as np

from engine.core.paths import cache_dir
from engine.data.storage.columns import Scratch
from engine.io.safety.budget import SMALL_BYTES, free_memory, refuse_large_data
from engine.io.xray.frames import Images

WHOLE_SETS = 7
"""Number of copies of the projections that a run needs in memory. If fewer fit, the projections are
read into a file, because the run will also work with files."""
WHAT = "the projections"


def allocate_images(shape: tuple[int, ...], name: str) -> Images:
    """Return an uninitialised float32 array for images (n, rows, columns).

    It is in memory, or in a temporary file if a run with these images would need too much memory.
    The file is removed with the array.

    Parameters
    ----------
    shape
        shape of the images
    name
        name of the file that they are read from, for the error message

    Raises
    ------
    ResourceError
        if neither memory nor disk has enough space
    """
    n_bytes = 4 * math.prod(int(n) for n in shape)
    # Small scans do not ask the system for free memory.
    if n_bytes < SMALL_BYTES or WHOLE_SETS * n_bytes <= free_memory():
        return np.empty(shape, np.float32)
    room = Scratch(cache_dir(), WHAT)
    # If the images fit neither the disk nor the memory, the memory is reported.
    if n_bytes > room.free_bytes:
        refuse_large_data(n_bytes, name, WHAT)
    return room.empty(shape, np.float32)
