"""The stored rows that some orientations need, decoded and sorted for the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.arrays import Array
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head_symmetry import folded, stored_index
from engine.kernels.matrix import UNROLL, sort_groups


@dataclass(frozen=True)
class SortedRows:
    """Some orientations, and the rows they share; see `engine.kernels.matrix`.

    Attributes
    ----------
    chosen : (n, 4) row, turn, |a| and |b| of each orientation
    shapes : (n, 2) rows and columns of its picture of shifts
    groups : (n_stored, n_planes_stored, D² + 1) where each group starts
    shifts : (n_filled, 2) u and v
    weights : (n_filled,)
    """

    chosen: NDArray[np.int64]
    shapes: NDArray[np.int64]
    groups: NDArray[np.int64]
    shifts: NDArray[np.int64]
    weights: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """In the order in which the kernels take them."""
        return self.chosen, self.shapes, self.groups, self.shifts, self.weights

    @property
    def reach(self) -> int:
        """How many pitches non-zeros that are taken together lie apart at most."""
        together = self.shifts.reshape(-1, UNROLL, 2)
        return int((together.max(axis=1) - together.min(axis=1)).max(initial=0))


def sorted_rows(response: ResponseMatrix, offsets: Array, dtype: DTypeLike) -> SortedRows:
    """Return the rows of the orientations `offsets` (n, 2)."""
    s, n_planes = response.scanner.settings, response.n_planes_stored
    chosen = turned_rows(response, offsets)
    # each stored row is sorted once, however many orientations are its mirror images
    rows, chosen[:, 0] = np.unique(chosen[:, 0], return_inverse=True)
    begins, ends = response.starts[rows * n_planes], response.starts[(rows + 1) * n_planes]
    parts = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
    moved = np.cumsum(ends - begins) - ends  # from a place in all rows to one in these
    starts = response.starts[rows[:, None] * n_planes + np.arange(n_planes + 1)] + moved[:, None]
    places = np.concatenate([response.places[part] for part in parts])
    values = np.concatenate([response.values[part] for part in parts]).astype(dtype)
    # stored as half precision times a scale for each row, so that rows of distant crystals, with
    # small values, keep all of their digits
    values *= np.repeat(response.scales[rows], ends - begins).astype(dtype)
    n_groups = s.voxels_per_pitch**2
    # the most that filling up can add; what is left over is cut off below
    most = len(values) + (UNROLL - 1) * n_groups * n_planes * len(rows)
    groups = np.empty((len(rows), n_planes, n_groups + 1), np.int64)
    shifts, weights = np.zeros((most, 2), np.int64), np.zeros(most, dtype)
    windows = response.windows[rows]
    sort_groups(starts, windows, places, values, s.voxels_per_pitch, groups, shifts, weights)
    n = int(groups[-1, -1, -1])
    shapes = np.array([s.n_rows, s.n_columns]) - chosen[:, 2:]
    return SortedRows(chosen, shapes, groups, shifts[:n], weights[:n])


def turned_rows(response: ResponseMatrix, offsets: Array) -> NDArray[np.int64]:
    """Stored row, turn, |a| and |b| (n, 4) of the orientations `offsets` (n, 2)."""
    s = response.scanner.settings
    chosen = np.empty((len(offsets), 4), np.int64)
    for o, (a, b) in enumerate(offsets.tolist()):
        stored, turn = folded(a, b)
        # bits: a further mirror is then an exclusive or
        code = turn.swap + 2 * turn.mirror_rows + 4 * turn.mirror_columns
        chosen[o] = stored_index(*stored, s.n_rows, s.n_columns), code, abs(a), abs(b)
    return chosen


class PlaneImages:
    """The data of some orientations as pictures, laid flat, with zeros around them.

    Parameters
    ----------
    shapes : (n, 2) rows and columns
    border : zeros on all sides of each
    more : zeros at the end of each row, beyond the border; one number, or one for each picture
    """

    def __init__(self, shapes: Array, border: int, more: Array | int, dtype: DTypeLike) -> None:
        self._shapes, self._border = shapes, border
        self._sizes = shapes + 2 * border
        self._sizes[:, 1] += more
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(self._sizes.prod(axis=1))])
        self.flat = np.zeros(int(self.starts[-1]) + 1, dtype)

    def __getitem__(self, i: int) -> Array:
        """Picture i without its zeros, a view."""
        whole = self.flat[self.starts[i] : self.starts[i + 1]].reshape(self._sizes[i])
        (n_r, n_c), b = self._shapes[i], self._border
        return whole[b : b + n_r, b : b + n_c]
