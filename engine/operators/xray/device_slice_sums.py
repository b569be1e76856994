"""Slices of a changing set of views on a GPU: all requested views, at each refresh.

    s(x) = Σ_views g_view y_view(a, b) / τ²,   (τ a, τ b, τ) = M_view (x, 1)

This is the GPU twin of `engine.operators.xray.slice_sums`. A GPU computes a slice from all views
faster than it could manage differences. Gains are included in the matrices (M / √g). Unused views
have a matrix that points outside of the detector, where the texture is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.patch import PatchGroup
from engine.operators.xray.resident_projections import ResidentProjections

UNUSED_VIEW = np.array([[0.0, 0, 0, -1e4], [0, 0, 0, -1e4], [0, 0, 0, 1]])
"""Matrix of an unused view, outside of the detector for all points."""


class DeviceSliceSums:
    """Slices of a ring buffer of filtered views, stored in a texture.

    Parameters
    ----------
    n_slots : maximum number of views
    shape : (n_rows, n_columns) of the filtered views
    planes : initial planes of the slices
    on : a GPU
    """

    def __init__(
        self, n_slots: int, shape: tuple[int, int], planes: Sequence[Plane], *, on: Backend
    ) -> None:
        if on.gpu is None:
            raise ResourceError(f"{on.label} is not a GPU; use SliceSums on this device.")
        self._on, self._gpu = on, on.gpu
        self._views = np.zeros((n_slots, *shape), np.float32)
        self._new: set[int] = set()
        self.planes = list(planes)
        self._resident: ResidentProjections | None = None
        self._group: PatchGroup | None = None

    @property
    def n_bytes(self) -> int:
        """Memory of views, on host and GPU, and of slices."""
        return 2 * self._views.nbytes + sum(4 * int(np.prod(p.shape)) for p in self.planes)

    def put(self, slot: int, view: Array) -> None:
        """Store a view in a slot.

        Parameters
        ----------
        slot
            number of the slot
        view
            (n_rows, n_columns) filtered values
        """
        self._views[slot] = view
        self._new.add(slot)

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
        rows, columns = (n // k for n in self._views.shape[1:])
        whole = self._views[list(slots), : rows * k, : columns * k]
        found: Array = whole.reshape(len(whole), rows, k, columns, k).mean(axis=(2, 4))
        return found

    def place(self, planes: Sequence[Plane]) -> None:
        """Move the slices to other planes."""
        if [plane.shape for plane in planes] != [plane.shape for plane in self.planes]:
            self._group = None
        self.planes = list(planes)

    def forget(self) -> None:
        """Do nothing: no sums are stored between refreshes."""

    def take_out(self, slots: Sequence[int]) -> None:
        """Do nothing: no sums are stored between refreshes."""

    def values(
        self,
        slots: Sequence[int],
        geometry: XrayGeometry,
        gains: Array,
        *,
        level: float = 1.0,
        in_one_go: bool = False,
    ) -> list[Array]:
        """Return each slice (n_rows, n_columns), float32; see `SliceSums.values`.

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
            not used; a GPU always sums all views
        """
        resident = self._resident or self._made_resident(geometry)
        self._send(resident)
        # Views with gain 0 would need a division by zero, and contribute nothing.
        used, wanted = np.flatnonzero(gains > 0), np.asarray(slots)
        matrices = np.tile(UNUSED_VIEW, (len(self._views), 1, 1))
        scale = np.sqrt(np.asarray(gains, float)[used])[:, None, None]
        matrices[wanted[used]] = geometry.matrices()[used] / scale
        group = self._put(resident, matrices)
        group.project()
        return [level * self._on.to_host(values)[0] for values in group.values]

    def _made_resident(self, geometry: XrayGeometry) -> ResidentProjections:
        n_slots = len(self._views)
        buffers = geometry.select(np.zeros(n_slots, np.intp))  # only their number and size matter
        self._resident = ResidentProjections(buffers, self.planes[0].grid, on=self._on)
        self._new = set(range(n_slots))
        return self._resident

    def _send(self, resident: ResidentProjections) -> None:
        """Upload new views, consecutive ones in one copy."""
        new = np.array(sorted(self._new), np.intp)
        self._new.difference_update(new.tolist())
        for run in np.split(new, np.flatnonzero(np.diff(new) != 1) + 1):
            if len(run):
                resident.update(self._views[run[0] : run[-1] + 1], int(run[0]))

    def _put(self, resident: ResidentProjections, matrices: Array) -> PatchGroup:
        placed = [matrices @ plane.to_mm for plane in self.planes]
        if self._group is not None:
            self._group.place(placed)
            return self._group
        detector, shapes = self._views.shape[1:], [plane.grid.shape for plane in self.planes]
        self._group = PatchGroup(
            self._gpu, resident, placed, shapes, detector=detector, turned=True
        )
        return self._group
