"""Read volumes in OME-Zarr 0.5 (Zarr 3): the level of full size; the folder names the volume.

Chunks are at `<level>/c/t/z/y/x` (or with another separator), little-endian or big-endian, with or
without gzip. The centre of voxel i along an axis is at translation + i · scale.
https://ngff.openmicroscopy.org/0.5, https://zarr-specs.readthedocs.io (Zarr 3).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from math import prod
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import provenance_at
from engine.io.base import FramesReader
from engine.io.folder import below, exists, is_file, open_below
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.not_numbers import nan_as_zero
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import known_unit, stated_grid
from engine.io.text.json_text import from_json
from engine.io.volumes.frame_stack import NO_CLOCK, FrameClock, framed
from engine.io.volumes.ome_zarr import NODE
from engine.io.volumes.straight_axes import NO_SIDES

MARK = b'"multiscales"'
MAX_TEXT = 1 << 22
MM = {"millimeter": 1.0, "centimeter": 10.0, "meter": 1000.0, "micrometer": 1e-3, "nanometer": 1e-6}
SECONDS = {"second": 1.0, "millisecond": 1e-3, "microsecond": 1e-6, "minute": 60.0}
KINDS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
ORDERS: dict[str, Literal["<", ">"]] = {"little": "<", "big": ">"}
DAMAGED = "Copy or export the folder again."
FAULTS = (ValueError, LookupError, TypeError, AttributeError, zlib.error)
"""Exceptions caused by a damaged text or chunk."""


class OmeZarr(FramesReader):
    """OME-Zarr image."""

    format_name: ClassVar[str] = "OME-Zarr"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.path.name == NODE and MARK in file.head

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        folder = file.path.parent
        try:
            stated = from_json(file.text(MAX_TEXT))
            level = _Level.of(file, stated["attributes"])
            stack = level.values(file)
        except FAULTS as e:
            reason = " ".join(str(e).split())
            raise FileFormatError(
                f"{folder.name}: unreadable OME-Zarr image. {DAMAGED} Reason: {reason}."
            ) from e
        stack, of_nan = nan_as_zero(folder, stack)
        refuse_not_finite(folder, stack)
        ours: Plain = stated["attributes"].get("isocenter", {})
        provenance, notes = provenance_at(folder, lambda: _digest(folder, level))
        info = {**provenance, **ours, "axes": str(ours.get("axes", "")).partition("; ")[2]}
        info["axes"] = info["axes"] or NO_SIDES
        # The volume has its unit in a field of its own.
        info.pop("unit", None)
        unit = known_unit(folder, str(ours.get("unit", "")))
        grid = stated_grid(folder, stack.shape[-3:], *level.placed(stack.shape[-3:]))
        first = stack if stack.ndim == 3 else stack[0]
        like = Volume(first, grid, unit, info, (*notes, *of_nan))
        return framed(folder, stack, like, level.clock())


@dataclass(frozen=True)
class _Level:
    """The level of full size.

    Attributes
    ----------
    path : path of its folder
    names, units : names and units of the axes
    scale, start : step and first centre along each axis
    levels : paths of all levels
    is_ours : True if this program wrote it, with every chunk
    """

    path: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    scale: tuple[float, ...]
    start: tuple[float, ...]
    levels: tuple[str, ...]
    is_ours: bool

    @classmethod
    def of(cls, file: InputFile, attributes: Plain) -> _Level:
        """Read the levels from the attributes of the group."""
        images = attributes["ome"]["multiscales"]
        if len(images) != 1:
            raise ValueError(f"found {len(images)} images, expected one")
        axes = images[0]["axes"]
        names = tuple(str(axis["name"]).lower() for axis in axes)
        if names not in (("z", "y", "x"), ("t", "z", "y", "x")):
            raise ValueError(f"the axes are {', '.join(names)}, expected z, y, x or t, z, y, x")
        # The specification requires levels from the largest to the smallest.
        first = images[0]["datasets"][0]
        scale, start = np.ones(len(names)), np.zeros(len(names))
        for step in first["coordinateTransformations"]:
            if step["type"] == "scale":
                scale = np.asarray(step["scale"], float)
            elif step["type"] == "translation":
                start = np.asarray(step["translation"], float)
        if scale.shape != (len(names),) or start.shape != scale.shape:
            raise ValueError(
                f"the scale and translation must have {len(names)} values each, one per axis"
            )
        units = tuple(str(axis.get("unit", "")) for axis in axes)
        levels = tuple(str(each["path"]) for each in images[0]["datasets"])
        place = tuple(scale.tolist()), tuple(start.tolist())
        return cls(str(first["path"]), names, units, *place, levels, "isocenter" in attributes)

    def placed(self, shape: tuple[int, ...]) -> tuple[list[float], list[float]]:
        """Return voxel edges and centre of the volume, along x, y, z [mm]."""
        # Without a unit, OME-Zarr leaves the scale undefined; mm is assumed.
        mm = np.array([MM.get(unit, 1.0) for unit in self.units[-3:]])
        edges = mm * self.scale[-3:]
        middle = mm * self.start[-3:] + (np.array(shape) - 1) / 2 * edges
        return edges[::-1].tolist(), middle[::-1].tolist()

    def clock(self) -> FrameClock:
        """Return the frame times, if the time axis has a unit."""
        seconds = SECONDS.get(self.units[0]) if self.names[0] == "t" else None
        if seconds is None:
            return NO_CLOCK
        return FrameClock(seconds * self.start[0], seconds * self.scale[0])

    def values(self, file: InputFile) -> NDArray[np.float32]:
        """Read all chunks."""
        array = _array_at(file.path, self.path)
        shape, edges = tuple(array["shape"]), _edges(array)
        if len(shape) != len(self.names) or len(edges) != len(shape) or min(*shape, *edges) < 1:
            raise ValueError(f"the array has {len(shape)} axes, expected {len(self.names)}")
        refuse_large_data(4 * prod(shape), file.path.parent.name)
        values = np.empty(shape, np.float32)
        for place in product(*(range(-(-n // e)) for n, e in zip(shape, edges, strict=True))):
            corner = tuple(slice(i * e, (i + 1) * e) for i, e in zip(place, edges, strict=True))
            part = values[corner]
            name = f"{self.path}/{_name(array, place)}"
            block = _block(file.path, array, name, edges, is_ours=self.is_ours)
            # The last chunks along an axis are longer than the array.
            part[...] = block[tuple(slice(n) for n in part.shape)]
        return values


def _array_at(node: Path, level: str) -> Plain:
    with open_below(node, f"{level}/{NODE}") as file:
        array = from_json(file.text(MAX_TEXT))
    if array.get("node_type") != "array" or array.get("data_type") not in KINDS:
        raise ValueError(
            f"the values have the type {array.get('data_type')}, expected real numbers"
        )
    return array


def _edges(array: Plain) -> tuple[int, ...]:
    grid = array["chunk_grid"]
    if grid["name"] != "regular":
        raise ValueError(f"the chunk grid is {grid['name']!r}, expected 'regular'")
    return tuple(int(n) for n in grid["configuration"]["chunk_shape"])


def _name(array: Plain, place: tuple[int, ...]) -> str:
    encoding = array["chunk_key_encoding"]
    # Zarr 3: keys of the encoding "default" are separated by "/", those of "v2" by ".".
    default = "/" if encoding["name"] == "default" else "."
    separator = str(encoding.get("configuration", {}).get("separator", default))
    if separator not in ("/", "."):
        raise ValueError(f"the separator in chunk names is {separator!r}, expected '/' or '.'")
    first = ["c"] if encoding["name"] == "default" else []
    return separator.join([*first, *map(str, place)])


def _block(
    node: Path, array: Plain, name: str, edges: tuple[int, ...], *, is_ours: bool
) -> NDArray[np.generic]:
    """Return one chunk; a missing chunk holds `fill_value`, but ours are all written."""
    order, packed = _codecs(array)
    kind = np.dtype(array["data_type"]).newbyteorder(order)
    n_bytes = prod(edges) * kind.itemsize
    refuse_large_data(2 * n_bytes, name)
    if not exists(below(node, name)):
        if is_ours:
            raise ValueError(f"the chunk {name!r} is missing")
        return np.full(edges, array["fill_value"], kind)
    with open_below(node, name) as file:
        data = file.read()
    if packed:
        # wbits=31: gzip header and trailer. The limit stops a chunk that unpacks to more than its
        # size.
        data = zlib.decompressobj(wbits=31).decompress(data, n_bytes)
    if len(data) != n_bytes:
        raise ValueError(f"the chunk {name!r} has {len(data):,} bytes, expected {n_bytes:,}")
    return np.frombuffer(data, kind).reshape(edges)


def _codecs(array: Plain) -> tuple[Literal["<", ">"], bool]:
    """Return the byte order, and True if chunks are compressed by gzip."""
    # Blosc and Zstandard, which other writers use, need additional libraries.
    names = [str(codec["name"]) for codec in array["codecs"]]
    if names not in (["bytes"], ["bytes", "gzip"]):
        raise ValueError(
            f"the chunks use the codecs {', '.join(names)}, expected bytes or bytes and gzip"
        )
    order = array["codecs"][0].get("configuration", {}).get("endian", "little")
    return ORDERS[str(order)], len(names) == 2


def _digest(folder: Path, level: _Level) -> str:
    """Return the digest of all files, in the order in which they were written."""
    total = sha256()
    for name in _files(folder, level):
        with open_below(folder / NODE, name) as file:
            total.update(file.read())
    return total.hexdigest()


def _files(folder: Path, level: _Level) -> Iterator[str]:
    """Yield the names of all files: attributes, then the chunks of each frame at every level."""
    node = folder / NODE
    yield NODE
    yield from (f"{path}/{NODE}" for path in level.levels)
    arrays = {path: _array_at(node, path) for path in level.levels}
    n_frames = arrays[level.path]["shape"][0] if len(level.names) == 4 else 1
    for t in range(n_frames):
        for path, array in arrays.items():
            pairs = zip(array["shape"][-3:], _edges(array)[-3:], strict=True)
            for place in product(*(range(-(-n // e)) for n, e in pairs)):
                whole = (t, *place) if len(level.names) == 4 else place
                yield f"{path}/{_name(array, whole)}"


def node_in(folder: Path) -> Path | None:
    """Return the attribute file of an OME-Zarr folder.

    Parameters
    ----------
    folder
        any folder

    Returns
    -------
    node
        None if this is not such a folder
    """
    node = folder / NODE
    return node if is_file(node) else None
