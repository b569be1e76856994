"""Values of a volume in a memory-mapped file of this program.

The file has a name. An interrupted run can continue with it, and another process of ours can
display slices while they are computed. Its space is reserved when it is created.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Array, release_pages
from engine.core.errors import ResourceError
from engine.data.storage.columns import take_space

NAME = "slabs.f32"
"""File name in the folder of a job."""
VolumeValues = np.memmap[tuple[int, ...], np.dtype[np.float32]]


class FilePlace(NamedTuple):
    """Path of a file and offset of the values in it."""

    path: Path
    first_byte: int = 0


def made(path: Path, shape: tuple[int, int, int]) -> VolumeValues:
    """Create a file for the values of a volume, all zero, and map it.

    Parameters
    ----------
    path
        new file; an existing one is overwritten
    shape
        (n_z, n_y, n_x)

    Returns
    -------
    writable float32 map

    Raises
    ------
    ResourceError
        if the disk has too little space
    """
    n_bytes = 4 * shape[0] * shape[1] * shape[2]
    free = shutil.disk_usage(path.parent).free
    try:
        # Tested first: if space cannot be reserved, zeros are written, which would fill the disk.
        if n_bytes > free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with path.open("wb") as file:
            # Patient data: other users of the machine must not read it.
            path.chmod(0o600)
            take_space(file, n_bytes)
    except OSError as e:
        path.unlink(missing_ok=True)
        raise ResourceError(
            f"{path.parent}: the volume needs {n_bytes / 2**30:.1f} GiB on this disk, but "
            f"{free / 2**30:.1f} GiB are free ({e.strerror or e}); free disk space, or set "
            "ISOCENTER_HOME to a folder on a larger disk."
        ) from e
    return opened(path, shape, writable=True)


def opened(
    path: Path, shape: tuple[int, int, int], *, first_byte: int = 0, writable: bool = False
) -> VolumeValues:
    """Map the values of an existing file.

    Parameters
    ----------
    path
        the file
    shape
        (n_z, n_y, n_x)
    first_byte
        offset of the values
    writable
        map for writing

    Raises
    ------
    ValueError
        if the file is shorter than the values
    OSError
        if it cannot be opened
    """
    size, wanted = path.stat().st_size, first_byte + 4 * shape[0] * shape[1] * shape[2]
    # NumPy would extend the file
    if size < wanted:
        raise ValueError(
            f"{path.name}: the file is truncated ({size:,} bytes, expected at least {wanted:,})."
        )
    return np.memmap(path, np.float32, "r+" if writable else "r", first_byte, shape)


def mapped(place: FilePlace, shape: tuple[int, int, int]) -> VolumeValues:
    """Map values for reading; raises the same errors as `opened`."""
    return opened(place.path, shape, first_byte=place.first_byte)


def place_of(values: Array) -> FilePlace | None:
    """Return the place of an array in a named file.

    Parameters
    ----------
    values
        any array

    Returns
    -------
    path and offset; None unless the array is all of a mapped file with this dtype
    """
    base = values
    # Reshaped arrays and slices refer to the map through a chain of views.
    while isinstance(base.base, np.ndarray):
        base = base.base
    if not isinstance(base, np.memmap) or base.filename is None or base.dtype != values.dtype:
        return None
    # A slice of the file has another offset, which a second process could not map as a volume.
    is_all = values.nbytes == base.nbytes and values.flags.c_contiguous
    return FilePlace(Path(base.filename), base.offset) if is_all else None


def to_disk(values: VolumeValues) -> None:
    """Write all changes to the disk and release their memory."""
    values.flush()
    release_pages(values)
