"""Values of a volume in a memory-mapped file of this program.

The file has a name, so that a run that is interrupted goes on with it, and another process of ours
can look at the same slices while they come. Its space is taken from the disk when it is made.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Array, rest
from engine.core.errors import ResourceError
from engine.data.storage.columns import take_space

NAME = "slabs.f32"
"""Name of the file in the folder of a job."""
VolumeValues = np.memmap[tuple[int, ...], np.dtype[np.float32]]


class FilePlace(NamedTuple):
    """Values in a file: its path and their offset."""

    path: Path
    first_byte: int = 0


def made(path: Path, shape: tuple[int, int, int]) -> VolumeValues:
    """Make a file for values (n_z, n_y, n_x), all zero; `ResourceError` where the disk is full."""
    n_bytes = 4 * shape[0] * shape[1] * shape[2]
    free = shutil.disk_usage(path.parent).free
    try:
        if n_bytes > free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with path.open("wb") as file:
            path.chmod(0o600)
            take_space(file, n_bytes)
    except OSError as e:
        path.unlink(missing_ok=True)
        raise ResourceError(
            f"{path.parent}: the volume needs {n_bytes / 2**30:.1f} GiB on this "
            f"disk, {free / 2**30:.1f} GiB are free ({e.strerror or e}); free disk "
            "space, or set ISOCENTER_HOME to a folder on a larger disk."
        ) from e
    return opened(path, shape, writable=True)


def opened(
    path: Path, shape: tuple[int, int, int], *, first_byte: int = 0, writable: bool = False
) -> VolumeValues:
    """Map the values of a file; raises `OSError` or `ValueError` where it does not hold them."""
    if path.stat().st_size < first_byte + 4 * shape[0] * shape[1] * shape[2]:
        raise ValueError(f"{path.name} is truncated.")  # numpy would lengthen it
    return np.memmap(path, np.float32, "r+" if writable else "r", first_byte, shape)


def mapped(place: FilePlace, shape: tuple[int, int, int]) -> VolumeValues:
    """Map values where they lie, to be looked at; raises as `opened` does."""
    return opened(place.path, shape, first_byte=place.first_byte)


def place_of(values: Array) -> FilePlace | None:
    """Return where in a named file the values of an array lie; None of any other array."""
    base = values
    while isinstance(base.base, np.ndarray):
        base = base.base
    if not isinstance(base, np.memmap) or base.filename is None or base.dtype != values.dtype:
        return None
    is_all = values.nbytes == base.nbytes and values.flags.c_contiguous
    return FilePlace(Path(base.filename), base.offset) if is_all else None


def to_disk(values: VolumeValues) -> None:
    """Have all that was written on the disk, and give back the memory that it takes."""
    values.flush()
    rest(values)
