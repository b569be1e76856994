"""Median over cubes of 27 voxels, by a network of comparisons between rows of an image.

A comparison of two rows writes the smaller number of each pair to one row and the larger to the
other. It has no branches, so it runs on vectors. The network has two steps:

1. The nine rows around a line of voxels are sorted, number by number (25 comparisons).
2. Three neighbours on the line then have three sorted columns of nine. Each row of three is sorted,
which leaves the columns sorted. Value i of column j can be the 14th of 27 only if (i + 1)(j + 1) ≤
14 and (9 − i)(3 − j) ≤ 14. This leaves 13 candidates, and the median is the 7th of them (20
comparisons).

Knuth, The Art of Computer Programming 3, section 5.3.4.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, only_read
from engine.core.json_types import Plain
from engine.kernels.blocks import run_blocks
from engine.kernels.compile_cache import cached_njit

_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_MATH)

SORT_9 = (
    *((0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (0, 3), (3, 6)),
    *((0, 3), (1, 4), (4, 7), (1, 4), (2, 5), (5, 8), (2, 5), (1, 3), (5, 7), (2, 6), (4, 6)),
    *((2, 4), (2, 3), (5, 6)),
)
"""Network that sorts nine rows: pairs to compare, smaller value first."""
SELECT_13 = (
    *((8, 9), (9, 11), (0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (3, 4), (5, 6), (9, 10)),
    *((11, 12), (2, 10), (3, 11), (4, 8), (5, 9), (6, 10), (3, 5), (6, 8), (5, 6)),
)
"""Network that moves the 7th of the 13 candidates into row 6."""
PLACES = (
    *((13, 13, 9), (13, 13, 10), (13, 4, 11), (13, 5, 12), (13, 6, 13), (0, 7, 13), (1, 8, 13)),
    *((2, 13, 13), (3, 13, 13)),
)
"""Row among the candidates for the three values of each sorted row; 13: not a candidate."""


LINES = 4
"""Lines that are filtered together, so that most vectors are complete."""


def median_of_cubes(image: Array, *, threads: int = 1) -> Array:
    """Return the median over 3 × 3 × 3 voxels; voxels at the border are repeated outside.

    Parameters
    ----------
    image
        (n_z, n_y, n_x) float32 or float64, C-contiguous
    threads
        number of threads

    Returns
    -------
    (n_z, n_y, n_x), same dtype
    """
    image, out = only_read(image), np.empty_like(image)
    n_z, _, n_x = image.shape
    tables = [np.array(pairs, np.int64) for pairs in (SORT_9, SELECT_13, PLACES)]

    def work(_: int, first: int, stop: int) -> None:
        # Each line has one more voxel at both ends, which repeats the border.
        width = LINES * (n_x + 2)
        nine, candidates = np.zeros((9, width), image.dtype), np.empty((14, width - 2), image.dtype)
        _filter(first, stop, image, *tables, nine, candidates, out)

    run_blocks(work, n_z, threads, smallest=1, in_turn=False)
    return out


@_KERNEL
def _compare(rows: Array, pairs: Array) -> None:
    """Compare rows pair by pair."""
    for k in range(len(pairs)):
        low, high = rows[pairs[k, 0]], rows[pairs[k, 1]]
        for x in range(len(low)):
            a, b = low[x], high[x]
            low[x] = a if a < b else b
            high[x] = b if a < b else a


@_KERNEL
def _across(row: Array, places: Array, candidates: Array) -> None:
    """Sort each three neighbours of a row, and write them to their rows of candidates."""
    low, middle, high = candidates[places[0]], candidates[places[1]], candidates[places[2]]
    one, two, three = row[:-2], row[1:-1], row[2:]
    for x in range(len(low)):
        a, b, c = one[x], two[x], three[x]
        a, b = (a if a < b else b), (b if a < b else a)
        b, c = (b if b < c else c), (c if b < c else b)
        a, b = (a if a < b else b), (b if a < b else a)
        low[x] = a
        middle[x] = b
        high[x] = c


@_KERNEL
def _filter(
    first: int, stop: int, image: Array, sort: Array, select: Array, places: Array,
    nine: Array, candidates: Array, out: Array,
) -> None:  # fmt: skip
    """Filter some slices; `LINES` lines are concatenated.

    nine : (9, width) and candidates : (14, width − 2) working memory. Values across the ends of two
        lines are discarded.
    """
    n_z, n_y, n_x = image.shape
    n_lines = nine.shape[1] // (n_x + 2)
    for z in range(first, stop):
        for low in range(0, n_y, n_lines):
            n = min(n_lines, n_y - low)
            for k in range(9):
                near_z = min(max(z + k // 3 - 1, 0), n_z - 1)
                for j in range(n):
                    near_y = min(max(low + j + k % 3 - 1, 0), n_y - 1)
                    line, row = image[near_z, near_y], nine[k, j * (n_x + 2) : (j + 1) * (n_x + 2)]
                    for x in range(n_x):
                        row[x + 1] = line[x]
                    row[0], row[n_x + 1] = line[0], line[n_x - 1]
            _compare(nine, sort)
            for k in range(9):
                _across(nine[k], places[k], candidates)
            _compare(candidates, select)
            for j in range(n):
                found = candidates[6, j * (n_x + 2) : j * (n_x + 2) + n_x]
                for x in range(n_x):
                    out[z, low + j, x] = found[x]
