"""Non-zeros of a stored response for the GPU: in strips, sorted by group.

A non-zero is at the voxel j = D u + φ, k = D v + χ of the box of its line, with D voxels per pitch.
Its plane and phase (φ, χ) define its group. A strip contains the values of a group at one v and at
u ... u + 3, including zeros. Its position is the pitch (u, v) of its first value, counted from the
margin, in one byte each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix.variants import PanelShape

MAX_PITCHES = 256
"""Maximum number of pitches in a byte."""
STRIP = 4
"""Consecutive values that are stored and processed together."""
_WITHOUT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_WITHOUT)
_INLINE = njit(inline="always", **_WITHOUT)


@dataclass(frozen=True)
class GroupedRows:
    """Stored rows, on the host or on the device.

    Attributes
    ----------
    starts : (n + 1,) int64 first strip of each row
    groups : (n, n_groups + 1) int32 first strip of each group, relative to the row, planes slowest
    codes : (n_strips,) uint16 (u + margin) · 256 + v + margin
    values : (n_strips, 4) uint16, the bits of half precision, or float32
    scales : (n,) float32 factor of the values of each row
    """

    starts: Array
    groups: Array
    codes: Array
    values: Array
    scales: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Arrays in the order of the kernels' arguments."""
        return self.starts, self.groups, self.codes, self.values, self.scales

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)


def check_panel(panel: PanelShape) -> None:
    """Refuse panels with more pitches than a byte can count.

    Parameters
    ----------
    panel
        dimensions of the panels

    Raises
    ------
    GeometryError
        with the largest supported size
    """
    most = MAX_PITCHES - 2 * panel.margin
    if max(panel.rows, panel.columns) > most:
        raise GeometryError(
            f"the panels have {panel.rows} × {panel.columns} crystals, but projection on a GPU "
            f"supports at most {most} along each edge; use smaller panels, or the CPU."
        )


def grouped_rows(
    starts: Array, windows: Array, places: Array, values: Array, scales: Array, panel: PanelShape
) -> GroupedRows:
    """Sort the non-zeros of some rows by group.

    Parameters
    ----------
    starts
        (n, n_stored + 1) start of each plane of a row in `places` and `values`; each row begins at
        the end of the previous one
    windows
        (n, n_stored, 4) j0, k0, height, width
    places
        (n_nonzero,) position in the window, row by row
    values
        (n_nonzero,) float16 or float32
    scales
        (n,) factor of the values of each row
    panel
        dimensions of the panels
    """
    # Numba has no half precision on the CPU. Here the bits are only copied.
    bits = values.view(np.uint16) if values.dtype == np.float16 else values
    n_strips = strips_of(starts, windows, places, panel)
    begins = np.concatenate([[0], np.cumsum(n_strips)])
    groups = np.empty((len(starts), panel.n_groups + 1), np.int32)
    codes = np.empty(int(begins[-1]), np.uint16)
    strips = np.zeros((len(codes), STRIP), bits.dtype)
    form, state = (panel.edge, panel.margin), _state(windows, panel)
    _sort_groups(starts, windows, places, bits, *form, begins, groups, codes, strips, *state)
    return GroupedRows(begins, groups, codes, strips, scales)


def strips_of(starts: Array, windows: Array, places: Array, panel: PanelShape) -> NDArray[np.int64]:
    """Return the number of strips of each row, (n,).

    Parameters
    ----------
    starts, windows, places, panel
        as for `grouped_rows`
    """
    n_strips = np.zeros(len(starts), np.int64)
    first, _ = _state(windows, panel)
    _count_strips(starts, windows, places, panel.edge, n_strips, first)
    return n_strips


def _state(windows: Array, panel: PanelShape) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return working memory: u and number of the last strip, by phase of rows and window column."""
    widest = int(windows[..., 3].max(initial=1))
    return np.empty((panel.edge, widest), np.int64), np.empty((panel.edge, widest), np.int64)


_NONE = -(1 << 20)
"""Pitch that marks a missing strip."""


@_KERNEL
def _count_strips(
    starts: Array, windows: Array, places: Array, edge: int, n_strips: Array, first: Array
) -> None:
    """Count the strips of each row; non-zeros are sorted by row, so u ascends in each column."""
    for row in range(len(starts)):
        for plane in range(windows.shape[1]):
            first[:] = _NONE
            for n in range(starts[row, plane], starts[row, plane + 1]):
                j, k = _voxel(windows[row, plane], places[n])
                column = k - int(windows[row, plane][1])
                if j // edge - first[j % edge, column] >= STRIP:
                    first[j % edge, column] = j // edge
                    n_strips[row] += 1


@_KERNEL
def _sort_groups(
    starts: Array, windows: Array, places: Array, values: Array, edge: int, margin: int,
    begins: Array, groups: Array, codes: Array, strips: Array, first: Array, which: Array,
) -> None:  # fmt: skip
    """Count the strips of each group, then sort the strips by group."""
    for row in range(len(starts)):
        # A counting sort in two passes without another array: `ends` first counts, then it is the
        # position of the next strip of each group.
        begin, ends = begins[row], groups[row]
        ends[:] = 0
        for plane in range(windows.shape[1]):
            first[:] = _NONE
            for n in range(starts[row, plane], starts[row, plane + 1]):
                j, k = _voxel(windows[row, plane], places[n])
                column = k - int(windows[row, plane][1])
                if j // edge - first[j % edge, column] >= STRIP:
                    first[j % edge, column] = j // edge
                    ends[_group(plane, j, k, edge) + 1] += 1
        for group in range(1, len(ends)):
            ends[group] += ends[group - 1]
        for plane in range(windows.shape[1]):
            first[:] = _NONE
            for n in range(starts[row, plane], starts[row, plane + 1]):
                j, k = _voxel(windows[row, plane], places[n])
                column, u = k - int(windows[row, plane][1]), j // edge
                if u - first[j % edge, column] >= STRIP:
                    group = _group(plane, j, k, edge)
                    to = begin + ends[group]
                    first[j % edge, column], which[j % edge, column] = u, to
                    # Floor division: voxels outside the box have negative positions, and the margin
                    # makes them positive.
                    codes[to] = (u + margin) * 256 + k // edge + margin
                    ends[group] += 1
                strips[which[j % edge, column], u - first[j % edge, column]] = values[n]
        for group in range(len(ends) - 1, 0, -1):  # the end of a group is the start of the next one
            ends[group] = ends[group - 1]
        ends[0] = 0


@_INLINE
def _voxel(window: Array, place: int) -> tuple[int, int]:
    """Return row and column in the box for a position in the window j0, k0, height, width."""
    down = int(place) // int(window[3])
    return int(window[0]) + down, int(window[1]) + int(place) - down * int(window[3])


@_INLINE
def _group(plane: int, j: int, k: int, edge: int) -> int:
    return (plane * edge + j % edge) * edge + k % edge
