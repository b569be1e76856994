"""Slices of a changing set of views: sums to which new views are added and old ones removed.

    s(x) = Σ_views g_view y_view(a, b) / τ²,   (τ a, τ b, τ) = M_view (x, 1)

as in `engine.kernels.cone.cone_back`, with a gain g for each view. A matrix times 1/√g has the same
projection and 1/τ² times g, so gains need no kernel of their own. If the gain of a view changes,
the difference is added: a refresh costs only new views and those that they replace. A slice whose
rows are parallel to detector rows is computed by columns, along which neither a nor τ changes
(`upright_slices`): many times as fast. Sums are float64, and are recomputed after all views were
replaced several times, so that rounding errors cannot grow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import GeometryError
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import aligned_zeros
from engine.kernels.cone import cone_back
from engine.operators.xray.strip_slices import by_strips, compile_strips
from engine.operators.xray.upright_slices import TILE, are_upright, by_columns

UNCHANGED = 1e-9
"""Relative difference of gains that counts as rounding."""
TURNED_OVER = 4
"""Number of complete replacements of the views before sums are recomputed."""


class SliceSums:
    """Slices of a ring buffer of filtered views.

    Parameters
    ----------
    n_slots : maximum number of views
    shape : (n_rows, n_columns) of the filtered views
    planes : initial planes of the slices
    on : threads
    """

    def __init__(
        self, n_slots: int, shape: tuple[int, int], planes: Sequence[Plane], *, on: Backend
    ) -> None:
        self._on = on
        # a border of zeros makes tests at the edge of the detector unnecessary
        self._views = aligned_zeros((n_slots, shape[0] + 2, shape[1] + 2))
        self._columns: Array | None = None
        self._gains = np.zeros(n_slots)
        self._sums = [_Sum(plane, n_slots) for plane in planes]

    @staticmethod
    def compile() -> None:
        """Compile the kernel, or load it from the cache."""
        compile_strips()
        out, matrix = np.zeros((1, 1, 1), np.float32), np.zeros((1, 3, 4))
        columns = np.zeros((1, 3, 3), np.float32)
        buffers, entries = cone_back.upright_buffers(3, TILE), cone_back.by_entry(matrix)
        cone_back.upright(0, 0, TILE, entries, (0, 0, 0), columns, buffers, out)

    @property
    def n_bytes(self) -> int:
        """Memory of views and sums."""
        columns = 0 if self._columns is None else self._columns.nbytes
        return self._views.nbytes + columns + sum(each.total.nbytes for each in self._sums)

    @property
    def planes(self) -> list[Plane]:
        """Planes of the slices."""
        return [each.plane for each in self._sums]

    def put(self, slot: int, view: Array) -> None:
        """Store a view in a slot.

        Parameters
        ----------
        slot
            number of a slot that is in no sum
        view
            (n_rows, n_columns) filtered values

        Raises
        ------
        ValueError
            if the slot is in a sum
        """
        if any(each.gains[slot] for each in self._sums):
            raise ValueError(
                f"slot {slot} is still part of a sum; remove it from the sum before you overwrite "
                "it."
            )
        self._views[slot, 1:-1, 1:-1] = view
        if self._columns is not None:
            self._columns[slot, 1:-1, 1:-1] = view.T

    def binned(self, slots: Sequence[int], k: int) -> Array:
        """Return means of views over k × k pixels; remaining pixels at the end are omitted.

        Parameters
        ----------
        slots
            slots of the views
        k
            pixels per side

        Returns
        -------
        (n, n_rows // k, n_columns // k)
        """
        rows, columns = ((n - 2) // k for n in self._views.shape[1:])
        out = np.empty((len(slots), rows, columns), np.float32)
        for each, slot in zip(out, slots, strict=True):
            whole = self._views[slot, 1 : 1 + rows * k, 1 : 1 + columns * k]
            each[...] = whole.reshape(rows, k, columns, k).mean(axis=(1, 3))
        return out

    def place(self, planes: Sequence[Plane]) -> None:
        """Move the slices to other planes; unchanged slices keep their sums."""
        old = {each.plane: each for each in self._sums}
        self._sums = [old.get(plane) or _Sum(plane, len(self._gains)) for plane in planes]

    def forget(self) -> None:
        """Recompute all sums on the next request."""
        for each in self._sums:
            each.clear()

    def take_out(self, slots: Sequence[int]) -> None:
        """Remove views from the sums, so that their slots can be reused.

        Parameters
        ----------
        slots
            slots of these views
        """
        if not len(slots):
            return
        for each in self._sums:
            gains = each.gains.copy()
            gains[list(slots)] = 0
            self._change(each, gains)

    def values(
        self,
        slots: Sequence[int],
        geometry: XrayGeometry,
        gains: Array,
        *,
        level: float = 1.0,
        in_one_go: bool = False,
    ) -> list[Array]:
        """Return each slice (n_rows, n_columns), float32.

        Parameters
        ----------
        slots
            slots of the views in the slices, in order
        geometry
            geometry of these views
        gains
            (n,) factors, 0 or more
        level
            common factor
        in_one_go
            True: recompute sums that were built in several steps; with gains of 1 they have the
            bits of `engine.operators.xray.slices`
        """
        wanted = np.zeros(len(self._gains))
        wanted[list(slots)] = gains
        for each in self._sums:
            each.see(slots, geometry)
            is_old = each.changed >= 2 * TURNED_OVER * len(slots)
            # Differences accumulate rounding; a full sum resets it.
            if is_old or (in_one_go and each.differs(wanted)):
                each.clear()
            self._change(each, wanted, slots)
        return [(level * each.total).astype(np.float32) for each in self._sums]

    def _change(self, each: _Sum, wanted: Array, order: Sequence[int] = ()) -> None:
        """Change a sum to the required gains; `order` of the views gives the same bits."""
        more = each.missing(wanted)
        others = np.setdiff1d(np.flatnonzero(more), order)
        changed = [int(slot) for slot in (*order, *others) if more[slot]]
        # Positive and negative changes separately, because √|gain| is part of the matrix.
        for sign in (1, -1):
            some = [slot for slot in changed if sign * more[slot] > 0]
            if some:
                work = self._by_columns if each.is_upright[some].all() else self._by_strips
                each.total += sign * work(each, some, np.abs(more[some]))
                each.steps += 1
        each.changed += len(changed)
        each.gains[changed] = wanted[changed]

    def _by_strips(self, each: _Sum, slots: list[int], gains: Array) -> Array:
        matrices = each.matrices[slots] / np.sqrt(gains)[:, None, None]
        rows, shape = self._views, each.plane.shape
        return by_strips(rows, self._columns_first, matrices, shape, _runs(slots), on=self._on)

    def _by_columns(self, each: _Sum, slots: list[int], gains: Array) -> Array:
        matrices = each.matrices[slots] / np.sqrt(gains)[:, None, None]
        shape = each.plane.shape
        return by_columns(self._columns_first(), matrices, shape, _runs(slots), on=self._on)

    def _columns_first(self) -> Array:
        """Return the views with columns first, computed on first use."""
        if self._columns is None:
            n_slots, n_rows, n_columns = self._views.shape
            self._columns = aligned_zeros((n_slots, n_columns, n_rows))
            self._columns[...] = self._views.transpose(0, 2, 1)
        return self._columns


class _Sum:
    """Sum of a slice, with the gains of the views in it."""

    def __init__(self, plane: Plane, n_slots: int) -> None:
        self.plane = plane
        self.total = np.zeros(plane.shape)
        self.gains = np.zeros(n_slots)
        self.matrices = np.zeros((n_slots, 3, 4))
        self.is_upright = np.zeros(n_slots, bool)
        self.changed = self.steps = 0

    def missing(self, wanted: Array) -> Array:
        """Return the gains to be added to the sum, (n_slots,)."""
        more = wanted - self.gains
        more[np.abs(more) <= UNCHANGED * np.maximum(wanted, self.gains)] = 0
        return more

    def differs(self, wanted: Array) -> bool:
        """Return True if the sum was, or would be, built in several steps."""
        return self.steps + bool(self.missing(wanted).any()) > 1

    def clear(self) -> None:
        """Remove all views from the sum."""
        self.total[...] = 0
        self.gains[...] = 0
        self.changed = self.steps = 0

    def see(self, slots: Sequence[int], geometry: XrayGeometry) -> None:
        """Set the matrices of the views that are not yet in the sum."""
        new = [k for k, slot in enumerate(slots) if not self.gains[slot]]
        if new:
            views = self.plane.seen(geometry.select(new)).in_voxels(self.plane.grid)
            some = [slots[k] for k in new]
            self.matrices[some] = views
            self.is_upright[some] = are_upright(views)


def _runs(slots: list[int]) -> list[tuple[slice, slice]]:
    """Return consecutive slots as slices of all slots and of the list, to save kernel calls."""
    breaks = [k for k in range(1, len(slots)) if slots[k] != slots[k - 1] + 1]
    ends = zip([0, *breaks], [*breaks, len(slots)], strict=True)
    return [(slice(slots[a], slots[b - 1] + 1), slice(a, b)) for a, b in ends]


def checked_planes(planes: Sequence[Plane]) -> list[Plane]:
    """Return the planes as a list; refuse an empty one."""
    if not planes:
        raise GeometryError("no planes were given; give at least one plane to reconstruct.")
    return list(planes)
