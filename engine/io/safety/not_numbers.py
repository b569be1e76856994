"""Handle NaN in images of other programs, which mark voxels outside the object (such as SPM)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError

MARK = "are NaN (no number)"


def refuse_noted_nan(path: Path, notes: Sequence[str], what: str) -> None:
    """Refuse an image with NaN where a 0 in its place would be a statement.

    Parameters
    ----------
    path
        of the file, for the sentence
    notes
        of the image, as `nan_as_zero` wrote them
    what
        kind of image, with its article
    """
    found = next((note for note in notes if MARK in note), None)
    if found is not None:
        raise DataError(
            f"{found.partition(';')[0]}; {what} needs a number in every voxel, so set the voxels "
            f"of {path.name} outside the body to 0."
        )


def nan_as_zero(
    path: Path, values: NDArray[np.float32]
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Return values with 0 for NaN, and a note with the number of these voxels.

    An image of NaN alone is returned as it is. The caller refuses it, and infinite values.

    Parameters
    ----------
    path
        of the file, for the note
    values
        of any shape
    """
    is_nan = np.isnan(values)
    n = int(np.count_nonzero(is_nan))
    if n in (0, values.size):
        return values, ()
    share = 100 * n / values.size
    note = f"{path.name}: {n:,} voxels ({share:.3g} %) {MARK}; they are read as 0."
    return np.where(is_nan, np.float32(0), values), (note,)
