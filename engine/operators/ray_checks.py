"""Checks of rays before the kernels, which trust all indices."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, as_supported, module_of, to_host
from engine.core.errors import DataError, GeometryError, ResourceError
from engine.data.storage.columns import pieces
from engine.geometry.grid import ImageGrid
from engine.kernels.blocks import padded
from engine.kernels.rays.bricks import EDGE
from engine.kernels.variants import TILE

_FARTHEST_VOXELS = 1e6
"""Maximum distance of a point from the box in voxels; larger ones indicate wrong units."""
_MAX_PLACES = 2**31
"""Number of voxels that 32-bit indices can address."""


def check_size(grid: ImageGrid) -> None:
    """Refuse an image with more voxels than 32-bit indices can address.

    The border counts too, and the padding to bricks on the CPU or tiles on a GPU.

    Parameters
    ----------
    grid
        grid of the image

    Raises
    ------
    ResourceError
        if the image is too large
    """
    edges = TILE, EDGE, EDGE
    sides = zip(padded(grid.shape), edges, strict=True)
    if prod(-(-n // edge) * edge for n, edge in sides) >= _MAX_PLACES:
        raise ResourceError(
            f"{grid.describe()}: the image has more than {_MAX_PLACES:,} voxels, including the "
            "border; choose larger voxels."
        )


def check_points(points_mm: Array, voxels: Array) -> None:
    """Refuse points that cannot belong to the image.

    Parameters
    ----------
    points_mm
        (m, 3) points
    voxels
        (m, 3) the same points in voxels

    Raises
    ------
    DataError
        names the first such point; NaN is refused too
    """
    # Negated comparison: NaN compares false and must be refused.
    bad = ~(np.abs(voxels) < _FARTHEST_VOXELS)
    if bad.any():
        first = int(np.argmax(bad.any(axis=1)))
        raise DataError(
            f"point {first} at {tuple(points_mm[first].tolist())} mm is more than "
            f"{_FARTHEST_VOXELS:,.0f} voxels away from the image; check that the scanner settings "
            "are in mm."
        )


def _first_bad(n: int, bad: Callable[[slice], Any]) -> int | None:
    """Return the first bad row, testing some rows at a time; None if there is none."""
    # Columns can be in files larger than the memory.
    for rows in pieces(n):
        found = bad(rows)
        if found.any():
            return rows.start + int(module_of(found).argmax(found))
    return None


def check_ends(ends: Array, n_points: int) -> None:
    """Refuse events with crystals that the scanner does not have.

    Parameters
    ----------
    ends
        (n, 2) crystals
    n_points
        number of crystals

    Raises
    ------
    DataError
        names the first such event
    """

    def bad(rows: slice) -> Any:
        outside = (ends[rows] < 0) | (ends[rows] >= n_points)
        # Much faster than a reduction over an axis of two.
        return outside[:, 0] | outside[:, 1]

    first = _first_bad(len(ends), bad)
    if first is not None:
        raise DataError(
            f"event {first} has the crystals {tuple(ends[first].tolist())}, but the scanner has "
            f"crystals 0 to {n_points - 1}; choose the scanner that recorded the data."
        )


def check_bins(bins: Array, n_bins: int, n_rays: int) -> None:
    """Refuse TOF bins that the scanner does not have.

    Parameters
    ----------
    bins
        (n,) TOF bins
    n_bins
        number of TOF bins of the scanner
    n_rays
        number of events

    Raises
    ------
    DataError
        if there is not one bin for each event, or a bin is out of range
    """
    if bins.shape != (n_rays,):
        raise DataError(
            f"got {len(bins)} TOF bins for {n_rays} events; give one TOF bin for each event."
        )
    first = _first_bad(n_rays, lambda rows: (bins[rows] < 0) | (bins[rows] >= n_bins))
    if first is not None:
        raise DataError(
            f"event {first} has TOF bin {bins[first]}, but the scanner has TOF bins 0 to "
            f"{n_bins - 1}; correct the number of TOF bins in the scanner settings."
        )


def check_background(background: Array) -> None:
    """Refuse background values that are negative or not finite.

    Parameters
    ----------
    background
        (n,) expected counts

    Raises
    ------
    DataError
        names the first such event
    """
    xp = module_of(background)
    first = _first_bad(
        len(background),
        lambda rows: ~(xp.isfinite(background[rows]) & (background[rows] >= 0)),
    )
    if first is not None:
        raise DataError(
            f"event {first} has an expected background of {float(background[first])}, but it must "
            "be finite and not negative; estimate randoms and scatter again."
        )


def selected_rows(rows: Any, n_rows: int, name: str) -> NDArray[np.int64]:
    """Return the numbers of rows that a slice, a mask or indices select.

    Parameters
    ----------
    rows
        slice, mask (n_rows,) or indices (n,)
    n_rows
        number of rows
    name
        name of the operator, for the error

    Raises
    ------
    GeometryError
        if they do not fit
    """
    every = np.arange(n_rows, dtype=np.int64)
    if isinstance(rows, slice):
        return every[rows]
    asked = np.asarray(to_host(as_supported(rows)))
    # an empty list has the dtype of numbers with a fraction
    asked = asked if asked.size else asked.astype(np.int64)
    if asked.ndim != 1 or asked.dtype.kind not in "biu":
        raise GeometryError(
            f"{name}: rows cannot be selected by an array of {asked.dtype} with {asked.ndim} axes; "
            "use a slice, a mask (n,) or indices (n,)."
        )
    try:
        return every[asked]
    except IndexError as e:
        raise GeometryError(
            f"{name}: the selected rows do not fit its {n_rows:,} rows ({e}); choose indices from "
            f"0 to {n_rows - 1:,}, or a mask with {n_rows:,} values."
        ) from e
