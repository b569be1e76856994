"""Write volumes as OME-Zarr 0.5: a folder of compressed chunks at several sizes, for large volumes.

Level k averages 2 voxels of level k − 1 along each axis with more than one voxel; at an odd end, it
averages the rest. The centre of voxel i of level k is at

    first + (f − 1) / 2 · edge + i · f · edge,    f = 2^k (1 along an axis of one voxel),

with `first` the centre of the first voxel of level 0. Axes are those of the volume, z, y, x. Our
attributes state the patient sides of the axes, because OME-Zarr has no field for them. Every chunk
is written and compressed by gzip: readers would take a lost chunk for zeros.
https://ngff.openmicroscopy.org/0.5, https://zarr-specs.readthedocs.io (Zarr 3).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume, bids_times
from engine.data.volume import Volume
from engine.io.auxiliary.sidecar_writers import FolderWriter, write_folder
from engine.io.volumes.header_name import named

VERSION = "0.5"
BLOCK = 128
"""Longest edge of a chunk [voxels]; the first level without a longer axis is the last."""
GZIP_LEVEL = 4
NODE = "zarr.json"
NODE_BYTES = 65_536

Values = NDArray[np.float32]


class OmeZarrWriter(FolderWriter):
    """OME-Zarr, with provenance in a JSON sidecar."""

    detail: ClassVar[str] = "a multiscale folder, for napari and Python"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_ome_zarr(volume, path, provenance)


def write_ome_zarr(
    volume: Volume, path: Path, provenance: Plain, frames: Sequence[FrameVolume] = ()
) -> None:
    """Write a volume, or its time frames, as a folder; completely or not at all.

    Parameters
    ----------
    volume
        image, or sum or mean of the frames
    path
        folder that does not exist yet
    provenance
        provenance of the volume
    frames
        on the same grid; they are written instead, [t, z, y, x]

    Raises
    ------
    ResourceError
        if the folder exists, or cannot be written
    """
    images = [each.volume.values for each in frames] or [volume.values]
    # All levels together take at most 8/7 of the first, and gzip hardly enlarges noise; 2 is safe.
    needed = 2 * sum(each.size for each in images) * 4 + NODE_BYTES
    write_folder(path, needed, _files(volume, images, frames), volume.unit, provenance)


def halved(values: Values) -> Values:
    """Return means over blocks of 2 × 2 × 2 voxels; at an odd end, of the rest.

    Parameters
    ----------
    values
        (n_z, n_y, n_x); an axis of one voxel stays

    Returns
    -------
    values
        (⌈n_z / 2⌉, ⌈n_y / 2⌉, ⌈n_x / 2⌉)
    """
    for axis, n in enumerate(values.shape):
        if n > 1:
            starts = np.arange(0, n, 2)
            sums = np.add.reduceat(values, starts, axis=axis, dtype=np.float32)
            shape = [1] * values.ndim
            shape[axis] = -1
            values = sums / np.minimum(n - starts, 2).astype(np.float32).reshape(shape)
    return values


def shapes_of(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the shape of each level, the full size first."""
    found = [tuple(shape)]
    while max(found[-1]) > BLOCK:
        found.append(tuple((n + 1) // 2 for n in found[-1]))
    return found


def _files(
    volume: Volume, images: Sequence[Values], frames: Sequence[FrameVolume]
) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file: attributes of the levels, then their chunks."""
    shapes = shapes_of(volume.grid.shape)
    # The digest covers files in this order, and the reader computes it in the same order.
    yield NODE, _json({"zarr_format": 3, "node_type": "group", **_stated(volume, frames)})
    for k, shape in enumerate(shapes):
        whole = (len(frames), *shape) if frames else shape
        yield f"{k}/{NODE}", _json(_array(whole))
    for t, values in enumerate(images):
        level, first = np.asarray(values, np.float32), (t,) if frames else ()
        for k in range(len(shapes)):
            # Each level is made from the one before, so that only two are in memory.
            level = halved(level) if k else level
            for place, content in _blocks(level):
                yield f"{k}/c/" + "/".join(map(str, (*first, *place))), content


def _blocks(values: Values) -> Iterator[tuple[tuple[int, ...], bytes]]:
    """Yield position and bytes of each chunk; the last ones are filled up with zeros."""
    edges = _edges(values.shape)
    counts = [range(-(-n // edge)) for n, edge in zip(values.shape, edges, strict=True)]
    for place in product(*counts):
        corner = [i * edge for i, edge in zip(place, edges, strict=True)]
        part = values[tuple(slice(a, a + edge) for a, edge in zip(corner, edges, strict=True))]
        block = np.zeros(edges, "<f4")
        block[tuple(slice(n) for n in part.shape)] = part
        # mtime=0: without the time of writing, equal volumes give equal files.
        yield place, gzip.compress(block.tobytes(), GZIP_LEVEL, mtime=0)


def _edges(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(min(n, BLOCK) for n in shape)


def _array(shape: tuple[int, ...]) -> Plain:
    """Return the Zarr attributes of a level of this shape."""
    space = shape[-3:]
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "float32",
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": ((1,) if len(shape) > 3 else ()) + _edges(space)},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0.0,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "gzip", "configuration": {"level": GZIP_LEVEL}},
        ],
        "attributes": {},
        "dimension_names": list("tzyx")[-len(shape) :],
    }


def _stated(volume: Volume, frames: Sequence[FrameVolume]) -> Plain:
    """Return the attributes of the group: axes, positions of the levels, unit, patient sides."""
    axes: list[Plain] = [{"name": a, "type": "space", "unit": "millimeter"} for a in "zyx"]
    times = [each.frame for each in frames]
    steps = {b.start_ms - a.start_ms for a, b in pairwise(times)}
    # A scale can only express equal steps; other times are in our attributes with BIDS names.
    is_even = len(steps) == 1 and len({each.duration_s for each in times}) == 1
    time_scale, time_start = ([1.0], [0.0]) if frames else ([], [])
    if frames:
        axes.insert(0, {"name": "t", "type": "time"} | ({"unit": "second"} if is_even else {}))
    if is_even:
        time_scale, time_start = [steps.pop() / 1000], [times[0].start_s]
    levels: list[Plain] = []
    for k in range(len(shapes_of(volume.grid.shape))):
        scale, start = _placed(volume, k)
        placed: list[Plain] = [
            {"type": "scale", "scale": time_scale + scale},
            {"type": "translation", "translation": time_start + start},
        ]
        levels.append({"path": str(k), "coordinateTransformations": placed})
    whole: Plain = {"name": named(volume), "axes": axes, "datasets": levels, "type": "mean"}
    ours: Plain = {"unit": volume.unit, "axes": f"z, y, x; {volume.axes}"}
    if frames:
        ours |= bids_times(times)
    return {"attributes": {"ome": {"version": VERSION, "multiscales": [whole]}, "isocenter": ours}}


def _placed(volume: Volume, k: int) -> tuple[list[float], list[float]]:
    """Return voxel size and centre of the first voxel of a level, along z, y, x [mm]."""
    grid = volume.grid
    scale, start = [], []
    for axis, n in zip((2, 1, 0), grid.shape, strict=True):
        factor, edge = (2**k if n > 1 else 1), float(grid.voxel_mm[axis])
        scale.append(factor * edge)
        start.append(float(grid.centres_mm(axis)[0]) + (factor - 1) / 2 * edge)
    return scale, start


def _json(content: Plain) -> bytes:
    return json.dumps(content, indent=2).encode() + b"\n"
