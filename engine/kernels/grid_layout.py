"""Layout and memory of the grids of frequencies of `engine.kernels.gridding`, without Numba."""

from __future__ import annotations

from math import ceil

from scipy.fft import next_fast_len

LANES = 8
"""Slices in one grid; real and imaginary parts of a cell of all slices fill a cache line."""
TAPS = 4
"""Cells along an axis to which a wave is added."""
MARGIN = 2
"""Cells outside each edge of the grid, for taps."""
OVERSAMPLING = 1.5
"""Period of the grid in voxels, relative to the width of the slice."""
_COMPLEX_BYTES = 8
_GRIDS_BYTES = 4 << 30
"""Maximum memory of the grids of all threads; above it, fewer threads work."""


def period_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the even period (n_y, n_x) of the grid of a slice.

    Parameters
    ----------
    shape
        (..., n_y, n_x) of the volume
    """
    n_y, n_x = (2 * next_fast_len(ceil(OVERSAMPLING * n / 2) + TAPS) for n in shape[-2:])
    return n_y, n_x


def working_threads(shape: tuple[int, ...], threads: int) -> int:
    """Return the number of threads that work: the grids of all of them must fit into the memory.

    Parameters
    ----------
    shape
        (..., n_y, n_x) of the volume
    threads
        threads of the device
    """
    return max(1, min(threads, _GRIDS_BYTES // _bytes_of_one(shape)))


def buffer_bytes(shape: tuple[int, ...], threads: int) -> int:
    """Return the memory of the grids of all threads.

    Parameters
    ----------
    shape
        (..., n_y, n_x) of the volume
    threads
        threads of the device
    """
    return _bytes_of_one(shape) * working_threads(shape, threads)


def _bytes_of_one(shape: tuple[int, ...]) -> int:
    """Return the memory of a thread: a grid, and its copy slice by slice."""
    n_y, n_x = period_of(shape)
    return 2 * LANES * _COMPLEX_BYTES * (n_y + 2 * MARGIN) * (n_x // 2 + 1 + 2 * MARGIN)
