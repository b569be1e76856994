"""Data classes for the storage of images, with the names that a sidecar uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.core.arrays import Array
from engine.io.xray.array_files import StoredArray
from engine.io.xray.numbered_images import NUMBERED_IMAGE
from engine.raw_import.raw_shape import RawShape


@dataclass(frozen=True)
class ImageLayout:
    """Images in their files.

    Attributes
    ----------
    table : keys of the sidecar
    shape : (views, rows, columns)
    whole_numbers : whether values are stored as whole numbers
    shapes : of a raw file, the likely ones, the best first
    lists : arrays of one axis beside the projections, by name: what may be angles
    arrays : all arrays of the file, by their names without the sign of the root
    holder : the HDF5 file of these arrays, as a sidecar calls it; "" of others
    """

    table: dict[str, object]
    shape: tuple[int, int, int]
    whole_numbers: bool
    shapes: tuple[RawShape, ...] = ()
    lists: dict[str, Array] = field(default_factory=dict)
    arrays: dict[str, StoredArray] = field(default_factory=dict)
    holder: str = ""


def names_of(files: tuple[Path, ...], folder: Path) -> str | list[str]:
    """Return what a sidecar in a folder calls files: a numbered stack by its beginning."""
    names = [each.relative_to(folder).as_posix() for each in files]
    if len(files) == 1:
        return names[0]
    numbers = [NUMBERED_IMAGE.match(each.name) for each in files]
    begins = {number["prefix"] for number in numbers if number}
    if all(numbers) and len(begins) == 1 and len({each.parent for each in files}) == 1:
        prefix = begins.pop()
        if prefix or len(names[0].split("/")) > 1:
            return names[0][: len(names[0]) - len(files[0].name)] + prefix
    return names
