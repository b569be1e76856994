"""Storage of iterates in files, with file names in the job folder for displayed images.

Each image has its own file. The previous file loses its name when the next one is started. A
process that displays it still sees it complete, and never a mixture of two.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from warnings import warn

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.data.storage import volume_file
from engine.data.storage.columns import Scratch, allow_addresses

NAMES = "iterate-*.f32"
"""Pattern of the file names in the folder of a job."""


@dataclass(frozen=True)
class IterateStorage(Scratch):
    """Unnamed files, and named ones for images that are shown.

    Attributes
    ----------
    job : folder of the displayed images; None: no other process displays them
    budget_bytes : memory for the data of one step
    """

    job: Path | None = None
    budget_bytes: int = 2**30

    def shown(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return an uninitialised array that other processes can display.

        Parameters
        ----------
        shape
            only images (n_z, n_y, n_x) get a file name
        dtype
            only float32 images get a file name

        Returns
        -------
        array in a new file; the previous displayed image loses its name
        """
        # Only images of the usual kind can be displayed; other arrays stay unnamed.
        if self.job is None or len(shape) != 3 or np.dtype(dtype) != np.float32:
            return self.empty(shape, dtype)
        before = iterate_files(self.job)
        # A new name for each image: a reader never reopens a path whose content has changed.
        number = 1 + max((int(path.stem.rpartition("-")[2]) for path in before), default=0)
        remove_iterates(self.job)
        n_z, n_y, n_x = shape
        allow_addresses(4 * n_z * n_y * n_x)
        image = volume_file.made(self.job / NAMES.replace("*", f"{number:06d}"), (n_z, n_y, n_x))
        base: object = image.base
        if isinstance(base, mmap.mmap):
            self._maps.add(base)  # `rest` then includes it
        return image


def iterate_files(folder: Path) -> list[Path]:
    """Return the files of displayed images, including those of a process that crashed."""
    return sorted(folder.glob(NAMES))


def remove_iterates(folder: Path) -> None:
    """Delete the displayed images; an open one stays readable until it is closed.

    Parameters
    ----------
    folder
        folder of the job
    """
    for path in iterate_files(folder):
        # Windows refuses to delete a file that another process displays; the next image tries
        # again.
        with suppress(OSError):
            path.unlink()


def __getattr__(name: str) -> type[IterateStorage]:
    """Return `IterateStorage` under its name before version 0.2.0."""
    if name != "IterateRoom":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn("IterateRoom is now IterateStorage.", DeprecationWarning, stacklevel=2)
    return IterateStorage
