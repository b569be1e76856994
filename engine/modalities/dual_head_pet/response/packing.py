"""Pack rows of a response matrix: sort, apply the threshold, convert to half precision.

Values below the threshold are distributed over the others in proportion. The sum of a row, which is
the number of pairs that its lines count, is therefore preserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import n_stored_planes

_MAX_PLACES = 1 << 16
"""Number of voxels of a window that 16 bits can address."""


@dataclass(frozen=True)
class PackedRows:
    """Several rows, concatenated. See `ResponseMatrix` for the arrays.

    Attributes
    ----------
    counts : (n, n_planes_stored) int64 number of non-zeros of every plane
    windows : (n, n_planes_stored, 4) int16
    places, values : non-zeros of all rows
    scales, dropped, errors : (n,) float32
    """

    counts: NDArray[np.int64]
    windows: NDArray[np.int16]
    places: NDArray[np.uint16]
    values: Array
    scales: NDArray[np.float32]
    dropped: NDArray[np.float32]
    errors: NDArray[np.float32]

    @classmethod
    def joined(cls, parts: Sequence[PackedRows]) -> PackedRows:
        """Return all rows of all parts.

        Parameters
        ----------
        parts
            packed rows in order
        """
        names = cls.__dataclass_fields__
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def packed(
    scanner: DualHead,
    voxels: tuple[Array, Array, Array],
    values: Array,
    *,
    threshold: float,
    error: float = 0.0,
) -> PackedRows:
    """Return one packed row.

    Parameters
    ----------
    scanner
        scanner of the row
    voxels
        p, j, k in the box, (n,) each, without repetitions, the first half of the planes
    values
        (n,) probabilities
    threshold
        values up to this fraction of the largest are dropped, and the others take over their sum
    error
        estimated error of the values

    Raises
    ------
    DataError
        if a plane of the row is too wide for 16-bit positions
    """
    n_planes, n = n_stored_planes(scanner.settings.n_planes), scanner.settings.voxels_per_pitch
    scale = float(values.max(initial=0.0))
    # "Greater than", so that zeros are dropped even with a threshold of 0.
    is_stored = values > threshold * scale
    total = float(values.sum(dtype="f8"))
    dropped = float(values[~is_stored].sum(dtype="f8")) / total if total else 0.0
    p, j, k = (v[is_stored].astype(np.int64) for v in voxels)
    # By plane and phase within the pitch: kernels process voxels of equal phase together.
    order = np.argsort(_rank(p, j, k, n))
    p, j, k, values = p[order], j[order], k[order], values[is_stored][order]
    counts = np.bincount(p, minlength=n_planes)
    windows = _windows(j, k, counts)
    # Positions are stored as 16-bit numbers within the window of a plane.
    if (windows[:, 2] * windows[:, 3]).max(initial=0) > _MAX_PLACES:
        raise DataError(
            f"{scanner.name}: a row of the matrix covers {(windows[:, 2] * windows[:, 3]).max()} "
            f"voxels in one plane, but at most {_MAX_PLACES} are supported; use fewer voxels per "
            "pitch or a higher threshold."
        )
    j0, k0, _, width = windows[p].T
    return PackedRows(
        counts[None],
        windows.astype(np.int16)[None],
        ((j - j0) * width + k - k0).astype(np.uint16),
        # float16 has a relative error of 0.05 %, below the noise of the integration.
        (values / (scale or 1.0)).astype(np.float16),
        # The scale restores the sum of the dropped values.
        np.array([scale / (1 - dropped)], np.float32),
        np.array([dropped], np.float32),
        np.array([error], np.float32),
    )


def _rank(p: Array, j: Array, k: Array, n: int) -> Array:
    """Return one number for each voxel that sorts by plane, phase, row and column.

    Parameters
    ----------
    p, j, k
        (m,) int64 different voxels
    n
        voxels per pitch
    """
    if not len(p):
        return p
    # One sort of a number takes a tenth of the time of five sorts, one for each key.
    low_j, low_k = j.min(), k.min()
    rows, columns = j.max() - low_j + 1, k.max() - low_k + 1
    phase = (p * n + j % n) * n + k % n
    return (phase * rows + j - low_j) * columns + k - low_k


def _windows(j: Array, k: Array, counts: Array) -> Array:
    """Return j0, k0, height, width of the voxels of every plane, (n_planes, 4).

    0 if there are none.
    """
    windows = np.zeros((len(counts), 4), np.int64)
    filled = counts > 0
    starts = (np.cumsum(counts) - counts)[filled]
    for axis, at in enumerate((j, k)):
        if len(starts):
            first = np.minimum.reduceat(at, starts)
            windows[filled, axis] = first
            windows[filled, axis + 2] = np.maximum.reduceat(at, starts) - first + 1
    return windows


def matrix_of(scanner: DualHead, rows: PackedRows, info: Plain) -> ResponseMatrix:
    """Return the matrix of all rows of a scanner.

    Parameters
    ----------
    scanner
        scanner of the rows
    rows
        packed rows in order
    info
        origin of the matrix
    """
    return ResponseMatrix(
        scanner,
        np.concatenate([np.zeros(1, np.int64), np.cumsum(rows.counts.ravel())]),
        rows.windows,
        rows.places,
        rows.values,
        rows.scales,
        rows.dropped,
        rows.errors,
        info,
    )
