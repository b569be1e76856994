"""Images that equal their mirror images along all axes, stored once."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of

ALIKE = 1e-4
"""Relative difference of mirror images by the rounding of float32 sums."""


def first_octant(image: Array) -> Array:
    """Return a copy of the first half of each axis, including the middle."""
    z, y, x = ((n + 1) // 2 for n in image.shape)
    return image[:z, :y, :x].copy()


def folded(image: Array) -> Array:
    """Return the first octant of an image that equals its mirror images, else the image itself."""
    octant = first_octant(image)
    # Compared completely, because factors can break the symmetry in a few voxels only.
    again = mirrored(octant, image.shape)
    xp = module_of(image)
    return octant if bool((xp.abs(again - image) <= ALIKE * xp.abs(image)).all()) else image


def mirrored(octant: Array, shape: tuple[int, ...]) -> Array:
    """Return the image of its first octant.

    Parameters
    ----------
    octant
        first octant of a symmetric image
    shape
        (n_z, n_y, n_x) of the image
    """
    xp = module_of(octant)
    for axis, n in enumerate(shape):
        # indices 0, 1, ..., 1, 0: the middle of an odd length occurs once
        at = np.arange(n)
        octant = xp.take(octant, xp.asarray(np.minimum(at, n - 1 - at)), axis=axis)
    return octant
