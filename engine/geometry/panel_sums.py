"""Sums and products between values of lines and values of the crystals of two panels.

    sums      s0[i] = Σ_j y[i, j],   s1[j] = Σ_i y[i, j]
    products  y[i, j] = s0[i] s1[j]

over all pairs of a crystal i of panel 0 and a crystal j of panel 1. All lines of an orientation are
an image of shifts. Each orientation is therefore one sum or product of two rectangles of crystals.
`crystal_sums` and `line_products` include all layers, one pair of layers after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array
from engine.geometry.dual_head import DualHead
from engine.geometry.orientations import Orientations

Places = tuple[slice, slice]


def sums(table: Orientations, y: Array) -> NDArray[np.float64]:
    """Sum the values of all lines of each crystal.

    Parameters
    ----------
    table
        orientations of the panels
    y
        (n_pairs,) values of the lines

    Returns
    -------
    (2, n_rows, n_columns) float64
    """
    found = np.zeros((2, table.n_rows, table.n_columns))
    for lines, shape, first, second in _rectangles(table):
        # Adding whole rectangles avoids index arrays for n² lines, which would exceed the lines'
        # memory.
        image = y[lines].reshape(shape)
        found[0][first] += image
        found[1][second] += image
    return found


def crystal_sums(scanner: DualHead, y: Array) -> NDArray[np.float64]:
    """Sum the values of all lines of each crystal, for all layers.

    Parameters
    ----------
    scanner
        two panels
    y
        (n_lors,) values of the lines

    Returns
    -------
    (n_crystals,) float64
    """
    s = scanner.settings
    found = np.zeros((2, s.n_layers, s.n_rows, s.n_columns))
    lines = y.reshape(s.n_layers, s.n_layers, -1)
    for i, k in np.ndindex(lines.shape[:2]):
        of_pair = sums(scanner.orientations, lines[i, k])
        found[0, i] += of_pair[0]
        found[1, k] += of_pair[1]
    return found.ravel()


def line_products(scanner: DualHead, values: Array) -> NDArray[np.float32]:
    """Return the product of the values of both crystals of each line, for all layers.

    Parameters
    ----------
    scanner
        two panels
    values
        (n_crystals,) values of the crystals

    Returns
    -------
    (n_lors,) float32
    """
    s = scanner.settings
    of_layers = np.asarray(values).reshape(2, s.n_layers, s.n_rows, s.n_columns)
    out = np.empty((s.n_layers, s.n_layers, scanner.orientations.n_pairs), np.float32)
    for i, k in np.ndindex(out.shape[:2]):
        # Written in place: the product of all lines is the largest array of a run.
        products(scanner.orientations, (of_layers[0, i], of_layers[1, k]), out=out[i, k])
    return out.ravel()


def products(
    table: Orientations,
    values: Array | tuple[Array, Array],
    dtype: DTypeLike = np.float32,
    *,
    out: Array | None = None,
) -> NDArray[np.float32]:
    """Return the product of the values of both crystals of each line.

    Parameters
    ----------
    table
        orientations of the panels
    values
        (2, n_rows, n_columns), or one array for each panel
    dtype
        type of the result, if `out` is None
    out
        array (n_pairs,) for the result
    """
    out = np.empty(table.n_pairs, dtype) if out is None else out
    for lines, shape, first, second in _rectangles(table):
        np.multiply(
            values[0][first], values[1][second], out=out[lines].reshape(shape), casting="same_kind"
        )
    return out


def _rectangles(table: Orientations) -> Iterator[tuple[slice, tuple[int, int], Places, Places]]:
    """Yield the lines of each orientation, their shape, and the crystals on both panels."""
    for a, b in table.offsets.tolist():
        lines, shape = table.block(a, b)
        yield lines, shape, _places((-a, -b), shape), _places((a, b), shape)


def _places(steps: tuple[int, int], shape: tuple[int, int]) -> Places:
    (row, column), (n_rows, n_columns) = (max(step, 0) for step in steps), shape
    return slice(row, row + n_rows), slice(column, column + n_columns)
