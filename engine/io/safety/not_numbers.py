"""Handle NaN in images of other programs, such as SPM, which mark voxels outside the object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError

MARK = "are NaN (no number)"
READ_AS_0 = "They are read as 0."


def refuse_noted_nan(path: Path, notes: Sequence[str]) -> None:
    """Refuse an attenuation map with NaN, for which 0 is a wrong value.

    Parameters
    ----------
    path
        file, for the message
    notes
        notes of the image, as written by `nan_as_zero`

    Raises
    ------
    DataError
        if a note states that the image contained NaN
    """
    # The values are already 0 here, so only the note states that they were NaN.
    found = next((note for note in notes if MARK in note), None)
    if found is not None:
        raise DataError(
            f"{found.removesuffix(READ_AS_0)}An attenuation map needs a number in every voxel. Set "
            f"the voxels of {path.name} outside the body to 0."
        )


def nan_as_zero(
    path: Path, values: NDArray[np.float32]
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Return values with 0 for NaN, and a note with the number of these voxels.

    Parameters
    ----------
    path
        file, for the note
    values
        array of any shape

    Returns
    -------
    values, notes
        An image that is all NaN is returned unchanged. The caller refuses it, and infinite values.
    """
    is_nan = np.isnan(values)
    n = int(np.count_nonzero(is_nan))
    if n in (0, values.size):
        return values, ()
    share = 100 * n / values.size
    note = f"{path.name}: {n:,} voxels ({share:.3g} %) {MARK}. {READ_AS_0}"
    return np.where(is_nan, np.float32(0), values), (note,)
