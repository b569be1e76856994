"""Symmetries of two equal panels, applied to orientations, planes and sub-voxels.

The response of an orientation (a, b) is stored in its box: n_planes × D(|a| + 1) × D(|b| + 1)
voxels (p, j, k), planes along y, rows along z, columns along x. The corner of the box is that of
the crystal (r, c) of the shift. In the box each symmetry of the panels is a rearrangement:

    (−a, b)     (p, D(|a| + 1) − 1 − j, k)                 mirrored rows
    (a, −b)     (p, j, D(|b| + 1) − 1 − k)                 mirrored columns
    (b, a)      (p, k, j)                                  rows and columns exchanged
    (−a, −b)    (n_planes − 1 − p, j, k)                   mirrored across, panels exchanged

A shift moves the box and changes nothing in it. The exchange and both mirrors combined map (a, b)
to itself, so the first ⌈n_planes/2⌉ planes contain all information. Orientations a ≥ b ≥ 0 are
stored. Chou et al., PLoS ONE 7 (2012) e50540, equations 6 to 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array

Orientation = tuple[int, int]


@dataclass(frozen=True)
class Turn:
    """One of the eight symmetries within the planes: the exchange first, then the mirrors."""

    swap: bool = False
    mirror_rows: bool = False
    mirror_columns: bool = False

    def orientation(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Return the orientation that (a, b) becomes.

        Parameters
        ----------
        a
            row difference, number or array
        b
            column difference, number or array
        """
        a, b = (b, a) if self.swap else (a, b)
        return (-a if self.mirror_rows else a), (-b if self.mirror_columns else b)

    def voxels(self, j: Array, k: Array, box: tuple[Any, Any]) -> tuple[Array, Array]:
        """Return the new position of voxels in a box.

        Parameters
        ----------
        j
            rows
        k
            columns
        box
            rows and columns of the box before the symmetry
        """
        j, k = (k, j) if self.swap else (j, k)
        n_j, n_k = box[::-1] if self.swap else box
        return (n_j - 1 - j if self.mirror_rows else j), (n_k - 1 - k if self.mirror_columns else k)

    def image(self, plane: Array) -> Array:
        """Return a plane of a box after the symmetry."""
        # A transpose and negative strides are views; no values are copied.
        turned = plane.T if self.swap else plane
        return turned[:: -1 if self.mirror_rows else 1, :: -1 if self.mirror_columns else 1]


TURNS = tuple(Turn(*choice) for choice in product((False, True), repeat=3))


def box_of(a: int, b: int, voxels_per_pitch: int) -> Orientation:
    """Return the rows and columns of voxels in the box of an orientation.

    Parameters
    ----------
    a
        row difference
    b
        column difference
    voxels_per_pitch
        D
    """
    return voxels_per_pitch * (abs(a) + 1), voxels_per_pitch * (abs(b) + 1)


def across(
    p: Array, j: Array, k: Array, box: tuple[Any, Any], n_planes: int
) -> tuple[Array, Array, Array]:
    """Apply the exchange of the panels with both mirrors, which maps a box to itself.

    Parameters
    ----------
    p
        planes
    j
        rows
    k
        columns
    box
        rows and columns of the box
    n_planes
        planes between the panels
    """
    return n_planes - 1 - p, box[0] - 1 - j, box[1] - 1 - k


def n_stored_planes(n_planes: int) -> int:
    """Return the number of planes that must be stored: 60 of 119."""
    return (n_planes + 1) // 2


def folded(a: int, b: int) -> tuple[Orientation, Turn]:
    """Return the stored orientation for (a, b), and the symmetry that leads from it to (a, b).

    Parameters
    ----------
    a
        row difference
    b
        column difference
    """
    # Exchange of rows and columns puts the larger difference first.
    swap = abs(a) < abs(b)
    stored = (abs(b), abs(a)) if swap else (abs(a), abs(b))
    return stored, Turn(swap, a < 0, b < 0)


def stored_orientations(n_rows: int, n_columns: int) -> NDArray[np.int32]:
    """Return the orientations a ≥ b ≥ 0, (n, 2), ascending: 4,932 for 104 × 72 crystals."""
    pairs = [
        # Only the smaller of both sizes limits b, because rows and columns are exchangeable.
        (a, b)
        for a in range(max(n_rows, n_columns))
        for b in range(min(n_rows, n_columns, a + 1))
    ]
    return np.array(pairs, np.int32)


def stored_index(a: Any, b: Any, n_rows: int, n_columns: int) -> Any:
    """Return the index of orientations in `stored_orientations`.

    Parameters
    ----------
    a
        row difference, number or array
    b
        column difference, 0 ≤ b ≤ a
    n_rows
        rows of a panel
    n_columns
        columns of a panel
    """
    width = min(n_rows, n_columns)
    # The table is a triangle up to `width`, then a rectangle.
    whole = np.minimum(a, width)
    return whole * (whole + 1) // 2 + np.maximum(a - width, 0) * width + b


def images(a: int, b: int, n_rows: int, n_columns: int) -> dict[Orientation, Turn]:
    """Return the orientations that a stored one represents, up to eight, with their symmetries.

    Parameters
    ----------
    a
        row difference
    b
        column difference
    n_rows
        rows of a panel
    n_columns
        columns of a panel

    Returns
    -------
    orientations on these panels only; of several symmetries with the same result the first
    """
    found: dict[Orientation, Turn] = {}
    for turn in TURNS:
        # On panels that are not square, some images of an orientation do not exist.
        image = turn.orientation(a, b)
        if abs(image[0]) < n_rows and abs(image[1]) < n_columns:
            found.setdefault(image, turn)
    return found


def keeping(a: int, b: int) -> tuple[Turn, ...]:
    """Return the symmetries that map a stored orientation to itself."""
    return tuple(turn for turn in TURNS if turn.orientation(a, b) == (a, b))


def seed_of(j: Array, k: Array, voxels_per_pitch: int) -> tuple[Array, Array]:
    """Return the sub-voxel 0 ≤ j ≤ k < D/2 equivalent to (j, k): 3 represent 4 × 4.

    Parameters
    ----------
    j
        rows
    k
        columns
    voxels_per_pitch
        D
    """
    # Position in the pitch, and its mirror image: the smaller one represents both.
    j, k = (np.minimum(v % voxels_per_pitch, -(v + 1) % voxels_per_pitch) for v in (j, k))
    return np.minimum(j, k), np.maximum(j, k)


def seeds(voxels_per_pitch: int) -> tuple[Orientation, ...]:
    """Return the sub-voxels that represent all of a pitch."""
    half = (voxels_per_pitch + 1) // 2
    return tuple((j, k) for k in range(half) for j in range(k + 1))
