"""NaN in images of other programs: SPM and others mark voxels outside of the object with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray


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
    note = f"{path.name}: {n:,} voxels ({share:.3g} %) are NaN (no number); they are read as 0."
    return np.where(is_nan, np.float32(0), values), (note,)
