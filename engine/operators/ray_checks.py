"""What is refused of rays before a kernel sees them: kernels trust every index and test none."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.errors import DataError, ResourceError
from engine.data.storage.columns import pieces
from engine.geometry.grid import ImageGrid
from engine.kernels.blocks import padded
from engine.kernels.rays.bricks import EDGE
from engine.kernels.variants import TILE

_FARTHEST_VOXELS = 1e6
"""Voxels from the box at which a point cannot belong to the scan."""
_MOST_PLACES = 2**31
"""Places of voxels that 32-bit indices can tell apart."""


def check_size(grid: ImageGrid) -> None:
    """Refuse an image of more voxels than indices can tell apart, border included.

    What fills up bricks on the CPU, or tiles on a GPU, counts too.
    """
    edges = TILE, EDGE, EDGE
    sides = zip(padded(grid.shape), edges, strict=True)
    if prod(-(-n // edge) * edge for n, edge in sides) >= _MOST_PLACES:
        raise ResourceError(
            f"{grid.describe()}: takes more than {_MOST_PLACES} voxels of memory, with what lies "
            "round it; choose larger voxels."
        )


def check_points(points_mm: Array, voxels: Array) -> None:
    """Refuse points that cannot belong to the image."""
    bad = ~(np.abs(voxels) < _FARTHEST_VOXELS).all(axis=1)
    if bad.any():
        first = int(np.argmax(bad))
        raise DataError(
            f"point {first} lies at {tuple(points_mm[first].tolist())} mm, not within "
            f"{_FARTHEST_VOXELS:g} voxels of the image; check the units of the scanner."
        )


def _first_bad(n: int, bad: Callable[[slice], Any]) -> int | None:
    """Return the first row that is bad, of rows that are looked at some at a time."""
    for rows in pieces(n):
        found = bad(rows)
        if found.any():
            return rows.start + int(module_of(found).argmax(found))
    return None


def check_ends(ends: Array, n_points: int) -> None:
    """Refuse events between crystals that the scanner does not have."""
    first = _first_bad(
        len(ends), lambda rows: ((ends[rows] < 0) | (ends[rows] >= n_points)).any(axis=1)
    )
    if first is not None:
        raise DataError(
            f"event {first} joins crystals {tuple(ends[first].tolist())}, the scanner has "
            f"0 to {n_points - 1}; choose the scanner that recorded the data."
        )


def check_bins(bins: Array, n_bins: int, n_rays: int) -> None:
    """Refuse bins of time that the scanner does not have."""
    if bins.shape != (n_rays,):
        raise DataError(f"{len(bins)} time-of-flight bins for {n_rays} events; one each is needed.")
    first = _first_bad(n_rays, lambda rows: (bins[rows] < 0) | (bins[rows] >= n_bins))
    if first is not None:
        raise DataError(
            f"event {first} has time-of-flight bin {bins[first]}, the scanner has 0 to "
            f"{n_bins - 1}; correct the scanner's time-of-flight bins."
        )


def check_background(background: Array) -> None:
    """Refuse what is no expected count."""
    xp = module_of(background)
    first = _first_bad(
        len(background),
        lambda rows: ~(xp.isfinite(background[rows]) & (background[rows] >= 0)),
    )
    if first is not None:
        raise DataError(
            f"event {first}: background {float(background[first])}, needs a count of 0 or more; "
            "estimate randoms and scatter again."
        )
