"""Stored response matrix of a dual-head scanner, folded by its symmetries."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import (
    Turn,
    across,
    box_of,
    folded,
    n_stored_planes,
    stored_index,
    stored_orientations,
)


@dataclass(frozen=True)
class ResponseRow:
    """Non-zeros of one orientation, in its box (`engine.geometry.dual_head_symmetry`).

    Attributes
    ----------
    p, j, k : (n,) int32 plane, row and column of the voxel
    values : (n,) float32 probability that a decay in the voxel is detected
    box : rows and columns of voxels in the box
    """

    p: NDArray[np.int32]
    j: NDArray[np.int32]
    k: NDArray[np.int32]
    values: NDArray[np.float32]
    box: tuple[int, int]

    def turned(self, turn: Turn) -> ResponseRow:
        """Return the row of the orientation to which a symmetry maps this one.

        Parameters
        ----------
        turn
            symmetry of the panels
        """
        j, k = turn.voxels(self.j, self.k, self.box)
        return ResponseRow(self.p, j, k, self.values, self.box[::-1] if turn.swap else self.box)


@dataclass(frozen=True)
class ResponseMatrix:
    """Response of all orientations a ≥ b ≥ 0, first half of the planes.

    Row i has the orientation `orientations[i]` = (a, b). Its non-zeros of plane p are those from
    starts[i, p] to starts[i, p + 1] (flat: `starts` has one more at the end). Non-zero n there is

        values[n] · scales[i]   at   j = j0 + places[n] // width,  k = k0 + places[n] % width

    with (j0, k0, height, width) = windows[i, p], j and k counted from the corner of the box; j0 and
    k0 may be negative where crystals scatter. In a plane they are sorted by (j mod D, k mod D),
    then by j and k: voxels of one phase, neighbours in an image split by phases, follow each other.

    Attributes
    ----------
    scanner : panels of this response; its grid is that of the image
    starts : (n · n_planes_stored + 1,) int64
    windows : (n, n_planes_stored, 4) int16
    places : (n_nonzero,) uint16
    values : (n_nonzero,) float16 or float32, at most 1
    scales : (n,) float32 largest probability of each row
    dropped : (n,) float32 share of a row's sum too small to be stored, added to the rest
    errors : (n,) float32 estimated error of a row, root mean square relative to its values
    info : origin of the matrices
    notes : notes of the reader, one sentence each
    """

    scanner: DualHead
    starts: NDArray[np.int64]
    windows: NDArray[np.int16]
    places: NDArray[np.uint16]
    values: Array
    scales: NDArray[np.float32]
    dropped: NDArray[np.float32]
    errors: NDArray[np.float32]
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n, n_planes = len(self.orientations), self.n_planes_stored
        # Kernels index these arrays without bounds checks.
        wanted = {
            "starts": (n * n_planes + 1,),
            "windows": (n, n_planes, 4),
            "places": (self.n_nonzero,),
            "scales": (n,),
            "dropped": (n,),
            "errors": (n,),
        }
        for name, shape in wanted.items():
            found = getattr(self, name).shape
            if found != shape:
                raise GeometryError(
                    f"response matrix of {self.scanner.name!r}: {name!r} has shape "
                    f"{found}, expected {shape}; compute the matrix again."
                )

    @cached_property
    def orientations(self) -> NDArray[np.int32]:
        """Stored orientations (a, b), (n, 2)."""
        s = self.scanner.settings
        return stored_orientations(s.n_rows, s.n_columns)

    @property
    def knows_scatter(self) -> bool:
        """True if the response includes scatter in crystals and the energy window."""
        return bool(dict(self.info.get("response") or {}).get("scatter", False))

    @property
    def n_planes_stored(self) -> int:
        """Number of stored planes, including the middle one."""
        return n_stored_planes(self.scanner.settings.n_planes)

    @property
    def n_nonzero(self) -> int:
        """Number of stored non-zeros."""
        return len(self.values)

    @property
    def n_bytes(self) -> int:
        """Memory of the stored arrays."""
        arrays = (self.starts, self.windows, self.places, self.values, self.scales)
        return sum(array.nbytes for array in arrays)

    @cached_property
    def margin(self) -> int:
        """Pitches by which rows extend beyond their boxes: 0 without scatter in crystals."""
        n = self.scanner.settings.voxels_per_pitch
        first, size = np.split(self.windows.astype(np.int32), 2, axis=2)
        # Extent beyond the box at both ends: negative starts, and ends after its last voxel.
        above = first + size - n * (self.orientations[:, None] + 1)
        # Rounded up, because kernels pad images by whole pitches.
        return -(-int(max(0, -first.min(), above.max())) // n)

    def stored(self, i: int) -> ResponseRow:
        """Return row i as stored: the first half of the planes.

        Parameters
        ----------
        i
            number of the stored orientation
        """
        n_planes = self.n_planes_stored
        starts = self.starts[i * n_planes : (i + 1) * n_planes + 1]
        p = np.repeat(np.arange(n_planes, dtype=np.int32), np.diff(starts))
        # Windows trim each plane to its non-zeros; `places` count within the window.
        j0, k0, _, width = self.windows[i].astype(np.int32).T
        chosen = slice(int(starts[0]), int(starts[-1]))
        down, along = np.divmod(self.places[chosen].astype(np.int32), width[p])
        values = self.values[chosen].astype(np.float32) * self.scales[i]
        # Python integers: NumPy scalars of int32 would overflow in products of box sizes.
        a, b = (int(v) for v in self.orientations[i])
        box = box_of(a, b, self.scanner.settings.voxels_per_pitch)
        return ResponseRow(p, j0[p] + down, k0[p] + along, values, box)

    def row(self, a: int, b: int) -> ResponseRow:
        """Return the row of any orientation, with all planes.

        Parameters
        ----------
        a
            row difference
        b
            column difference
        """
        s = self.scanner.settings
        # Only a ≥ b ≥ 0 is stored; the other orientations follow by the symmetries of the panels.
        stored, turn = folded(a, b)
        return self.whole(int(stored_index(*stored, s.n_rows, s.n_columns))).turned(turn)

    def whole(self, i: int) -> ResponseRow:
        """Return row i with all planes.

        Parameters
        ----------
        i
            number of the stored orientation
        """
        row, n_planes = self.stored(i), self.scanner.settings.n_planes
        # The middle plane of an odd number is its own mirror image.
        twice = row.p != n_planes - 1 - row.p
        more = across(row.p[twice], row.j[twice], row.k[twice], row.box, n_planes)
        p, j, k = (np.concatenate(parts) for parts in zip((row.p, row.j, row.k), more, strict=True))
        return ResponseRow(p, j, k, np.concatenate([row.values, row.values[twice]]), row.box)
