"""Objects wider than the detector: detect truncated rows, and extrapolate them to zero.

The ramp filter treats an edge as structure, so a truncated row gives a bright rim. Beyond the edge
e the row continues as 2 p(e) − p(mirrored), never below zero, faded by cos² (Ohnesorge et al., Med
Phys 27 (2000) 39).
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of

EDGE_PART = 0.01
"""Columns at an edge that are inspected, relative to the row; at least two."""
CUT_PART = 0.05
"""Minimum value of an object at the edge, relative to the highest rays,"""
CUT_SIGMAS = 5.0
"""and relative to the standard deviation of the noise there."""
RARE = 98.0
"""Percentage of the rows at an edge that must be free of the object."""
REACH = 0.5
"""Length of the extrapolation, in rows."""
_MOST_LOOKED_AT = 500_000
"""Number of values that are inspected: some thousand rows."""


def cut_sides(values: Array) -> tuple[bool, bool]:
    """Return if the object extends beyond the first and the last column.

    Parameters
    ----------
    values
        (n_views, n_rows, n_columns) line integrals
    """
    every = max(1, round(np.sqrt(values.size / _MOST_LOOKED_AT)))
    # all columns, because edges matter; neighbouring views and rows are similar
    some = values[::every, ::every]
    high = float(module_of(some).percentile(some, 99))
    n_edge = max(2, round(EDGE_PART * values.shape[2]))
    first, last = (_is_cut(edge, high) for edge in (some[..., :n_edge], some[..., -n_edge:]))
    return first, last


def _is_cut(edge: Array, high: float) -> bool:
    xp = module_of(edge)
    steps = xp.abs(xp.diff(edge, axis=-1))
    sigma = float(xp.median(steps)) / 0.954  # median of |difference| of two normal numbers
    noise = sigma / np.sqrt(edge.shape[-1])
    seen = float(xp.percentile(edge.mean(axis=-1), RARE))
    return bool(seen > max(CUT_PART * high, CUT_SIGMAS * noise) and seen > 0)


def reach(n_columns: int) -> int:
    """Return the number of pixels by which a row is extrapolated."""
    return min(n_columns - 1, max(1, round(REACH * n_columns)))


def continue_rows(rows: Array, start: int, stop: int) -> None:
    """Extrapolate rows in place on both sides.

    Parameters
    ----------
    rows
        (..., n)
    start
        first measured pixel
    stop
        one past the last measured pixel
    """
    _continue(rows[..., start:stop], rows[..., stop:])
    _continue(rows[..., start:stop][..., ::-1], rows[..., :start][..., ::-1])


def _continue(row: Array, beyond: Array) -> None:
    n = beyond.shape[-1]
    if n == 0:
        return
    n_edge = max(1, round(EDGE_PART * row.shape[-1]))
    # mean of a few pixels: noise of a single one would be doubled and extend over the whole
    # extrapolation
    edge = row[..., -n_edge:].mean(axis=-1, keepdims=True)
    mirrored = row[..., -2 : -2 - n : -1]
    fade = np.cos(np.pi / 2 * np.arange(1, n + 1) / (n + 1)) ** 2
    xp = module_of(row)
    beyond[...] = xp.maximum(2 * edge - mirrored, 0) * xp.asarray(fade.astype(row.dtype))
