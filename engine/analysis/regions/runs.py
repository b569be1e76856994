"""Run-length encoding of a mask as text, x fastest, compressed.

The first run is of voxels outside and can be empty. Lengths are unsigned 32-bit numbers, little
endian, compressed by zlib and encoded in base 64.
"""

from __future__ import annotations

import base64
import binascii
import zlib

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
LENGTH = np.dtype("<u4")
MAX_VOXELS = 1 << 31


def packed(mask: Mask) -> str:
    """Return a mask [z, y, x] as text."""
    flat = mask.ravel()
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    ends = np.concatenate([[0], changes, [flat.size]])
    lengths = np.diff(ends).astype(LENGTH)
    if flat.size and flat[0]:
        lengths = np.concatenate([np.zeros(1, LENGTH), lengths])
    return base64.b64encode(zlib.compress(lengths.tobytes())).decode()


def unpacked(text: str, shape: tuple[int, int, int]) -> Mask:
    """Return the mask of a text.

    Parameters
    ----------
    text
        result of `packed`
    shape
        (n_z, n_y, n_x)

    Raises
    ------
    ValueError
        if the text is damaged, or does not hold that many voxels
    """
    n_voxels = int(np.prod([int(n) for n in shape]))
    try:
        unpacker = zlib.decompressobj()
        # The limit of 64 MiB stops a small damaged file from expanding without end.
        data = unpacker.decompress(base64.b64decode(text, validate=True), LENGTH.itemsize * 2**24)
    except (binascii.Error, zlib.error) as e:
        raise ValueError(f"the run lengths cannot be decoded ({e})") from e
    if unpacker.unconsumed_tail or not unpacker.eof or len(data) % LENGTH.itemsize:
        raise ValueError("the run lengths are truncated, or larger than 64 MiB")
    lengths = np.frombuffer(data, LENGTH).astype(np.int64)
    if lengths.sum() != n_voxels:
        raise ValueError(
            f"the run lengths add up to {lengths.sum():,} voxels, but the box has {n_voxels:,}"
        )
    values = np.arange(len(lengths)) % 2 == 1
    return np.repeat(values, lengths).reshape(shape)
