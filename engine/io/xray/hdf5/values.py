"""Read values and attributes of HDF5 datasets of any type: numbers, texts or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.io.hdf5.opening import DAMAGE, provide_filters, text_of

if TYPE_CHECKING:
    import h5py

MAX_ATTRIBUTE_BYTES = 4096


def numbers_of(item: object) -> NDArray[np.float64] | None:
    """Return the numbers of an HDF5 object.

    Parameters
    ----------
    item
        any object of h5py

    Returns
    -------
    values
        flat float64, also from texts of numbers; None if it is not a dataset of numbers
    """
    import h5py

    # `shape` is None for an empty dataset (null dataspace).
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
    """Return a text attribute.

    Parameters
    ----------
    item
        group or dataset
    name
        name of the attribute
    default
        returned if it is missing, longer than 4096 bytes, or not a single text
    """
    import h5py

    if not h5py.h5a.exists(item.id, name.encode()):
        return default
    try:
        found = h5py.h5a.open(item.id, name.encode())
        if int(np.prod(found.shape, dtype=object)) != 1:
            return default
        # Checked before reading: a damaged attribute can claim gigabytes.
        if found.get_storage_size() > MAX_ATTRIBUTE_BYTES:
            return default
        return text_of(np.asarray(item.attrs[name]).reshape(-1)[0])
    except DAMAGE:  # a type that is not text
        return default


def number_attribute(item: h5py.Dataset, name: str, default: float) -> float:
    """Return a finite number from an attribute or from its text.

    Parameters
    ----------
    item
        dataset
    name
        name of the attribute
    default
        returned if it is missing or not a finite number
    """
    try:
        stored = np.asarray(item.attrs.get(name, default)).reshape(-1)
        value = stored[0] if stored.dtype.kind in "iuf" else text_of(stored[0])
        return float(value) if np.isfinite(float(value)) else default
    except DAMAGE:
        return default
