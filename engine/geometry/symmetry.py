"""Mirrors and quarter turns that map a scanner and an image grid onto themselves."""

from __future__ import annotations

from itertools import product

import numpy as np

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid

Mirror = tuple[bool, tuple[int, int, int]]
"""True if x and y are exchanged, then the signs of x, y and z."""
IDENTITY: Mirror = (False, (1, 1, 1))

_SAME_MM = 0.00173205
"""Crystals closer than this coincide; an odd value, so that round positions are not at a border."""


def symmetries(points_mm: Array, weights: Array, grid: ImageGrid) -> tuple[Mirror, ...]:
    """Return all mirrors that keep weighted points and a grid, including the identity.

    Parameters
    ----------
    points_mm
        (n, 3) crystals (x, y, z)
    weights
        (n,) their efficiency, 0 in gaps
    grid
        grid of the image
    """
    both = (1, -1)
    candidates = [(swap, (x, y, z)) for swap, x, y, z in product((False, True), both, both, both)]
    reference, found = _sorted_rows(points_mm, weights), {IDENTITY}
    for mirror in candidates:
        # Symmetries form a group, so products of known ones need no test of all points.
        # The grid test is cheap and excludes most candidates.
        if mirror not in found and _keeps_grid(mirror, grid):
            rows = _sorted_rows(moved(points_mm, mirror), weights)
            if np.array_equal(rows, reference):
                found |= {_composed(mirror, other) for other in found}
    return tuple(mirror for mirror in candidates if mirror in found)


def _composed(second: Mirror, first: Mirror) -> Mirror:
    """Return the mirror that results from two successive ones."""
    (swap, (x, y, z)), (first_swap, (first_x, first_y, first_z)) = second, first
    if swap:
        first_x, first_y = first_y, first_x
    return swap != first_swap, (x * first_x, y * first_y, z * first_z)


def symmetrise(image: Array, mirrors: tuple[Mirror, ...]) -> Array:
    """Return the mean of an image over its mirror images.

    Parameters
    ----------
    image
        (n_z, n_y, n_x), NumPy or GPU array
    mirrors
        from `symmetries`
    """
    first, *others = (_mirrored(image, mirror) for mirror in mirrors)
    total = first.copy()
    for other in others:
        total += other
    return total / len(mirrors)


def _mirrored(image: Array, mirror: Mirror) -> Array:
    swap, (x, y, z) = mirror
    turned = image.transpose(0, 2, 1) if swap else image
    return turned[::z, ::y, ::x]


def moved(points_mm: Array, mirror: Mirror) -> Array:
    """Return points (n, 3) after a mirror."""
    swap, signs = mirror
    return points_mm[:, [1, 0, 2] if swap else [0, 1, 2]] * np.array(signs)


def _keeps_grid(mirror: Mirror, grid: ImageGrid) -> bool:
    swap, signs = mirror
    # A mirror about 0 maps the grid to itself only if its centre is at 0 along that axis.
    still = all(s == 1 or c == 0 for s, c in zip(signs, grid.centre_mm, strict=True))
    if not swap:
        return still
    _, n_y, n_x = grid.shape
    (v_x, v_y, _), (c_x, c_y, _) = grid.voxel_mm, grid.centre_mm
    return still and n_x == n_y and v_x == v_y and c_x == c_y


def _sorted_rows(points_mm: Array, weights: Array) -> Array:
    places = np.round(points_mm / _SAME_MM).astype(np.int64)
    values = np.round(np.asarray(weights, np.float64) * 1e6).astype(np.int64)
    rows = np.column_stack([places, values])
    # Sorted rows compare point sets without regard to the order of the crystals.
    return rows[np.lexsort(rows.T[::-1])]
