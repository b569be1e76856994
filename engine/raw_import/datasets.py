"""List the arrays of a file, so that the user can choose projections, flats, darks and angles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import EngineError
from engine.io.folder import is_file, state_of
from engine.io.hdf5.opening import is_hdf5
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.array_files import StoredArray, array_of, arrays_in, holds_arrays

MAX_LISTED, MAX_PREVIEWS = 40, 12
MAX_PREVIEW_BYTES = 2**26
"""Larger slices are not read for a preview."""
MAX_IN_LIST = 2**20
"""Longest list that is read for its range."""
MAX_PIXELS = 320


@dataclass(frozen=True)
class Dataset:
    """One array in a file.

    Attributes
    ----------
    name : path in the file
    shape : lengths along the axes of the file
    dtype : type of the values
    preview : (rows, columns) float32, the reduced middle slice; None for a list
    span : smallest and largest number of a list; "" for images
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    preview: Array | None = None
    span: str = ""

    @property
    def is_list(self) -> bool:
        """Return True if it has one axis, as angles have."""
        return len(self.shape) == 1

    @property
    def text(self) -> str:
        """Shape, type and range for display."""
        size = " × ".join(f"{n:,}" for n in self.shape)
        return ", ".join(filter(None, (size, self.dtype, self.span)))


def datasets_of(source: Path, *, with_previews: bool = True) -> tuple[Dataset, ...]:
    """Return the arrays of a file, the largest first; nothing for other files.

    Parameters
    ----------
    source
        NumPy, MATLAB or HDF5 file
    with_previews
        True to read middle slices and ranges, only from HDF5, where this is fast
    """
    # A folder or a file that has disappeared has no arrays, and is not an error here.
    if not holds_arrays(source) or not is_file(source):
        return ()
    # The state is part of the cache key, so that a changed file is read again.
    return _cached(source.absolute(), state_of(source), with_previews)


@lru_cache(maxsize=4)
def _cached(source: Path, _: object, with_previews: bool) -> tuple[Dataset, ...]:
    with open_input(source) as file:
        stored = arrays_in(file)[:MAX_LISTED]
        # NumPy archives and MATLAB files must be decompressed completely for a single slice.
        with_previews = with_previews and is_hdf5(file.head)
        n_left = MAX_PREVIEWS
        found = []
        for each in stored:
            preview = _preview(file, each) if with_previews and n_left else None
            n_left -= preview is not None
            span = _span(file, each) if with_previews else ""
            found.append(Dataset(each.name, each.shape, str(each.dtype), preview, span))
    return tuple(found)


# The limit on previews keeps the dialog quick for files with hundreds of datasets.
def _preview(file: InputFile, stored: StoredArray) -> Array | None:
    """Return the middle slice, reduced for display; None for a list or a large slice."""
    if len(stored.shape) not in (2, 3) or min(stored.shape[-2:]) < 2:
        return None
    n_values = int(np.prod(stored.shape[-2:], dtype=object))
    # A damaged header can claim any size; it must not be allocated for a preview.
    if n_values * stored.dtype.itemsize > MAX_PREVIEW_BYTES:
        return None
    try:
        if len(stored.shape) == 2:
            return small(array_of(file, stored.name))
        middle = array_of(file, stored.name, (0, [stored.shape[0] // 2]))[0]
        return small(middle)
    except EngineError:  # choosing this dataset reports the error
        return None


def _span(file: InputFile, stored: StoredArray) -> str:
    if len(stored.shape) != 1 or stored.shape[0] > MAX_IN_LIST:
        return ""
    try:
        values = array_of(file, stored.name)
    except EngineError:
        return ""
    # NaN or infinity in a list would hide the range of the valid numbers.
    finite = values[np.isfinite(values)]
    return f"{finite.min():.6g} to {finite.max():.6g}" if finite.size else ""


def small(image: Array) -> Array:
    """Return an image as float32, binned to at most 320 pixels along each side.

    Parameters
    ----------
    image
        (rows, columns) values of any type
    """
    k = max(1, -(-max(image.shape) // MAX_PIXELS))
    rows, columns = (n // k for n in image.shape)
    # A very long and narrow image cannot be binned in blocks, so it is subsampled.
    if not rows or not columns or k == 1:
        return np.asarray(image[::k, ::k], np.float32)
    cut = image[: rows * k, : columns * k].reshape(rows, k, columns, k)
    return np.asarray(cut.mean(axis=(1, 3)), np.float32)
