"""Projection with the rows of a response line by line, without shifts.

    forward   y_i = Σ_n w_n f[begin_i + place_n]
    back      f[begin_i + place_n] += w_n y_i

n runs over the non-zeros of the row of line i. This is only a reference for benchmarks of
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
    """Project the image along the lines start ... stop − 1.

    Parameters
    ----------
    start, stop
        range of lines
    rows, begins
        (n_lines,) row of each line, and position of its first voxel
    row_starts
        (n_rows + 1,) first non-zero of every row
    places, weights
        (n_nonzero,) int32 voxels relative to the first one, and values
    image
        (n_voxels,), including margins
    out
        (n_lines,), which are written
    """
    for i in range(start, stop):
        # The voxels of a line are those of its row, shifted by a constant. The image includes
        # margins, so edges need no test.
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
