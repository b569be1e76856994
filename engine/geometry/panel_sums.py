"""Between values of lines of response and values of the crystals of two panels.

sums      s0[i] = Σ_j y[i, j],   s1[j] = Σ_i y[i, j]
products  y[i, j] = s0[i] s1[j]

over all pairs of a crystal i of panel 0 and a crystal j of panel 1. All lines of an orientation
are a picture of shifts, so each orientation is one sum, or product, of two rectangles of crystals.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.arrays import Array
from engine.geometry.orientations import Orientations

Places = tuple[slice, slice]


def sums(table: Orientations, y: Array) -> NDArray[np.float64]:
    """(2, n_rows, n_columns) sums of the values y (n_pairs,) of all lines of each crystal."""
    found = np.zeros((2, table.n_rows, table.n_columns))
    for lines, shape, first, second in _rectangles(table):
        image = y[lines].reshape(shape)
        found[0][first] += image
        found[1][second] += image
    return found


def products(
    table: Orientations, values: Array, dtype: DTypeLike = np.float32
) -> NDArray[np.float32]:
    """(n_pairs,) products of the values (2, n_rows, n_columns) of both crystals of each line."""
    out = np.empty(table.n_pairs, dtype)
    for lines, shape, first, second in _rectangles(table):
        np.multiply(
            values[0][first], values[1][second], out=out[lines].reshape(shape), casting="same_kind"
        )
    return out


def _rectangles(table: Orientations) -> Iterator[tuple[slice, tuple[int, int], Places, Places]]:
    """Yield the lines of each orientation, their shape, and the crystals on either panel."""
    for a, b in table.offsets.tolist():
        lines, shape = table.block(a, b)
        yield lines, shape, _places((-a, -b), shape), _places((a, b), shape)


def _places(steps: tuple[int, int], shape: tuple[int, int]) -> Places:
    (row, column), (n_rows, n_columns) = (max(step, 0) for step in steps), shape
    return slice(row, row + n_rows), slice(column, column + n_columns)
