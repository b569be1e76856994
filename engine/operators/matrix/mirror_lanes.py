"""Layout with all mirror images next to each other, for projection between small panels.

An orientation (a, b) and its mirror images (±a, ±b) share a row, and so do both halves of the
planes (`engine.geometry.dual_head_symmetry`). If image and data are mirrored first, they are a
single correlation with the same non-zeros (`engine.kernels.matrix.correlation`):

    y_m[r, c] += w f_m[p, φ D + χ, r + u, c + v],    m = 4 s + 2 i + j

f_m is the image seen from panel s, with mirrored rows if i = 1 and mirrored columns if j = 1; y_m
likewise. An orientation whose symmetry mirrors rows if i and columns if j is the sum of the lanes
(0, i, j) and (1, 1 − i, 1 − j). The eight numbers of a position are adjacent, so vectors are full
even on panels with few columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array, only_read
from engine.kernels.blocks import run_blocks
from engine.kernels.matrix import correlation, memory
from engine.kernels.matrix.patches import beyond
from engine.kernels.rays import mirror_lanes as kernels
from engine.operators.matrix.layout import LineByLine, MatrixLayout
from engine.operators.matrix.phases import Phases
from engine.operators.matrix.rows import PlaneImages


def layout_of(phases: Phases, offsets: Array, dtype: np.dtype[np.generic]) -> MatrixLayout:
    """Return the fastest layout for some orientations.

    Parameters
    ----------
    phases
        layout of the image
    offsets
        (n, 2) a and b of the orientations
    dtype
        type of arithmetic
    """
    rows, columns = phases.size
    n_bytes = phases.edge**2 * rows * columns * dtype.itemsize
    # Eight copies of the image must fit into the cache; large panels are faster by lines.
    kind = MirrorLanes if memory.fits_in_lanes(n_bytes) else LineByLine
    return kind(phases, offsets)


class MirrorLanes(MatrixLayout):
    """Layout that processes orientations and their mirror images together."""

    lanes, keeps_rows = memory.LANES, True
    forward, back = correlation.FORWARD, correlation.BACK_IN_LANES

    def __init__(self, phases: Phases, offsets: Array) -> None:
        self._phases = phases
        # few shifts: each non-zero that is read serves all mirror images at once
        self.offsets, family = np.unique(np.abs(offsets), axis=0, return_inverse=True)
        table = np.column_stack([np.arange(len(offsets)), family.ravel(), offsets < 0])
        self._members: NDArray[np.int64] = table[np.argsort(table[:, 1], kind="stable")]
        rows, columns = phases.size
        self.size = rows, columns * self.lanes
        n_stored = (phases.n_planes + 1) // 2
        self._slack = beyond(self.size[1])
        self.shape = n_stored, phases.edge**2 * rows * self.size[1] + self._slack

    def split(self, image: Array, dtype: DTypeLike, threads: int) -> Array:
        out = np.zeros(self.shape, dtype)
        lanes, values = self._inside(out), only_read(np.ascontiguousarray(image, dtype))

        def work(_: int, start: int, stop: int) -> None:
            kernels.interleave(start, stop, values, lanes)

        run_blocks(work, len(lanes), threads, smallest=1, in_turn=False)
        return out

    def joined(self, sums: Array, threads: int) -> Array:
        lanes, image = self._inside(sums), np.empty(self._phases.grid_shape, sums.dtype)

        def work(_: int, start: int, stop: int) -> None:
            kernels.join(start, stop, lanes, image)

        run_blocks(work, len(lanes), threads, smallest=1, in_turn=False)
        return image

    def put(self, values: Array, starts: Array, images: PlaneImages, first: int, n: int) -> None:
        members, where = self._some(images, first, n)
        own = only_read(np.ascontiguousarray(values, images.flat.dtype))
        kernels.put_lines(members, own, starts, images.flat, *where)

    def take(self, images: PlaneImages, values: Array, starts: Array, first: int, n: int) -> None:
        members, where = self._some(images, first, n)
        kernels.take_lines(members, images.flat, *where, values, starts)

    def _some(self, images: PlaneImages, first: int, n: int) -> tuple[Array, tuple[Array, ...]]:
        """Return the orientations of some families, and the position of their data."""
        low, high = np.searchsorted(self._members[:, 1], (first, first + n))
        members = self._members[low:high] - [0, first, 0, 0]
        return members, (images.firsts, images.pitches, images.shapes // [1, self.lanes])

    def _inside(self, image: Array) -> Array:
        """Return a view (n_planes, D, D, n_rows, n_columns, lanes) without the margin."""
        phases, m = self._phases, self._phases.margin
        d, (rows, columns) = phases.edge, phases.size
        parts = image[:, : -self._slack].reshape(-1, d, d, rows, columns, self.lanes)
        return parts[:, :, :, m : m + phases.n_rows, m : m + phases.n_columns]
