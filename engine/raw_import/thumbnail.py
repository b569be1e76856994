"""Shrink images to the size of a preview."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array

MOST_PIXELS = 320


def small(image: Array) -> Array:
    """Return an image (rows, columns) as float32, neighbours put together where it is large."""
    k = max(1, -(-max(image.shape) // MOST_PIXELS))
    rows, columns = (n // k for n in image.shape)
    if not rows or not columns or k == 1:
        return np.asarray(image[::k, ::k], np.float32)
    cut = image[: rows * k, : columns * k].reshape(rows, k, columns, k)
    return np.asarray(cut.mean(axis=(1, 3)), np.float32)
