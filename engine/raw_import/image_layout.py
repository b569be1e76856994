"""Data classes for the storage of images, with the names that a sidecar uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.core.arrays import Array
from engine.io.xray.array_files import StoredArray
from engine.io.xray.names import NUMBERED_IMAGE
from engine.raw_import.raw_shape import RawShape


@dataclass(frozen=True)
class ImageLayout:
    """Images in their files.

    Attributes
    ----------
    table : entries of the sidecar
    shape : (views, rows, columns)
    whole_numbers : True if values are stored as integers
    shapes : possible sizes of a raw file, the best first
    lists : one-dimensional arrays next to the projections by name, which may be angles
    arrays : all arrays of the file by name, without the leading "/"
    holder : name of the HDF5 file of these arrays in the sidecar; "" for other files
    """

    table: dict[str, object]
    shape: tuple[int, int, int]
    whole_numbers: bool
    shapes: tuple[RawShape, ...] = ()
    lists: dict[str, Array] = field(default_factory=dict)
    arrays: dict[str, StoredArray] = field(default_factory=dict)
    holder: str = ""


def names_of(files: tuple[Path, ...], folder: Path) -> str | list[str]:
    """Return the names of files as a sidecar in a folder writes them.

    Parameters
    ----------
    files
        files in or below the folder
    folder
        folder of the sidecar

    Returns
    -------
    names
        a single name, a common beginning for a numbered stack, or a list of names
    """
    names = [each.relative_to(folder).as_posix() for each in files]
    if len(files) == 1:
        return names[0]
    numbers = [NUMBERED_IMAGE.match(each.name) for each in files]
    begins = {number["prefix"] for number in numbers if number}
    # A prefix is only safe if every file has it and all are in one folder.
    if all(numbers) and len(begins) == 1 and len({each.parent for each in files}) == 1:
        prefix = begins.pop()
        # An empty prefix would select every image of the folder.
        if prefix or len(names[0].split("/")) > 1:
            return names[0][: len(names[0]) - len(files[0].name)] + prefix
    return names
