"""Shrink images to the size of a preview."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array

MOST_PIXELS = 320


def small(image: Array) -> Array:
    """Return an image as float32, binned to at most 320 pixels along each side.

    Parameters
    ----------
    image
        (rows, columns) values of any type
    """
    k = max(1, -(-max(image.shape) // MOST_PIXELS))
    rows, columns = (n // k for n in image.shape)
    # A very long and narrow image cannot be binned in blocks, so it is subsampled.
    if not rows or not columns or k == 1:
        return np.asarray(image[::k, ::k], np.float32)
    cut = image[: rows * k, : columns * k].reshape(rows, k, columns, k)
    return np.asarray(cut.mean(axis=(1, 3)), np.float32)
