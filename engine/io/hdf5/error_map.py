"""Error of an image in a volume file: bootstrap replicates next to the values.

    error/deviations            (n, z, y, x) int8, replicate minus image, in steps of the scale
    error/scale                 (z, y, x) float32, size of a step in the unit of the image
    error/standard_deviation    (z, y, x) float32, for other programs

Time frames have the same under `frames/error`, with the frame as first axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.error_map import METHODS, MIN_REPLICATES, ErrorMap, Method
from engine.io.hdf5.opening import dataset, unchanged_column
from engine.io.hdf5.writer import reserve

if TYPE_CHECKING:
    import h5py

OF_IMAGE, OF_FRAMES = "error", "frames/error"
_Origin: TypeAlias = tuple[int, Method, str]
"""Seed, method, and digest of the counts."""
_DEVIATIONS, _SCALE, _SPREAD = "deviations", "scale", "standard_deviation"


def columns_of(error: ErrorMap) -> dict[str, Array]:
    """Return the datasets of an image's error.

    Parameters
    ----------
    error
        error of the image
    """
    return {
        f"{OF_IMAGE}/{_DEVIATIONS}": np.ascontiguousarray(error.deviations),
        f"{OF_IMAGE}/{_SCALE}": np.ascontiguousarray(error.scale, "<f4"),
        f"{OF_IMAGE}/{_SPREAD}": np.ascontiguousarray(error.standard_deviation, "<f4"),
    }


def columns_of_frames(errors: Sequence[ErrorMap | None]) -> dict[str, Array]:
    """Return the datasets of the errors of all frames; none unless all have the same replicates.

    Parameters
    ----------
    errors
        error of each frame
    """
    known = [error for error in errors if error is not None]
    if len(known) < len(errors) or len({error.n for error in known}) != 1:
        return {}
    return {
        f"{OF_FRAMES}/{_DEVIATIONS}": np.stack([error.deviations for error in known]),
        f"{OF_FRAMES}/{_SCALE}": np.stack([error.scale for error in known]).astype("<f4"),
        f"{OF_FRAMES}/{_SPREAD}": np.stack([error.standard_deviation for error in known]).astype(
            "<f4"
        ),
    }


def reserve_errors(
    file: h5py.File, columns: Mapping[str, Array], unit: str, error: ErrorMap
) -> None:
    """Reserve the space of the datasets in a file that is not sealed yet.

    Parameters
    ----------
    file
        open for writing
    columns
        datasets from `columns_of` or `columns_of_frames`
    unit
        unit of the image
    error
        its seed, method and digest of counts are stored
    """
    for name, values in columns.items():
        item = reserve(file, name, values)
        item.attrs["units"] = np.bytes_("steps" if name.endswith(_DEVIATIONS) else unit.encode())
        item.attrs["seed"] = error.seed
        item.attrs["method"] = np.bytes_(error.method.encode())
        item.attrs["counts"] = np.bytes_(error.counts.encode())


def stored_error(tree: h5py.File, image: Array, path: Path) -> ErrorMap:
    """Return the error of the image in a file.

    Parameters
    ----------
    tree
        open file
    image
        (n_z, n_y, n_x) values of the file
    path
        file, for messages

    Raises
    ------
    FileFormatError
        if the shapes do not match, or values have changed since they were written
    """
    deviations, scale, origin = _read(tree, OF_IMAGE, path)
    _check(deviations.shape, scale.shape, image.shape, path)
    return ErrorMap(image, deviations, scale, *origin)


def stored_frame_errors(tree: h5py.File, images: Array, path: Path) -> tuple[ErrorMap, ...]:
    """Return the error of each frame in a file.

    Parameters
    ----------
    tree
        open file
    images
        (n, n_z, n_y, n_x) values of the frames
    path
        file, for messages

    Raises
    ------
    FileFormatError
        if the shapes do not match, or values have changed since they were written
    """
    deviations, scales, origin = _read(tree, OF_FRAMES, path)
    if not len(deviations) == len(scales) == len(images):
        raise FileFormatError(
            f"{path.name}: it contains {len(images)} frames, but errors of {len(deviations)} "
            "frames; write the file again."
        )
    _check(deviations.shape[1:], scales.shape[1:], images.shape[1:], path)
    columns = zip(images, deviations, scales, strict=True)
    return tuple(ErrorMap(*each, *origin) for each in columns)


def _read(tree: h5py.File, group: str, path: Path) -> tuple[Array, Array, _Origin]:
    item = dataset(tree, f"{group}/{_DEVIATIONS}", path)
    deviations = unchanged_column(item, "|i1", path)
    scale = unchanged_column(dataset(tree, f"{group}/{_SCALE}", path), "<f4", path)
    # A file of another program need not state the seed, which only documents the replicates.
    seed, counts = int(item.attrs.get("seed", 0)), _text(item.attrs.get("counts", b""))
    return deviations, scale, (seed, _method(item, path), counts)


def _method(item: h5py.Dataset, path: Path) -> Method:
    """Return the method of the replicates; older files have those of the bootstrap."""
    text = _text(item.attrs.get("method", b"bootstrap"))
    for method in METHODS:
        if text == method:
            return method
    raise FileFormatError(
        f"{path.name}: the method of the error map is {text[:40]!r}, expected one of "
        f"{', '.join(METHODS)}; write the file again."
    )


def _text(found: object) -> str:
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)


def _check(
    deviations: tuple[int, ...], scale: tuple[int, ...], shape: tuple[int, ...], path: Path
) -> None:
    n, *rest = deviations
    if tuple(rest) != shape or scale != shape or n < MIN_REPLICATES:
        raise FileFormatError(
            f"{path.name}: the error map has the shapes {deviations} and {scale}, expected at "
            f"least {MIN_REPLICATES} replicates of {shape} (z, y, x); write the file again."
        )
