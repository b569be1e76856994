"""The non-zeros of a stored response as the GPU reads them: two bytes for where, sorted by group.

A non-zero at the voxel j = D u + φ, k = D v + χ of the box of its line is kept by the pitches
(u, v), each counted from the margin and in one byte; plane and phase are those of its group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from engine.arrays import Array
from engine.errors import GeometryError
from engine.kernels.compile_cache import cached_njit
from engine.kernels.matrix_variants import PanelShape
from engine.plain import Plain

MOST_PITCHES = 256
"""Pitches that a byte can count."""
_WITHOUT: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(**_WITHOUT)
_INLINE = njit(inline="always", **_WITHOUT)


@dataclass(frozen=True)
class GroupedRows:
    """Stored rows, on the host or on the device.

    Attributes
    ----------
    starts : (n + 1,) int64 where each row begins
    groups : (n, n_groups + 1) int32 where its groups begin, planes before phases, from there
    codes : (n_nonzero,) uint16 (u + margin) · 256 + v + margin
    values : (n_nonzero,) uint16, the bits of half precision, or float32
    scales : (n,) float32, by which the values of a row are multiplied
    """

    starts: Array
    groups: Array
    codes: Array
    values: Array
    scales: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """In the order in which the kernels take them."""
        return self.starts, self.groups, self.codes, self.values, self.scales

    @property
    def n_bytes(self) -> int:
        """Memory of all of them."""
        return sum(array.nbytes for array in self.arrays)


def check_panel(panel: PanelShape) -> None:
    """Refuse panels on which a byte cannot count the pitches."""
    most = MOST_PITCHES - 2 * panel.margin
    if max(panel.rows, panel.columns) > most:
        raise GeometryError(
            f"panels of {panel.rows} × {panel.columns} crystals: projection on a GPU takes at "
            f"most {most} along an edge; use smaller panels, or the CPU."
        )


def grouped_rows(
    starts: Array, windows: Array, places: Array, values: Array, scales: Array, panel: PanelShape
) -> GroupedRows:
    """Sort the non-zeros of some rows by group.

    Parameters
    ----------
    starts
        (n, n_stored + 1) where the planes of each row begin in `places` and `values`; each row
        begins where the one before ends
    windows
        (n, n_stored, 4) j0, k0, height, width
    places
        (n_nonzero,) in the window, row by row
    values
        (n_nonzero,) float16 or float32
    scales
        (n,)
    panel
        the scanner
    """
    # numba has no half precision on the CPU; the bits are only moved here
    bits = values.view(np.uint16) if values.dtype == np.float16 else values
    groups = np.empty((len(starts), panel.n_groups + 1), np.int32)
    codes, sorted_bits = np.empty(len(places), np.uint16), np.empty_like(bits)
    form = panel.edge, panel.margin
    _sort_groups(starts, windows, places, bits, *form, groups, codes, sorted_bits)
    begins = np.append(starts[:, 0], starts[-1, -1]) - starts[0, 0]
    return GroupedRows(begins, groups, codes, sorted_bits, scales)


@_KERNEL
def _sort_groups(
    starts: Array, windows: Array, places: Array, values: Array, edge: int, margin: int,
    groups: Array, codes: Array, sorted_values: Array,
) -> None:  # fmt: skip
    """Count the non-zeros of every group, then put each behind those of its group before it."""
    for row in range(len(starts)):
        # a counting sort, in two passes without another array: `ends` first counts, then says where
        # the next of each group goes
        begin, ends = starts[row, 0] - starts[0, 0], groups[row]
        ends[:] = 0
        for plane in range(windows.shape[1]):
            for n in range(starts[row, plane], starts[row, plane + 1]):
                j, k = _voxel(windows[row, plane], places[n])
                ends[_group(plane, j, k, edge) + 1] += 1
        for group in range(1, len(ends)):
            ends[group] += ends[group - 1]
        for plane in range(windows.shape[1]):
            for n in range(starts[row, plane], starts[row, plane + 1]):
                j, k = _voxel(windows[row, plane], places[n])
                group = _group(plane, j, k, edge)
                to = begin + ends[group]
                # floor division: voxels outside the box have negative places, and the margin makes
                # them positive
                codes[to] = (j // edge + margin) * 256 + k // edge + margin
                sorted_values[to] = values[n]
                ends[group] += 1
        for group in range(len(ends) - 1, 0, -1):  # where one ends the next one begins
            ends[group] = ends[group - 1]
        ends[0] = 0


@_INLINE
def _voxel(window: Array, place: int) -> tuple[int, int]:
    """Row and column in the box of a place in the window j0, k0, height, width."""
    down = int(place) // int(window[3])
    return int(window[0]) + down, int(window[1]) + int(place) - down * int(window[3])


@_INLINE
def _group(plane: int, j: int, k: int, edge: int) -> int:
    return (plane * edge + j % edge) * edge + k % edge
