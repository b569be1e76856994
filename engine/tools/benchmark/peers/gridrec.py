"""The same slices with gridrec, the C code of tomopy, from a library that the user compiled.

tomopy has no wheels. Its source compiles without the rest; see `docs/benchmarks/peers.md`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.ctypeslib import ndpointer
from numpy.typing import NDArray

from engine.core.arrays import Array

NAME = "gridrec"
VARIABLE = "ISOCENTER_GRIDREC"
"""Environment variable with the path of the library."""
_FILTER = b"ramlak"
_REALS = ndpointer(np.float32, flags="C_CONTIGUOUS")


def build() -> str | None:
    """Return the name of the library; None if the variable is not set."""
    path = os.environ.get(VARIABLE)
    return f"gridrec of tomopy, {Path(path).name}" if path else None


def filtered_back_projection(
    scan: Array, angles_rad: Array, size: int, threads: int
) -> Callable[[], Array]:
    """Return a function that reconstructs slices from parallel beams with pixels of width 1.

    Rows are padded with zeros to twice their length, like ours: gridrec alone pads them to the next
    power of two, and its values are then too low by up to a half. A pixel of gridrec is on the
    axis, so its image is shifted by half a pixel.

    Parameters
    ----------
    scan
        (n_views, n_slices, n_columns) line integrals, in units of the pixel width
    angles_rad
        (n_views,) angles of the source [rad]
    size
        edge of a slice
    threads
        threads, each with its own slices

    Returns
    -------
    run
        returns (n_slices, size, size)

    Raises
    ------
    OSError
        if the library cannot be loaded
    """
    gridrec = ctypes.CDLL(os.environ[VARIABLE]).gridrec
    whole, text = ctypes.c_int, ctypes.c_char_p
    gridrec.argtypes = [_REALS, *[whole] * 3, *[_REALS] * 3, whole, whole, text, _REALS]
    gridrec.restype = None
    n_views, n_slices, n_columns = scan.shape
    before = n_columns // 2
    # tomopy's rows are [slice, view, column]
    sinograms = np.zeros((n_slices, n_views, 2 * n_columns), np.float32)
    sinograms[..., before : before + n_columns] = scan.transpose(1, 0, 2)
    centre = np.full(n_slices, before + (n_columns - 1) / 2, np.float32)
    theta = np.asarray(angles_rad, np.float32)
    unused = np.zeros(2, np.float32)
    parts = np.array_split(np.arange(n_slices), threads)

    def part(numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        some = sinograms[numbers[0] : numbers[-1] + 1]
        image = np.zeros((len(numbers), size, size), np.float32)
        data = (some, len(some), n_views, 2 * n_columns, centre[numbers], theta, image)
        gridrec(*data, size, size, _FILTER, unused)
        return image

    def all_slices() -> Array:
        with ThreadPoolExecutor(threads) as pool:
            made = np.concatenate([*pool.map(part, [each for each in parts if len(each)])])
        # gridrec's x varies slowest
        return made.transpose(0, 2, 1)

    return all_slices
