"""Projection with the rows of a response one line after the other, as it is done without shifts.

forward   y_i = Σ_n w_n f[begin_i + place_n]
back      f[begin_i + place_n] += w_n y_i

over the non-zeros n of the row of line i. Nobody reconstructs with this: it is what a benchmark
holds the correlation form of `engine.kernels.matrix.correlation` against.
"""

from __future__ import annotations

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

_MATH: Plain = {
    "fastmath": {"reassoc", "nsz", "arcp", "contract"},
    "error_model": "numpy",
    "_nrt": False,
}
_KERNEL = cached_njit(**_MATH)


@_KERNEL
def forward(
    start: int, stop: int, rows: Array, begins: Array, row_starts: Array, places: Array,
    weights: Array, image: Array, out: Array,
) -> None:  # fmt: skip
    """Project the image along the lines start ... stop - 1.

    rows : (n_lines,) row of each line; begins : (n_lines,) where its first voxel lies
    row_starts : (n_rows + 1,) first non-zero of every row
    places : (n_nonzero,) int32 voxel, from the first one; weights : (n_nonzero,)
    image : (n_voxels,); out : (n_lines,)
    """
    for i in range(start, stop):
        # a line has the voxels of its row moved by one constant, since margins are part of the
        # image: no test for the edge
        begin, total = begins[i], weights.dtype.type(0)
        for n in range(row_starts[rows[i]], row_starts[rows[i] + 1]):
            total += weights[n] * image[begin + places[n]]
        out[i] = total


@_KERNEL
def back(
    start: int, stop: int, rows: Array, begins: Array, row_starts: Array, places: Array,
    weights: Array, y: Array, image: Array,
) -> None:  # fmt: skip
    """The adjoint of `forward`, into an image of this thread."""
    for i in range(start, stop):
        begin, value = begins[i], y[i]
        for n in range(row_starts[rows[i]], row_starts[rows[i] + 1]):
            image[begin + places[n]] += weights[n] * value
