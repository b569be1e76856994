"""Slices whose rows are parallel to detector rows, computed by columns.

The detector column and the depth are constant along such a column (`upright` does the same for
volumes). Two detector columns are therefore interpolated once for all pixels of a column. This is
many times as fast as work by rows. Positions are float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.kernels.blocks import run_blocks
from engine.kernels.cone.cone_back import by_entry, upright, upright_buffers

TILE = (256, 16)
"""Columns of a slice and views that the kernel processes together."""
LINES = 16
"""Minimum columns for a call."""
MIN_UPDATES = 200_000
"""Minimum pixels times views for a call, because each call takes a tenth of a millisecond."""
UPRIGHT = 1e-12
"""Maximum change along a column by rounding, relative to the change along a row."""

Run = tuple[slice, slice]


def lines_of_call(n_pixels: int, n_views: int, min_lines: int) -> int:
    """Return the minimum lines for a call.

    Parameters
    ----------
    n_pixels
        pixels of a line
    n_views
        views that are added
    min_lines
        minimum for many views
    """
    return max(min_lines, -(-MIN_UPDATES // max(n_pixels * n_views, 1)))


def are_upright(matrices: Array) -> Array:
    """Return for each view whether a slice is upright, (n,).

    Parameters
    ----------
    matrices
        (n, 3, 4) from pixels of the slice to the detector
    """
    # Rows 0 and 2 of the matrix give the detector column and the depth.
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
    """Return the sum of views over an upright slice, in the order of the views.

    Parameters
    ----------
    columns
        (n_slots, n_columns + 2, n_rows + 2) views, columns first, with a border of zeros
    matrices
        (n, 3, 4) from pixels of the slice (across, down, through) to the detector
    shape
        (n_rows, n_columns) of the slice
    runs
        consecutive slots, as slices of all slots and of the matrices; None: all
    on
        device with the threads

    Returns
    -------
    (n_rows, n_columns)
    """
    n_rows, n_columns = shape
    turned = np.ascontiguousarray(matrices[:, :, [0, 2, 1, 3]])  # x across, y through, z down
    part = np.zeros((1, n_columns, n_rows), np.float32)
    all_runs = [(slice(None), slice(None))] if runs is None else runs

    entries = [by_entry(turned[at]) for _, at in all_runs]

    def work(_: int, start: int, stop: int) -> None:
        buffers = upright_buffers(columns.shape[2], TILE)
        for (views, _at), some in zip(all_runs, entries, strict=True):
            upright(start, stop, TILE, some, (0, 0, 0), columns[views], buffers, part)

    smallest = lines_of_call(n_rows, len(matrices), LINES)
    run_blocks(work, n_columns, on.threads, smallest=smallest)
    return part[0].T
