"""Exact area fraction of each pixel inside polygons, by the even-odd rule.

Horizontal lines through all corners, crossings of edges and borders of rows cut the plane into
bands in which no edges cross. In a band the edges x_1 ≤ x_2 ≤ …, from left to right, alternately
enter and leave the inside. A pixel with left border i has the area

    Σ_k (−1)^(k+1) ∫ clip(i + 1 − x_k(y), 0, 1) dy.

Edges are also cut at the borders of columns, so that the integral within a pixel is a trapezoid.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array

MAX_AT_ONCE = 1 << 21
"""Maximum number of band-edge pairs compared at once, which limits the memory."""
SAME_ROW = 1e-12
"""Height in rows below which a band has no area."""


def shares_in(rings: Sequence[Array], shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return the share of each pixel inside polygons.

    Parameters
    ----------
    rings
        corners (n, 2) of closed polygons, x and y in pixels from the outer corner of the grid
    shape
        (rows, columns)
    """
    n_rows, n_columns = shape
    summed = np.zeros((n_rows, n_columns + 2))
    edges = _edges_of(rings)
    if n_rows and len(edges):
        for bands in _bands(edges, n_rows):
            _add(summed, *_ordered(edges, bands), n_columns)
    return np.clip(np.cumsum(summed, axis=1)[:, :n_columns], 0.0, 1.0)


def centres_in(rings: Sequence[Array], x: Array, y: Array) -> NDArray[np.bool_]:
    """Return the points of a grid inside polygons: rays to the right cross an odd number of edges.

    Parameters
    ----------
    rings
        corners (n, 2) of closed polygons
    x, y
        coordinates of columns and rows, in the unit of the corners

    Returns
    -------
    NDArray of bool
        (rows, columns)
    """
    inside = np.zeros((len(y), len(x)), bool)
    for x0, y0, x1, y1 in _edges_of(rings):
        # Half open in y, so that a ray through a corner crosses exactly one of its two edges.
        rows = (y0 <= y) & (y < y1)
        at = x0 + (y[rows] - y0) * ((x1 - x0) / (y1 - y0))
        inside[rows] ^= x < at[:, None]
    return inside


def _edges_of(rings: Sequence[Array]) -> Array:
    """Return the edges (n, 4) as x0, y0, x1, y1 with y0 < y1; horizontal ones bound no area."""
    parts = [np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in rings]
    edges = np.concatenate(parts) if parts else np.zeros((0, 4))
    edges = np.where((edges[:, 1] > edges[:, 3])[:, None], edges[:, [2, 3, 0, 1]], edges)
    return np.asarray(edges[edges[:, 1] < edges[:, 3]])


def _bands(edges: Array, n_rows: int) -> list[Array]:
    """Return bands (n, 2) of y in portions; no edge ends or crosses another within a band."""
    heights = np.concatenate([edges[:, 1], edges[:, 3], np.arange(n_rows + 1)])
    # Corners above or below the grid collapse onto its border; the empty bands drop out.
    heights = np.unique(np.clip(heights, 0, n_rows))
    bands = np.stack([heights[:-1], heights[1:]], axis=1)
    portion = max(1, MAX_AT_ONCE // len(edges))
    found = []
    for start in range(0, len(bands), portion):
        part = bands[start : start + portion]
        crossings = _crossings(edges, part)
        if len(crossings):
            cut = np.unique(np.concatenate([part.ravel(), crossings]))
            part = np.stack([cut[:-1], cut[1:]], axis=1)
        found.append(part[part[:, 1] - part[:, 0] > SAME_ROW])
    return found


def _x_of_edges(edges: Array, which: NDArray[np.int64], y: Array) -> Array:
    """Return x of edges at given y."""
    x0, y0, x1, y1 = edges[which].T
    return np.asarray(x0 + (y - y0) * ((x1 - x0) / (y1 - y0)))


def _edges_in_bands(edges: Array, bands: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of band and edge for all edges that pass through a band."""
    middle = bands.mean(axis=1)[:, None]
    band, edge = np.nonzero((edges[:, 1] < middle) & (middle < edges[:, 3]))
    return band, edge


def _crossings(edges: Array, bands: Array) -> Array:
    """Return the y at which edges cross within bands."""
    band, edge = _edges_in_bands(edges, bands)
    low, high = (_x_of_edges(edges, edge, bands[band, k]) for k in (0, 1))
    order = np.lexsort((high, low, band))
    band, low, high = band[order], low[order], high[order]
    # Sorted by their lower ends, two edges cross if their upper ends have the reverse order. Only
    # such bands get the comparison of all pairs.
    is_crossed = (band[1:] == band[:-1]) & (high[1:] < high[:-1])
    found = [np.zeros(0)]
    for each in np.unique(band[1:][is_crossed]):
        a, b = low[band == each], high[band == each]
        below, above = a[:, None] - a, b[:, None] - b
        first, second = np.nonzero(np.triu(below * above < 0))
        part = below[first, second] / (below[first, second] - above[first, second])
        found.append(bands[each, 0] + part * (bands[each, 1] - bands[each, 0]))
    return np.concatenate(found)


def _ordered(edges: Array, bands: Array) -> tuple[Array, Array, Array, Array]:
    """Return edge pieces: x at bottom and top, middle y, and height times the sign."""
    band, edge = _edges_in_bands(edges, bands)
    low, high = (_x_of_edges(edges, edge, bands[band, k]) for k in (0, 1))
    order = np.lexsort((low + high, band))
    band, low, high = band[order], low[order], high[order]
    first = np.searchsorted(band, band)  # the first edge of each band
    # Even-odd rule: from left to right the edges of a band alternately enter and leave.
    sign = np.where((np.arange(len(band)) - first) % 2, -1.0, 1.0)
    height = bands[:, 1] - bands[:, 0]
    return low, high, bands[band].mean(axis=1), sign * height[band]


def _add(
    summed: Array, low: Array, high: Array, middle: Array, signed: Array, n_columns: int
) -> None:
    """Add the area to the right of edge pieces; `summed` holds steps from pixel to pixel."""
    left, right = np.minimum(low, high), np.maximum(low, high)
    first = np.clip(np.floor(left), -1, n_columns).astype(np.int64)
    last = np.clip(np.floor(right), -1, n_columns).astype(np.int64)
    n_pieces = last - first + 1
    of = np.repeat(np.arange(len(left)), n_pieces)
    column = first[of] + np.arange(len(of)) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)
    a = np.where(column == first[of], left[of], column)
    b = np.where(column == last[of], right[of], column + 1.0)
    width = (right - left)[of]
    weight = signed[of] * np.divide(b - a, width, out=np.ones_like(width), where=width > 0)
    # The area of a piece right of its pixel is all or nothing; `shares_in` sums the steps.
    part = np.clip((a + b) / 2 - column, 0.0, 1.0)
    part = np.where((column < 0) | (column >= n_columns), 0.0, part)
    column = np.clip(column, 0, n_columns)
    row = np.minimum(middle.astype(np.int64), len(summed) - 1)[of]
    np.add.at(summed, (row, column), weight * (1 - part))
    np.add.at(summed, (row, column + 1), weight * part)
