"""Rings that lie on the face between two planes of voxels, told apart by a hair.

A line that runs along a face belongs wholly to the plane above it when it is traced. Where rings
lie on faces that are all lines within a ring: 2 % of those of 48 rings, which every other plane
gets from its neighbour, while the sensitivity, a mean over mirror images, gives each its half. The
planes then come out too high and too low by turns. So crystals of such rings are moved up and down
by turns: lines lie above the face, below it, or half of each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.grid import ImageGrid
from engine.geometry.sinogram_layout import SinogramLayout

HAIR = 1e-3
"""Part of a voxel by which they are moved, well above float32's rounding."""


def off_faces(positions_mm: NDArray[np.float64], grid: ImageGrid) -> NDArray[np.float64]:
    """Return (n, 3) crystals, those on a face across z up and down by turns; the rest as they are.

    Examples
    --------
        >>> import numpy as np
        >>> from engine.geometry.face_ties import off_faces
        >>> from engine.geometry.grid import ImageGrid
    from engine.geometry.sinogram_layout import SinogramLayout
        >>> crystals = np.array([[300.0, 0, 0], [-300, 0, 0], [300, 0, 1], [-300, 0, 1]])
        >>> off_faces(crystals, ImageGrid((4, 8, 8), (2.0, 2.0, 2.0)))[:, 2].round(4).tolist()
        [0.002, -0.002, 1.0, 1.0]
    """
    voxel = grid.voxel_mm[2]
    at = (positions_mm[:, 2] - grid.lower_mm[2]) / voxel
    on_face = np.abs(at - np.rint(at)) < HAIR / 10
    if not on_face.any():
        return positions_mm
    moved = positions_mm.copy()
    turns = np.where(np.arange(len(moved)) % 2, -1, 1)
    moved[on_face, 2] += (HAIR * voxel * turns)[on_face]
    return moved


def ends_off_faces(layout: SinogramLayout, grid: ImageGrid) -> NDArray[np.float64]:
    """Return (m, 3) ends of the lines of a sinogram, its crystals off the faces as in list mode.

    Lines that are not those of crystals stay where they are: each has two ends of its own.
    """
    is_of_crystals = layout.bin_mm is None and layout.n_mashed == 1
    return off_faces(layout.points_mm, grid) if is_of_crystals else layout.points_mm
