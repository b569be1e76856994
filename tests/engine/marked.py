"""A volume with a bright block near the patient's left, front and head, in any orientation."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

ORIENTATIONS = tuple("".join(sides) for sides in product("LR", "PA", "SI"))
"""The eight codes of the sides to which x, y and z of a volume can point."""
N, EDGE = 10, 3
"""Voxels along an edge of the volume, and along an edge of the block."""
TOWARDS = "LAS"
"""Sides of the patient where the block is."""
CORNERS = {"axial": (1, -1), "coronal": (1, -1), "sagittal": (-1, -1), "frontal": (1, -1)}
"""Corner of the block in an image with the head at the top: (1, −1) is right and top."""


def marked(axes: str, info: Plain | None = None, unit: str = "counts/mm") -> Volume:
    """Return the volume; the letter of each axis places the block, without code of the engine."""
    x, y, z = (
        slice(N - 1 - EDGE, N - 1) if side in TOWARDS else slice(1, 1 + EDGE) for side in axes
    )
    values = np.zeros((N, N, N), np.float32)
    values[z, y, x] = 1.0
    grid = ImageGrid(values.shape, (2.0, 2.0, 2.0))
    return Volume(values, grid, unit, {**(info or {}), "axes": axes})


def corner_of(ink: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the corner of an image with the largest connected spot: (right, down) signs.

    Raises an error if the spot is within an eighth of the centre along either axis.
    """
    labels, n_spots = ndimage.label(ink)
    assert n_spots, "nothing is drawn"
    sizes = ndimage.sum_labels(ink, labels, np.arange(1, n_spots + 1))
    row, column = ndimage.center_of_mass(labels == 1 + int(np.argmax(sizes)))
    height, width = ink.shape
    right, down = column / width - 0.5, row / height - 0.5
    assert min(abs(right), abs(down)) > 1 / 8, f"the spot is in the centre: {right:.2f}, {down:.2f}"
    return int(np.sign(right)), int(np.sign(down))
