"""Values of a volume at the points of an oblique plane; no Qt.

At the position p of a point, in voxels from the centre of the first voxel, with i = ⌊p⌋ and w = p −
i along each axis, neighbours are blended along x, then y, then z:

    b(a, c, w) = a + w (c − a)

Eight gathers of all points run one after the other. If each point is in another memory page, as in
a plane across x, this is twice as fast as point after point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]
Place = NDArray[np.floating]


def plane_values(
    values: Values, start: Place, steps: tuple[Place, Place], shape: tuple[int, int]
) -> Values:
    """Return the values at the points of a plane.

    Parameters
    ----------
    values
        volume (n_z, n_y, n_x)
    start
        position (z, y, x) of the first point, in voxels from the centre of the first voxel
    steps
        steps from row to row and from column to column, (z, y, x) each [voxels]
    shape
        number of rows and columns

    Returns
    -------
    NaN beyond the centres of the outermost voxels
    """
    down, across = np.arange(shape[0])[:, None], np.arange(shape[1])[None]
    # Flat indices: one `take` per neighbour is faster than indexing with three arrays.
    first, inside = np.zeros(shape, np.intp), np.ones(shape, bool)
    offsets, weights = [], []
    stride = values.size
    for axis, n in enumerate(values.shape):
        stride //= n
        place = start[axis] + down * steps[0][axis] + across * steps[1][axis]
        inside &= (place >= 0) & (place <= n - 1)
        lower = np.clip(place, 0, max(n - 2, 0)).astype(np.intp)
        first += stride * lower
        # An axis with one voxel has no upper neighbour; offset 0 reads the same voxel again.
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
    # In place: the gathered arrays are temporary.
    upper -= lower
    upper *= weight
    upper += lower
    return upper
