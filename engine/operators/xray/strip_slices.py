"""Slices of any orientation, by strips of pixels along a row or a column of the slice.

A strip crosses the detector obliquely. It is faster if it crosses fewer detector rows. Each view
therefore chooses between rows and columns of the slice, and between rows and columns of the
detector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.kernels.blocks import aligned_zeros, run_blocks
from engine.kernels.cone.cone_back_along_x import MAX_ROWS, along_x, strip_buffers, strip_entries
from engine.kernels.parallel_back import are_level, level_buffers, parallel
from engine.kernels.processor import LANES
from engine.kernels.vectors.registers import MAX_DISTANCE
from engine.operators.xray.upright_slices import Run, lines_of_call

LINES = 32
"""Minimum lines of a slice for a call."""
_ONE_BY_ONE = 2 * MAX_ROWS
"""Cost of a strip with pixels that are read one by one, in detector rows."""


def compile_strips() -> None:
    """Compile the kernels, or load them from the cache."""
    views, out, matrices = aligned_zeros((1, 3, 3)), np.zeros((1, 1, 1), np.float32), _MATRIX
    along_x(0, 0, strip_entries(matrices), (0, 0, 0), views, strip_buffers(), out)
    flat = np.zeros((1, 9), np.float32)
    parallel(0, 0, matrices, (0, 0, 0), 0, flat, 3, level_buffers(3), out)


_MATRIX = np.zeros((1, 3, 4))


def by_strips(
    rows: Array,
    columns: Callable[[], Array],
    matrices: Array,
    shape: tuple[int, int],
    runs: Sequence[Run] | None = None,
    *,
    on: Backend,
) -> Array:
    """Return the sum of views over a slice; views that are read alike are added in their order.

    Parameters
    ----------
    rows
        (n_slots, n_rows + 2, n_columns + 2) views with a border of zeros, from `aligned_zeros`
    columns
        returns the same views with columns first; called if a view needs them
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
    all_runs = [(slice(0, len(matrices)), slice(0, len(matrices)))] if runs is None else runs
    # like the volume of a stored scan, so that both have the same bits
    if are_level(matrices, shape):
        return _level(rows, matrices, shape, all_runs, on)
    total, ways = np.zeros(shape, np.float32), _strip_directions(matrices, shape)
    for direction in np.unique(ways):
        is_down, by_columns = bool(direction & 1), bool(direction & 2)
        some = matrices[:, [1, 0, 2]] if by_columns else matrices
        some, size = (some[:, :, [1, 0, 2, 3]], shape[::-1]) if is_down else (some, shape)
        views = columns() if by_columns else rows
        part = _along(views, some, size, _runs_of(direction == ways, all_runs), on)
        total += part.T if is_down else part
    return total


def _strip_directions(matrices: Array, shape: tuple[int, int]) -> Array:
    """Return bits for each view: 1 for strips down the slice, 2 for strips by detector columns."""
    middle = np.array([shape[1] / 2, shape[0] / 2, 0.5, 1.0])
    a, b, depth = np.moveaxis(matrices @ middle, 1, 0)[:, :, None]
    # pixels of the detector from one pixel of the slice to the next, (n, 2): across and down
    by_a = np.abs(matrices[:, 0, :2] * depth - a * matrices[:, 2, :2]) / depth**2
    by_b = np.abs(matrices[:, 1, :2] * depth - b * matrices[:, 2, :2]) / depth**2
    reads, crosses = np.hstack([by_a, by_b]) * LANES, np.hstack([by_b, by_a]) * LANES
    is_possible = (reads < MAX_DISTANCE) & (crosses < MAX_ROWS)
    # two rows are read at least; rounded, so that few views differ from their neighbours
    cost = np.where(is_possible, np.maximum(np.ceil(crosses), 2.0), _ONE_BY_ONE)
    return cost.argmin(axis=1)


def _runs_of(is_chosen: Array, runs: Sequence[Run]) -> list[Run]:
    """Return the runs of the chosen views."""
    found = []
    for slots, at in runs:
        chosen = np.concatenate([[False], is_chosen[at], [False]])
        ends = np.flatnonzero(chosen[1:] != chosen[:-1])
        for first, stop in ends.reshape(-1, 2):
            ours = slice(at.start + first, at.start + stop)
            found.append((slice(slots.start + first, slots.start + stop), ours))
    return found


def _along(
    views: Array, matrices: Array, shape: tuple[int, int], runs: Sequence[Run], on: Backend
) -> Array:
    part = np.zeros((1, *shape), np.float32)
    entries = [strip_entries(matrices[at]) for _, at in runs]

    def work(_: int, start: int, stop: int) -> None:
        for (slots, _at), some in zip(runs, entries, strict=True):
            along_x(start, stop, some, (0, 0, 0), views[slots], strip_buffers(), part)

    n_views = sum(len(matrices[at]) for _, at in runs)
    smallest = lines_of_call(shape[1], n_views, LINES)
    run_blocks(work, shape[0], on.threads, smallest=smallest)
    return part[0]


def _level(
    rows: Array, matrices: Array, shape: tuple[int, int], runs: Sequence[Run], on: Backend
) -> Array:
    part, width = np.zeros((1, *shape), np.float32), rows.shape[2]
    flat = rows.reshape(len(rows), -1)

    def work(_: int, start: int, stop: int) -> None:
        for slots, at in runs:
            some = matrices[at], (0, 0, 0), shape[1] // 2, flat[slots], width
            parallel(start, stop, *some, level_buffers(width), part)

    run_blocks(work, shape[0], on.threads, smallest=LINES)
    return part[0]
