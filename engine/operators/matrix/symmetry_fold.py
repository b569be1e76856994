"""Images that equal their mirror images along every axis, kept once."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of

ALIKE = 1e-4
"""Difference of mirror images, relative, that sums of float32 in another order may have."""


def first_octant(image: Array) -> Array:
    """Return the first half of each axis, the middle included: a copy."""
    z, y, x = ((n + 1) // 2 for n in image.shape)
    return image[:z, :y, :x].copy()


def folded(image: Array) -> Array:
    """Return the first octant of an image that equals its mirror images up to rounding, else it."""
    octant = first_octant(image)
    again = mirrored(octant, image.shape)
    xp = module_of(image)
    return octant if bool((xp.abs(again - image) <= ALIKE * xp.abs(image)).all()) else image


def mirrored(octant: Array, shape: tuple[int, ...]) -> Array:
    """Return the image (n_z, n_y, n_x) of its first octant."""
    xp = module_of(octant)
    for axis, n in enumerate(shape):
        # places 0, 1, ..., 1, 0: the middle of an odd length comes once
        at = np.arange(n)
        octant = xp.take(octant, xp.asarray(np.minimum(at, n - 1 - at)), axis=axis)
    return octant
