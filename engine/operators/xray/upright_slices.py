"""Slices whose rows go down where the detector's do, made column by column.

Along such a column neither the place across the detector nor the depth changes (`upright`
does the same for whole volumes), so that two columns of the detector are blended once for all
of its pixels: many times as fast as row by row, and places are in double.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.kernels.blocks import run_blocks
from engine.kernels.cone.cone_back import by_entry, upright, upright_buffers

TILE = (256, 16)
"""Columns of a slice and views that the kernel works on together."""
LINES = 16
"""Columns worth a call."""
UPRIGHT = 1e-12
"""Change of shadow and depth along a column, in parts of that along a row, that is rounding."""

Run = tuple[slice, slice]


def are_upright(matrices: Array) -> Array:
    """(n,) whether a slice is upright for views whose matrices take its pixels to the detector."""
    along, down = np.abs(matrices[:, ::2, 0]), np.abs(matrices[:, ::2, 1])
    return np.asarray((down <= UPRIGHT * along.max(axis=1, keepdims=True)).all(axis=1))


def by_columns(
    columns: Array,
    matrices: Array,
    shape: tuple[int, int],
    runs: Sequence[Run] | None = None,
    *,
    on: Backend,
) -> Array:
    """(n_rows, n_columns) sum of views over an upright slice, the views in their order.

    Parameters
    ----------
    columns
        (n_slots, n_columns + 2, n_rows + 2) views, columns first, with a border of zeros
    matrices
        (n, 3, 4) from pixels of the slice (across, down, through) to the detector
    shape
        (n_rows, n_columns) of the slice
    runs
        slots one after the other, as slices of all slots and of the matrices; None: all
    on
        threads
    """
    n_rows, n_columns = shape
    turned = np.ascontiguousarray(matrices[:, :, [0, 2, 1, 3]])  # x across, y through, z down
    part = np.zeros((1, n_columns, n_rows), np.float32)
    all_runs = [(slice(None), slice(None))] if runs is None else runs

    entries = [by_entry(turned[at]) for _, at in all_runs]

    def work(_: int, start: int, stop: int) -> None:
        room = upright_buffers(columns.shape[2], TILE)
        for (views, _at), some in zip(all_runs, entries, strict=True):
            upright(start, stop, TILE, some, (0, 0, 0), columns[views], room, part)

    run_blocks(work, n_columns, on.threads, smallest=LINES)
    return part[0].T
