"""Values and attributes of HDF5 datasets that may be of any type: numbers and texts, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.io.hdf5.filters import provide_filters
from engine.io.hdf5.opening import DAMAGE, text_of

if TYPE_CHECKING:
    import h5py

MAX_ATTRIBUTE_BYTES = 4096


def numbers_of(item: object) -> NDArray[np.float64] | None:
    """Return numbers, or texts of numbers, as float64, flat; None where a dataset has none."""
    import h5py

    if not isinstance(item, h5py.Dataset) or item.shape is None or item.dtype.kind not in "iufSO":
        return None
    provide_filters(item, str(item.name))
    values = np.asarray(item[()]).reshape(-1)
    if item.dtype.kind in "iuf":
        return np.asarray(values, np.float64)
    try:
        return np.array([float(text_of(each)) for each in values], np.float64)
    except ValueError:
        return None


def attribute(item: h5py.Group | h5py.Dataset, name: str, default: str = "") -> str:
    """Return a text attribute; one that claims more than a word is not read, nor is any other."""
    import h5py

    if not h5py.h5a.exists(item.id, name.encode()):
        return default
    try:
        found = h5py.h5a.open(item.id, name.encode())
        if int(np.prod(found.shape, dtype=object)) != 1:
            return default
        if found.get_storage_size() > MAX_ATTRIBUTE_BYTES:
            return default
        return text_of(np.asarray(item.attrs[name]).reshape(-1)[0])
    except DAMAGE:  # of a type that holds no text
        return default


def number_attribute(item: h5py.Dataset, name: str, default: float) -> float:
    """Return a finite number of an attribute, or of its text; the default where it is none."""
    try:
        stored = np.asarray(item.attrs.get(name, default)).reshape(-1)
        value = stored[0] if stored.dtype.kind in "iuf" else text_of(stored[0])
        return float(value) if np.isfinite(float(value)) else default
    except DAMAGE:
        return default
