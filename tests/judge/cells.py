"""Cells of a phantom that lie whole in a solid: there no solid has to be looked at.

A cell lies in the ball about its middle that touches its corners, of radius d. In the coordinates
in which a solid's half sizes are 1 that ball reaches at most d / (smallest half size of those that
are looked at together): what is deeper inside or farther outside than that holds all of the cell,
or none of it. The other cells are mixed, and points in them are looked up solid by solid.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.judge.solids import BOX, ELLIPSOID, Solid, frame_of

Array = NDArray[Any]
NOTHING, MIXED = -1, -2
MOST_CELLS = 250_000
"""Small enough to stay in a processor's cache."""


def cells_of(solids: tuple[Solid, ...]) -> tuple[Array, Array]:
    """Return the cells of solids, each over those before it, and where they are.

    The cells hold the number of the last solid, NOTHING or MIXED, (z, y, x) int16; their lower
    corner and edge are (4,) [mm]. Without solids there are no cells.
    """
    if not solids:
        return np.zeros((0, 0, 0), np.int16), np.array([0.0, 0.0, 0.0, 1.0])
    reaches = [solid.reach_mm() for solid in solids]
    lower = np.min([low for low, _ in reaches], axis=0)
    size = np.max([high for _, high in reaches], axis=0) - lower
    edge = float(np.prod(size) / MOST_CELLS) ** (1 / 3)
    n_x, n_y, n_z = (max(1, math.ceil(length / edge)) for length in size)
    at = [low + (np.arange(n) + 0.5) * edge for low, n in zip(lower, (n_x, n_y, n_z), strict=True)]
    z, y, x = np.meshgrid(*reversed(at), indexing="ij")
    middles = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    found = np.full(len(middles), NOTHING, np.int16)
    is_open = np.ones(len(middles), bool)
    for k in reversed(range(len(solids))):
        whole, none = _held(solids[k], middles[is_open], edge * math.sqrt(3) / 2)
        rows = np.flatnonzero(is_open)[~none]
        found[rows] = np.where(whole[~none], k, MIXED)
        is_open[rows] = False
    return found.reshape(n_z, n_y, n_x), np.array([*lower, edge])


def _held(solid: Solid, middles: Array, reach: float) -> tuple[Array, Array]:
    """Whether a solid holds all and whether it holds none of the balls about points, (n,) each."""
    half = np.array(solid.half_mm)
    own = np.abs((middles - solid.centre_mm) @ frame_of(solid.axis).T) / half
    reach *= 1 + 1e-9  # corners of cells lie on the ball
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
