"""List and read numeric arrays in files of NumPy (.npy, .npz), MATLAB (.mat) and HDF5.

A sidecar names an array in a file after a #: `scan.npz#counts`, `scan.h5#/entry/data`.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from zipfile import ZipFile

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.hdf5.opening import is_hdf5
from engine.io.safety.budget import max_unpacked_bytes, refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile
from engine.io.volumes.npy import DAMAGE, header_of
from engine.io.xray import matlab
from engine.io.xray.hdf5.opening import open_tree
from engine.io.xray.names import SIGN

SUFFIXES = (".npy", ".npz", ".mat", ".h5", ".hdf5", ".hdf", ".nxs")
MAX_ARRAYS = 1000
NUMBERS = "fiu"
Only = tuple[int, Sequence[int]]


@dataclass(frozen=True)
class StoredArray:
    """An array in a file.

    Attributes
    ----------
    name : name in the file; "" if the file is the array
    shape : sizes along the axes
    dtype : type of the numbers
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]


def holds_arrays(path: Path) -> bool:
    """Return True if the suffix of a file is that of an array format."""
    return path.suffix.lower() in SUFFIXES


def arrays_in(file: InputFile) -> tuple[StoredArray, ...]:
    """Return the arrays of real numbers in a file.

    Parameters
    ----------
    file
        NumPy, MATLAB or HDF5 file

    Returns
    -------
    arrays
        the largest first; without empty arrays, texts and structures

    Raises
    ------
    FileFormatError
        if the file is damaged or has another format
    """
    if is_hdf5(file.head):
        found = _of_hdf5(file)
    elif file.head.startswith(matlab.MARK):
        found = [
            StoredArray(name, value.shape, value.dtype)
            for name, value in _variables(file)
            if isinstance(value, np.ndarray)
        ]
    else:
        try:
            found = _of_numpy(file)
        except (*DAMAGE, TokenError) as e:
            raise _damaged(file, e) from e
    usable = [each for each in found if each.dtype.kind in NUMBERS and np.prod(each.shape) > 0]
    # Projections are usually the largest array. dtype=object, because damaged sizes can overflow
    # int64.
    return tuple(sorted(usable, key=lambda each: -np.prod(each.shape, dtype=object)))


def array_of(file: InputFile, name: str, only: Only | None = None) -> Array:
    """Return an array of a file.

    Parameters
    ----------
    file
        NumPy, MATLAB or HDF5 file
    name
        name in the file; "": the only array with two or three axes
    only
        axis and indices along it, to read a part; None: all

    Raises
    ------
    FileFormatError
        if there is no such array, or the file is damaged
    """
    if not name:
        name = _only(file)
    if is_hdf5(file.head):
        return _from_hdf5(file, name, only)
    if file.head.startswith(matlab.MARK):
        for stored, value in _variables(file):
            if stored == name and isinstance(value, np.ndarray):
                return _picked(value, only)
        raise _missing(file, name)
    try:
        return _from_numpy(file, name, only)
    except KeyError as e:
        raise _missing(file, name) from e
    except (*DAMAGE, TokenError) as e:
        raise _damaged(file, e) from e


def _picked(stored: Array, only: Only | None) -> Array:
    return stored if only is None else np.take(stored, only[1], axis=only[0])


def _from_hdf5(file: InputFile, name: str, only: Only | None) -> Array:
    with open_tree(file) as tree:
        item = tree.dataset(name if name.startswith("/") else f"/{name}")
        if item is None:
            raise _missing(file, name)
        by_columns = file.head.startswith(matlab.MARK_OF_HDF5)
        if only is None:
            refuse_large_data(2 * int(item.nbytes), file.name)
            stored = np.asarray(item[()])
        else:
            axis, numbers = only
            # MATLAB 7.3 stores the axes in reverse order.
            axis = item.ndim - 1 - axis if by_columns else axis
            before = (slice(None),) * axis
            # One index at a time: h5py is slow with lists of indices, and refuses unsorted ones.
            stored = np.stack([np.asarray(item[(*before, k)]) for k in numbers], axis=axis)
        return stored.T if by_columns else stored


def _only(file: InputFile) -> str:
    found = arrays_in(file)
    images = [each for each in found if len(each.shape) in (2, 3)]
    if not images:
        raise FileFormatError(
            f"{file.name}: contains no array with two or three axes; choose a file with images."
        )
    if len(images) > 1:
        names = ", ".join(each.name for each in images[:8])
        raise FileFormatError(
            f"{file.name}: contains {len(images)} image arrays ({names}); name one of them, such "
            f"as {file.name}{SIGN}{images[0].name}."
        )
    return images[0].name


def _of_hdf5(file: InputFile) -> list[StoredArray]:
    found: dict[object, StoredArray] = {}
    by_columns = file.head.startswith(matlab.MARK_OF_HDF5)
    with open_tree(file) as tree:
        for place, item in tree.items.items():
            shape, dtype = getattr(item, "shape", None), getattr(item, "dtype", None)
            if shape and dtype is not None and len(found) < MAX_ARRAYS:
                sizes, name = tuple(shape), place
                if by_columns:
                    sizes, name = sizes[::-1], place.lstrip("/")
                # Hard links give one dataset several names; list it once.
                found.setdefault(item.id, StoredArray(name, sizes, np.dtype(dtype)))
    return list(found.values())


def _variables(file: InputFile) -> list[tuple[str, matlab.Value]]:
    most = max_unpacked_bytes(file.size)
    # The whole file is in memory, and variables are views or unpacked copies of it.
    refuse_large_data(2 * file.size, file.name)
    try:
        return list(matlab.variables(memoryview(file.read()), most))
    except (ValueError, struct.error, zlib.error) as e:
        raise _damaged(file, e) from e


def _of_numpy(file: InputFile) -> list[StoredArray]:
    if file.head.startswith(np.lib.format.MAGIC_PREFIX):
        shape, _, dtype = header_of(file.stream())
        return [StoredArray("", shape, dtype)]
    found = []
    with ZipFile(file.stream()) as archive:
        for each in archive.infolist()[:MAX_ARRAYS]:
            refuse_bomb(each.file_size, file.size, file.name)
            with archive.open(each) as stream:
                shape, _, dtype = header_of(stream)
            found.append(StoredArray(each.filename.removesuffix(".npy"), shape, dtype))
    return found


def _from_numpy(file: InputFile, name: str, only: Only | None) -> Array:
    if file.head.startswith(np.lib.format.MAGIC_PREFIX):
        content = file.stream()
        shape, by_columns, dtype = header_of(content)
        start = content.tell()
        # Views are contiguous only along the first axis of a row-major array.
        if only is not None and only[0] == 0 and not by_columns:
            part = int(np.prod(shape[1:], dtype=object)) * dtype.itemsize
            return np.stack([file.array(dtype, shape[1:], start + k * part) for k in only[1]])
        stored = file.array(dtype, shape[::-1] if by_columns else shape, start)
        return _picked(stored.T if by_columns else stored, only)
    with ZipFile(file.stream()) as archive:
        entry = archive.getinfo(f"{name}.npy")
        refuse_bomb(entry.file_size, file.size, file.name)
        refuse_large_data(2 * entry.file_size, file.name)
        with archive.open(entry) as stream:
            stored = np.asarray(np.lib.format.read_array(stream, allow_pickle=False))
    return _picked(stored, only)


def _missing(file: InputFile, name: str) -> FileFormatError:
    there = ", ".join(each.name for each in arrays_in(file)[:8])
    return FileFormatError(
        f"{file.name}: contains no array {name!r} (arrays: [{there}]); correct the name."
    )


def _damaged(file: InputFile, e: Exception) -> FileFormatError:
    reason = " ".join(str(e).split()) or type(e).__name__
    return FileFormatError(
        f"{file.name}: not an array file, or damaged or truncated; copy it again. Reason: {reason}."
    )
