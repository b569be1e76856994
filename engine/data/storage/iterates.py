"""Storage of iterates in files, with names in the job folder for images that are shown.

Each image has a file of its own, and the one before loses its name when the next is begun: whoever
looks at it still sees it whole, and never a mixture of two.
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
"""Names of the files in the folder of a job."""


@dataclass(frozen=True)
class IterateStorage(Scratch):
    """Unnamed files, and named ones for images that are shown.

    Attributes
    ----------
    job : folder of the images that are shown; None: nobody looks at them from elsewhere
    budget_bytes : memory for what is worked on together
    """

    job: Path | None = None
    budget_bytes: int = 2**30

    def shown(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return an array to be filled; an image takes the place of the one shown before."""
        if self.job is None or len(shape) != 3 or np.dtype(dtype) != np.float32:
            return self.empty(shape, dtype)
        before = iterate_files(self.job)
        number = 1 + max((int(path.stem.rpartition("-")[2]) for path in before), default=0)
        remove_iterates(self.job)
        n_z, n_y, n_x = shape
        allow_addresses(4 * n_z * n_y * n_x)
        image = volume_file.made(self.job / NAMES.replace("*", f"{number:06d}"), (n_z, n_y, n_x))
        base: object = image.base
        if isinstance(base, mmap.mmap):
            self._maps.add(base)  # it rests with the others
        return image


def iterate_files(folder: Path) -> list[Path]:
    """Return the images of a job that are shown, or were when its process died."""
    return sorted(folder.glob(NAMES))


def remove_iterates(folder: Path) -> None:
    """Delete them; whoever looks at one still sees it, or keeps it, as the system has it."""
    for path in iterate_files(folder):
        with suppress(OSError):
            path.unlink()


def __getattr__(name: str) -> type[IterateStorage]:
    """Return `IterateStorage` under the name that the documentation gave before 0.2.0."""
    if name != "IterateRoom":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn("IterateRoom is now IterateStorage.", DeprecationWarning, stacklevel=2)
    return IterateStorage
