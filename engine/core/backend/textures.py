"""Limits of textures: maximum sizes, padding of rows, and the form of an update.

Sizes: CUDA C++ Programming Guide, "Technical specifications per compute capability". They are the
same for all cards from compute capability 5.0 on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.backend.gpu import TextureKind
from engine.core.errors import DeviceError

MAX_TEXELS: dict[TextureKind, tuple[int | None, int, int]] = {
    "array": (16384, 16384, 16384),
    "layered": (2048, 32768, 32768),
    "list": (None, 65536, 131072),
    "pitched": (None, 65000, 131072),
}
"""Maximum images (None: any number), rows and columns of a texture of each kind."""

ROW_BYTES = 32
"""Alignment of rows in pitched memory, in bytes."""
LAYER_BYTES = 512
"""Alignment of images in pitched memory, in bytes."""


def check_shape(kind: TextureKind, shape: tuple[int, int, int]) -> None:
    """Raise an error if no card supports a texture of this size.

    Parameters
    ----------
    kind
        storage of the images
    shape
        (n_pictures, n_rows, n_columns)

    Raises
    ------
    DeviceError
        if a size is below 1 or above the limit
    """
    most = MAX_TEXELS[kind]
    if any(n < 1 or (limit and n > limit) for n, limit in zip(shape, most, strict=True)):
        limits = ", ".join("-" if n is None else str(n) for n in most)
        raise DeviceError(
            f"a texture of kind {kind!r} cannot hold {shape[0]} images of {shape[1]} × {shape[2]} "
            f"pixels (limits for images, rows and columns: {limits}); use fewer images at a time, "
            "or another kind."
        )


def check_update(shape: tuple[int, int, int], values: Any, first: int) -> None:
    """Raise an error if values cannot replace images of a texture.

    Parameters
    ----------
    shape
        shape of the texture (n_pictures, n_rows, n_columns)
    values
        the new images
    first
        number of the first image that they replace

    Raises
    ------
    ValueError
        if the dtype, layout or size does not fit
    """
    n_layers, *layer = shape
    if values.dtype != np.float32 or values.ndim != 3 or not values.flags.c_contiguous:
        raise ValueError(
            "a texture needs contiguous float32 values of shape (n, n_rows, n_columns), got "
            f"{values.dtype} of shape {values.shape}."
        )
    # Whole images only: a partial row would leave its neighbours undefined.
    if list(values.shape[1:]) != layer or not 0 <= first <= n_layers - len(values):
        raise ValueError(
            f"values of shape {values.shape} do not fit into a texture of shape {shape}, "
            f"starting at image {first}."
        )


def padded(shape: tuple[int, int, int], row_bytes: int = ROW_BYTES) -> tuple[int, int, int]:
    """Return the shape of pitched memory; the images are [:, :n_rows, :n_columns] of it.

    Rows are added so that each image starts at an aligned address.

    Parameters
    ----------
    shape
        (n_pictures, n_rows, n_columns) of float32
    row_bytes
        alignment of a row in bytes
    """
    n_layers, n_rows, n_columns = shape
    pitch = _rounded_up(4 * n_columns, row_bytes)
    # The smallest number of rows whose bytes are a multiple of LAYER_BYTES.
    n_rows = _rounded_up(n_rows, LAYER_BYTES // np.gcd(pitch, LAYER_BYTES))
    return n_layers, int(n_rows), pitch // 4


def _rounded_up(n: int, step: int) -> int:
    return -(-n // step) * step
