"""Frames as EPICS sends them: an NTNDArray of a detector, with attributes that others add.

Sizes stand as (columns, rows). What a frame shows and at which angle is no part of the type:
detectors say it in attributes, by names that differ from place to place.
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
"""Attributes that hold the angle [°]."""
KIND_NAMES = ("SaveDest", "HDF5FrameLocation", "FrameType", "ImageKey")
"""Attributes that say what a frame shows: a place in the file, a word, or a key of NXtomo."""
DARK_WORDS, FLAT_WORDS = ("dark", "2"), ("white", "flat", "1")


class ArrayFields(Protocol):
    """What is read of an NTNDArray."""

    def __getitem__(self, name: str) -> object:
        """Return a field."""

    def __contains__(self, name: str) -> bool:
        """Whether there is a field."""


def values_of(array: ArrayFields) -> Array:
    """Return (rows, columns) of a grey image.

    Raises
    ------
    DataError
        for one that is packed, of colours, or of another size than it says
    """
    codec = array["codec"]
    packed = codec.get("name") if isinstance(codec, Mapping) else ""
    if packed:
        raise DataError(f"a frame packed with {packed}; let the detector send it unpacked.")
    sizes = [each["size"] for each in _tables(array["dimension"])]
    if len(sizes) != 2:
        raise DataError(f"a frame of {len(sizes)} axes, want columns and rows of grey values.")
    columns, rows = (int(size) for size in sizes if isinstance(size, int))
    union = _tables(array["value"])
    values = np.array(next(iter(union[0].values()))) if union and union[0] else np.zeros(0)
    if values.dtype.kind not in "uif" or values.size != rows * columns:
        raise DataError(
            f"a frame of {values.size:,} values of {values.dtype.name}, which says that it has "
            f"{columns} x {rows} (columns x rows)."
        )
    return values.reshape(rows, columns)


def number_of(array: ArrayFields) -> int:
    """Return the number that the detector gives to a frame."""
    number = array["uniqueId"]
    if not isinstance(number, int):
        raise DataError("a frame without a number.")
    return number


def kind_of_array(array: ArrayFields) -> FrameKind:
    """Return what a frame shows; a projection where nothing says so."""
    said = str(_attribute(array, KIND_NAMES) or "").strip().lower()
    if any(word in said for word in DARK_WORDS):
        return FrameKind.DARK
    if any(word in said for word in FLAT_WORDS):
        return FrameKind.FLAT
    return FrameKind.PROJECTION


def angle_of(array: ArrayFields) -> float | None:
    """Return the angle of a frame as it is said [rad], None where nobody says it."""
    said = _attribute(array, ANGLE_NAMES)
    if not isinstance(said, int | float) or isinstance(said, bool) or not isfinite(said):
        return None
    return float(np.deg2rad(said))


def _attribute(array: ArrayFields, names: Sequence[str]) -> object:
    """Return the value of the first attribute that has one of these names."""
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
