"""Projection with the rows of a response line by line, without using shifts.

    forward   y_i = Σ_n w_n f[begin_i + place_n]
    back      f[begin_i + place_n] += w_n y_i

over the non-zeros n of the row of line i. It is only a reference in benchmarks of
`engine.kernels.matrix.correlation`.
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
        # a line has the voxels of its row shifted by a constant: margins are part of the
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
    """Add the adjoint of `forward` to an image of this thread.

    Parameters
    ----------
    start, stop
        range of lines
    rows, begins, row_starts, places, weights
        as for `forward`
    y
        (n_lines,)
    image
        (n_voxels,), one for each thread
    """
    for i in range(start, stop):
        begin, value = begins[i], y[i]
        for n in range(row_starts[rows[i]], row_starts[rows[i] + 1]):
            image[begin + places[n]] += weights[n] * value
