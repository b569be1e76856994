"""Values of a volume at the points of a plane that lies anyhow in it; no Qt.

At the place p of a point, in voxels from the middle of the first, with i = ⌊p⌋ and w = p − i along
each axis, neighbours are blended along x, then y, then z:

    b(a, c, w) = a + w (c − a)

Eight gathers of all points, one after the other: where each point lies in another page of the
memory, as in a plane across x, that is twice as quick as point after point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]
Place = NDArray[np.floating]


def plane_values(
    values: Values, start: Place, steps: tuple[Place, Place], shape: tuple[int, int]
) -> Values:
    """Return the values at the points of a plane; NaN beyond the middles of the outermost voxels.

    Parameters
    ----------
    values
        (n_z, n_y, n_x)
    start
        (z, y, x) of the first point, in voxels from the middle of the first voxel
    steps
        from row to row and from column to column, (z, y, x) each [voxels]
    shape
        (rows, columns)
    """
    down, across = np.arange(shape[0])[:, None], np.arange(shape[1])[None]
    first, inside = np.zeros(shape, np.intp), np.ones(shape, bool)
    offsets, weights = [], []
    stride = values.size
    for axis, n in enumerate(values.shape):
        stride //= n
        place = start[axis] + down * steps[0][axis] + across * steps[1][axis]
        inside &= (place >= 0) & (place <= n - 1)
        lower = np.clip(place, 0, max(n - 2, 0)).astype(np.intp)
        first += stride * lower
        offsets.append(stride if n > 1 else 0)
        weights.append((place - lower).astype(np.float32))
    flat = np.ascontiguousarray(values).reshape(-1)

    def along_x(offset: int) -> Values:
        return _blended(
            flat.take(first + offset), flat.take(first + (offset + offsets[2])), weights[2]
        )

    (z, y), (w_z, w_y) = offsets[:2], weights[:2]
    found = _blended(
        _blended(along_x(0), along_x(y), w_y), _blended(along_x(z), along_x(z + y), w_y), w_z
    )
    found[~inside] = np.nan
    return found


def _blended(lower: Values, upper: Values, weight: Values) -> Values:
    upper -= lower
    upper *= weight
    upper += lower
    return upper
