"""Objects wider than the detector: detect truncated rows, and extrapolate them to zero.

The ramp filter treats an edge as structure, so a truncated row gives a bright rim. Beyond the edge
e the row continues as 2 p(e) − p(mirrored), never below zero, faded by cos² (Ohnesorge et al., Med
Phys 27 (2000) 39).
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of, to_host

EDGE_PART = 0.01
"""Columns at an edge that are inspected, relative to the row; at least two."""
CUT_PART = 0.05
"""Minimum value of an object at the edge, relative to the highest rays,"""
CUT_SIGMAS = 5.0
"""and relative to the standard deviation of the noise there."""
RARE = 98.0
"""Percentage of the rows at an edge that must be free of the object."""
HIGH = 99.0
"""Percentage of the values below the highest rays."""
REACH = 0.5
"""Length of the extrapolation, in rows."""
_MAX_INSPECTED = 500_000
"""Number of values that are inspected: some thousand rows."""


def cut_sides(values: Array) -> tuple[bool, bool]:
    """Return if the object extends beyond the first and the last column.

    Parameters
    ----------
    values
        (n_views, n_rows, n_columns) line integrals
    """
    if module_of(values) is not np:
        return are_cut(edge_levels(values), values.shape[2])
    some, n_columns = _inspected_part(values), values.shape[2]
    edges = _levels_at_edges(some)
    # The high values take as long as all other steps, and most scans do not need them.
    if not any(_is_above_noise(float(step), float(seen), n_columns) for step, seen in edges):
        return False, False
    return are_cut(np.array([np.percentile(some, HIGH), *edges[0], *edges[1]]), n_columns)


def edge_levels(values: Array) -> Array:
    """Return the levels from which `are_cut` decides; on a GPU they are queued, not awaited.

    Parameters
    ----------
    values
        (n_views, n_rows, n_columns) line integrals

    Returns
    -------
    levels
        (5,) high values of the scan; then for the first and the last columns the median step
        between neighbours, and a low value of their mean
    """
    xp = module_of(values)
    some = _inspected_part(values)
    first, last = _levels_at_edges(some)
    stacked: Array = xp.stack([xp.percentile(some, HIGH), *first, *last])
    return stacked


def are_cut(levels: Array, n_columns: int) -> tuple[bool, bool]:
    """Return if the object extends beyond the first and the last column.

    Parameters
    ----------
    levels
        (5,) from `edge_levels`; awaited if they are on a GPU
    n_columns
        columns of the detector
    """
    # One copy to the host: each would wait for the GPU
    high, *edges = map(float, to_host(levels))
    first, last = (_is_cut(step, seen, high, n_columns) for step, seen in (edges[:2], edges[2:]))
    return first, last


def _inspected_part(values: Array) -> Array:
    """Return all columns, because edges matter, of some views and rows: neighbours are similar."""
    every = max(1, round(np.sqrt(values.size / _MAX_INSPECTED)))
    return values[::every, ::every]


def _levels_at_edges(some: Array) -> list[tuple[Array, Array]]:
    """Return for each side the median step between neighbours and a low value of their mean."""
    xp, n_edge = module_of(some), _n_edge(some.shape[2])
    edges = (some[..., :n_edge], some[..., -n_edge:])
    return [
        (
            xp.median(xp.abs(xp.diff(edge, axis=-1))),
            xp.percentile(edge.mean(axis=-1), RARE),
        )
        for edge in edges
    ]


def _is_cut(step: float, seen: float, high: float, n_columns: int) -> bool:
    return seen > CUT_PART * high and _is_above_noise(step, seen, n_columns)


def _is_above_noise(step: float, seen: float, n_columns: int) -> bool:
    sigma = step / 0.954  # median of |difference| of two normal numbers
    noise = sigma / np.sqrt(_n_edge(n_columns))
    return bool(seen > CUT_SIGMAS * noise and seen > 0)


def _n_edge(n_columns: int) -> int:
    """Return the columns that are inspected on each side; at most all of them."""
    return min(n_columns, max(2, round(EDGE_PART * n_columns)))


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
