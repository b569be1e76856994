"""What textures may be: their greatest sizes, how rows are padded, and what an update must bring.

Sizes: CUDA C++ Programming Guide, "Technical specifications per compute capability"; they are the
same for all cards from compute capability 5.0 on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.backend.gpu import TextureKind
from engine.core.errors import DeviceError

MOST_TEXELS: dict[TextureKind, tuple[int | None, int, int]] = {
    "array": (16384, 16384, 16384),
    "layered": (2048, 32768, 32768),
    "list": (None, 65536, 131072),
    "pitched": (None, 65000, 131072),
}
"""Pictures (None: any number), rows and columns that a texture of each kind may have."""

ROW_BYTES = 32
"""Rows of pitched memory start at multiples of it."""
LAYER_BYTES = 512
"""Pictures in pitched memory start at multiples of it."""


def check_shape(kind: TextureKind, shape: tuple[int, int, int]) -> None:
    """Raise if no card has such a texture."""
    most = MOST_TEXELS[kind]
    if any(n < 1 or (limit and n > limit) for n, limit in zip(shape, most, strict=True)):
        raise DeviceError(
            f"a texture of kind {kind!r}: {_words(shape)} are wanted, and it holds 1 to "
            f"{_words(most)}; take fewer at a time, or another kind."
        )


def check_update(shape: tuple[int, int, int], values: Any, first: int) -> None:
    """Raise if these values are not pictures of the texture from number `first` on."""
    n_layers, *layer = shape
    if values.dtype != np.float32 or values.ndim != 3 or not values.flags.c_contiguous:
        raise ValueError(
            f"a texture takes contiguous float32 (n, n_rows, n_columns), "
            f"not {values.dtype} {values.shape}."
        )
    if list(values.shape[1:]) != layer or not 0 <= first <= n_layers - len(values):
        raise ValueError(f"{values.shape} from picture {first} on does not fit a texture {shape}.")


def padded(shape: tuple[int, int, int], row_bytes: int = ROW_BYTES) -> tuple[int, int, int]:
    """Return the shape of pitched memory, of which the pictures are [:, :n_rows, :n_columns].

    So many rows are added that each picture starts where textures may.
    """
    n_layers, n_rows, n_columns = shape
    pitch = _rounded_up(4 * n_columns, row_bytes)
    n_rows = _rounded_up(n_rows, LAYER_BYTES // np.gcd(pitch, LAYER_BYTES))
    return n_layers, int(n_rows), pitch // 4


def _rounded_up(n: int, step: int) -> int:
    return -(-n // step) * step


def _words(shape: tuple[int | None, int, int]) -> str:
    n_layers, n_rows, n_columns = shape
    number = "any number of" if n_layers is None else str(n_layers)
    return f"{number} pictures of {n_rows} x {n_columns}"
