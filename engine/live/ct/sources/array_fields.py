"""Frames of EPICS: an NTNDArray of a detector, with attributes from other records.

Sizes are (columns, rows). Kind and angle of a frame are not part of the type. Detectors state them
in attributes whose names differ between sites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Protocol

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.live.core.frame import FrameKind

ANGLE_NAMES = ("SampleRotary", "RotationAngle", "rotation_angle", "theta", "Theta", "Angle")
"""Attributes with the angle [°]."""
KIND_NAMES = ("SaveDest", "HDF5FrameLocation", "FrameType", "ImageKey")
"""Attributes with the kind of a frame: a place in the file, a word, or a key of NXtomo."""
DARK_WORDS, FLAT_WORDS = ("dark", "2"), ("white", "flat", "1")


class ArrayFields(Protocol):
    """The methods of an NTNDArray that are used."""

    def __getitem__(self, name: str) -> object:
        """Return a field."""

    def __contains__(self, name: str) -> bool:
        """Return True if the array has a field."""


def values_of(array: ArrayFields) -> Array:
    """Return the values of a grey-scale image.

    Parameters
    ----------
    array
        NTNDArray of the channel

    Returns
    -------
    values
        (n_rows, n_columns)

    Raises
    ------
    DataError
        if the frame is compressed, in colours, or of another size than it states
    """
    # areaDetector compresses with its codec plugin, and states the name here
    codec = array["codec"]
    packed = codec.get("name") if isinstance(codec, Mapping) else ""
    if packed:
        raise DataError(
            f"the frame is compressed ({packed}); configure the detector to send uncompressed "
            "frames."
        )
    sizes = [each["size"] for each in _tables(array["dimension"])]
    if len(sizes) != 2:
        raise DataError(
            f"the frame has {len(sizes)} axes, expected two (rows and columns); configure the "
            "detector to send grey-scale images."
        )
    columns, rows = (int(size) for size in sizes if isinstance(size, int))
    # The value is a union: one entry whose name is the number type
    union = _tables(array["value"])
    values = np.array(next(iter(union[0].values()))) if union and union[0] else np.zeros(0)
    if values.dtype.kind not in "uif" or values.size != rows * columns:
        raise DataError(
            f"the frame has {values.size:,} values of type {values.dtype.name}, expected "
            f"{rows * columns:,} real numbers for {columns} × {rows} pixels (columns × rows); "
            "check the detector software."
        )
    return values.reshape(rows, columns)


def number_of(array: ArrayFields) -> int:
    """Return the number of a frame from the detector.

    Parameters
    ----------
    array
        NTNDArray of the channel

    Raises
    ------
    DataError
        if the frame has no number
    """
    number = array["uniqueId"]
    if not isinstance(number, int):
        raise DataError(
            f"the frame number (uniqueId) is {str(number)[:40]}, expected an integer; check the "
            "detector software."
        )
    return number


def kind_of_array(array: ArrayFields) -> FrameKind:
    """Return the kind of a frame; a projection without an attribute.

    Parameters
    ----------
    array
        NTNDArray of the channel, perhaps with an attribute of `KIND_NAMES`
    """
    stated = str(_attribute(array, KIND_NAMES) or "").strip().lower()
    # Substrings, because places in a file are such as "/exchange/data_dark"
    if any(word in stated for word in DARK_WORDS):
        return FrameKind.DARK
    if any(word in stated for word in FLAT_WORDS):
        return FrameKind.FLAT
    return FrameKind.PROJECTION


def angle_of(array: ArrayFields) -> float | None:
    """Return the stated angle of a frame.

    Parameters
    ----------
    array
        NTNDArray of the channel, perhaps with an attribute of `ANGLE_NAMES` in degrees

    Returns
    -------
    angle_rad
        angle [rad], None if it is not stated
    """
    stated = _attribute(array, ANGLE_NAMES)
    if not isinstance(stated, int | float) or isinstance(stated, bool) or not isfinite(stated):
        return None
    return float(np.deg2rad(stated))


def _attribute(array: ArrayFields, names: Sequence[str]) -> object:
    """Return the value of the first attribute with one of these names."""
    attributes = _tables(array["attribute"]) if "attribute" in array else []
    found = {str(each.get("name")): each.get("value") for each in attributes}
    value = next((found[name] for name in names if name in found), None)
    while isinstance(value, Mapping | tuple | list) and value:  # a union of one
        value = next(iter(value.values())) if isinstance(value, Mapping) else value[0]
    return value


def _tables(value: object) -> list[Mapping[str, object]]:
    if isinstance(value, Mapping):
        return [value]
    several = value if isinstance(value, list | tuple) else ()
    return [each for each in several if isinstance(each, Mapping)]
