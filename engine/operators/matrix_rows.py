"""The stored rows that some orientations need, decoded for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.arrays import Array
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head_symmetry import folded, stored_index
from engine.kernels.matrix_pairs import neighbours_together
from engine.kernels.matrix_patches import LANES, LOW, lanes_covered, rows_covered


@dataclass(frozen=True)
class StoredRows:
    """Some orientations, and the rows they share; see `engine.kernels.matrix`.

    Attributes
    ----------
    chosen : (n, 4) row, turn, |a| and |b| of each orientation
    shapes : (n, 2) rows and columns of its picture of shifts
    starts : (n_stored, n_planes_stored + 1) where each plane of a row begins
    windows : (n_stored, n_planes_stored, 4) int16 j0, k0, height, width
    places : (n_nonzero,) uint16 in the window
    weights : (n_nonzero,)
    """

    chosen: NDArray[np.int64]
    shapes: NDArray[np.int64]
    starts: NDArray[np.int64]
    windows: NDArray[np.int16]
    places: NDArray[np.uint16]
    weights: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """In the order in which the kernels take them."""
        return self.chosen, self.shapes, self.starts, self.windows, self.places, self.weights

    @property
    def most(self) -> int:
        """Non-zeros of a plane of a row at most."""
        return int(np.diff(self.starts).max(initial=0))

    def reach(self, edge: int) -> int:
        """Pitches that the non-zeros of a plane lie apart at most."""
        longest = int(self.windows[..., 2:].max(initial=0))
        return (longest + edge - 2) // edge if longest else 0


def stored_rows(response: ResponseMatrix, offsets: Array, dtype: DTypeLike) -> StoredRows:
    """Return the rows of the orientations `offsets` (n, 2)."""
    s, n_planes = response.scanner.settings, response.n_planes_stored
    chosen = turned_rows(response, offsets)
    # each stored row is there once, however many orientations are its mirror images; once more
    # where rows and columns are interchanged, which pairs other neighbours
    keys, chosen[:, 0] = np.unique(2 * chosen[:, 0] + (chosen[:, 1] & 1), return_inverse=True)
    rows = keys // 2
    begins, ends = response.starts[rows * n_planes], response.starts[(rows + 1) * n_planes]
    parts = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
    moved = np.cumsum(ends - begins) - ends  # from a place in all rows to one in these
    starts = response.starts[rows[:, None] * n_planes + np.arange(n_planes + 1)] + moved[:, None]
    places = np.concatenate([response.places[part] for part in parts])
    weights = _numbers(np.concatenate([response.values[part] for part in parts]), dtype)
    # stored as half precision times a scale for each row, so that rows of distant crystals, with
    # small values, keep all of their digits
    weights *= np.repeat(response.scales[rows], ends - begins).astype(dtype)
    shapes = np.array([s.n_rows, s.n_columns]) - chosen[:, 2:]
    stored = StoredRows(chosen, shapes, starts, response.windows[rows], places, weights)
    return _paired(stored, np.flatnonzero(keys % 2 == 0), s.voxels_per_pitch)


def _numbers(values: Array, dtype: DTypeLike) -> Array:
    """Stored values in the type of arithmetic."""
    if values.dtype != np.float16:
        return values.astype(dtype)
    # numpy's own conversion takes many times as long as a look into a table
    return (
        np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(dtype)[values.view(np.uint16)]
    )


def _paired(stored: StoredRows, rows: NDArray[np.int64], edge: int) -> StoredRows:
    """Return rows of which some have their neighbours along u together."""
    places, weights = stored.places.copy(), stored.weights.copy()
    neighbours_together(
        rows, stored.starts, stored.windows, edge, stored.places, stored.weights,
        np.empty(stored.most, bool), places, weights,
    )  # fmt: skip
    return replace(stored, places=places, weights=weights)


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
    """The data of some orientations as images, laid flat, with zeros around them.

    Parameters
    ----------
    shapes : (n, 2) rows and columns
    border : zeros on all sides of each; behind them as many more as patches read
    """

    def __init__(self, shapes: Array, border: int, dtype: DTypeLike) -> None:
        self._shapes, self._border = shapes, border
        rows, columns = (shapes + 2 * border).T
        if border:
            rows, columns = rows + LOW - 1, columns + LANES - 1
        self._sizes = np.stack([rows_covered(rows), lanes_covered(columns)], axis=-1)
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(self._sizes.prod(axis=1))])
        self.flat = np.zeros(int(self.starts[-1]) + 1, dtype)

    @property
    def pitches(self) -> NDArray[np.int64]:
        """(n,) how far apart the rows of each are."""
        return np.ascontiguousarray(self._sizes[:, 1])

    def __getitem__(self, i: int) -> Array:
        """Image i without its zeros, a view."""
        whole = self.flat[self.starts[i] : self.starts[i + 1]].reshape(self._sizes[i])
        (n_r, n_c), b = self._shapes[i], self._border
        return whole[b : b + n_r, b : b + n_c]
