"""Grid cells of a phantom; in a cell that lies completely in a solid, no search is needed.

A cell is contained in the ball of radius d around its centre that touches its corners. In
coordinates in which the half sizes of a solid are 1, the ball has at most the radius d / (smallest
of the half sizes that are treated together). A centre deeper inside or farther outside than this
means that the solid contains all of the cell, or none of it. Other cells are mixed: points in them
are searched solid by solid.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.judge.solids import BOX, ELLIPSOID, Solid, frame_of

Array = NDArray[Any]
NOTHING, MIXED = -1, -2
MAX_CELLS = 250_000
"""Small enough for the cache of a processor."""


def cells_of(solids: tuple[Solid, ...]) -> tuple[Array, Array]:
    """Return the cells of overlapping solids (later ones on top), and their position.

    The cells contain the number of the last solid, NOTHING or MIXED, (z, y, x) int16. Their lower
    corner and edge are (4,) [mm]. Without solids there are no cells.
    """
    if not solids:
        return np.zeros((0, 0, 0), np.int16), np.array([0.0, 0.0, 0.0, 1.0])
    reaches = [solid.reach_mm() for solid in solids]
    lower = np.min([low for low, _ in reaches], axis=0)
    size = np.max([high for _, high in reaches], axis=0) - lower
    edge = float(np.prod(size) / MAX_CELLS) ** (1 / 3)
    n_x, n_y, n_z = (max(1, math.ceil(length / edge)) for length in size)
    at = [low + (np.arange(n) + 0.5) * edge for low, n in zip(lower, (n_x, n_y, n_z), strict=True)]
    z, y, x = np.meshgrid(*reversed(at), indexing="ij")
    middles = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    found = np.full(len(middles), NOTHING, np.int16)
    is_open = np.ones(len(middles), bool)
    for k in reversed(range(len(solids))):
        whole, none = _inside_and_outside(solids[k], middles[is_open], edge * math.sqrt(3) / 2)
        rows = np.flatnonzero(is_open)[~none]
        found[rows] = np.where(whole[~none], k, MIXED)
        is_open[rows] = False
    return found.reshape(n_z, n_y, n_x), np.array([*lower, edge])


def _inside_and_outside(solid: Solid, middles: Array, reach: float) -> tuple[Array, Array]:
    """Return masks of the balls that are completely inside and completely outside, (n,) each."""
    half = np.array(solid.half_mm)
    own = np.abs((middles - solid.centre_mm) @ frame_of(solid.axis).T) / half
    reach *= 1 + 1e-9  # corners of cells are on the ball
    if solid.kind == BOX:
        near, far = own + reach / half, own - reach / half
        return (near <= 1).all(axis=1), (far > 1).any(axis=1)
    if solid.kind == ELLIPSOID:
        radius, over = np.linalg.norm(own, axis=1), reach / half.min()
        return radius + over <= 1, radius - over > 1
    radius, over = np.hypot(own[:, 0], own[:, 1]), reach / half[:2].min()
    along, beyond = own[:, 2], reach / half[2]
    is_clear = (solid.inner == 0) | (radius - over >= solid.inner)
    whole = (radius + over <= 1) & (along + beyond <= 1) & is_clear
    none = (radius - over > 1) | (along - beyond > 1) | (radius + over < solid.inner)
    return whole, none
