"""Slices of any orientation from one scan, moved and computed repeatedly.

As in Graas et al., "ASTRA KernelKit", section 4.2 (quasi-3D): all slices read the same texture, so
new projections are uploaded once. On a GPU a call is one launch of a recorded graph, for any
position of the slices. On the CPU an upright slice is computed by columns, and any other one by
strips.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.arrays import Array, as_supported
from engine.core.backend import Backend
from engine.core.errors import GeometryError
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import aligned_zeros
from engine.kernels.cone.cone_variants import BackVariant
from engine.operators.xray.patch import PatchGroup
from engine.operators.xray.resident_projections import ResidentProjections
from engine.operators.xray.strip_slices import by_strips
from engine.operators.xray.upright_slices import are_upright, by_columns


class Slices:
    """Slices by voxel-driven back projection with 1/τ².

    Parameters
    ----------
    geometry : source and detector of each view
    planes : initial planes of the slices; their shapes are constant
    on : device and threads
    variant : variant of the GPU kernel; None: the fastest one as measured

    Examples
    --------
    >>> import numpy as np, engine
    >>> scan = engine.parallel(np.linspace(0, 3, 9), shape=(4, 16), pixel_mm=1.0)
    >>> plane = engine.geometry.Plane((4, 8), 0.5, across=(0.6, 0.8, 0.0), down=(0.0, 0.0, 1.0))
    >>> slices = engine.Slices(scan, [plane], on=engine.cpu())
    >>> slices.update(np.ones((9, 4, 16), np.float32))
    >>> float(slices.values()[0][2, 4].round(3))
    9.0
    """

    def __init__(
        self,
        geometry: XrayGeometry,
        planes: Sequence[Plane],
        *,
        on: Backend,
        variant: BackVariant | None = None,
    ) -> None:
        # a copy: the caller's list can change later
        self._planes = list(planes)
        self._here = (
            _OnHost(geometry, on)
            if on.gpu is None
            else _OnGpu(geometry, self._planes, on=on, variant=variant)
        )

    def update(self, y: Array, first: int = 0) -> None:
        """Replace projections.

        Parameters
        ----------
        y
            (n, n_rows, n_columns)
        first
            number of the first view to replace
        """
        self._here.update(as_supported(y), first)

    def place(self, planes: Sequence[Plane]) -> None:
        """Move the slices to other planes.

        Parameters
        ----------
        planes
            planes of the same shapes

        Raises
        ------
        GeometryError
            if a shape differs
        """
        old, new = ([plane.shape for plane in some] for some in (self._planes, planes))
        if old != new:
            raise GeometryError(
                f"the new slices have the shapes {new}, but the current slices have {old}; create "
                "new slices for other shapes."
            )
        self._planes = list(planes)
        self._here.place(self._planes)

    def values(self) -> list[Array]:
        """Return each slice (n_rows, n_columns), on its device; see `Patches.at`."""
        return self._here.values(self._planes)


class _OnHost:
    def __init__(self, geometry: XrayGeometry, on: Backend) -> None:
        self._geometry, self._on = geometry, on
        n_rows, n_columns = geometry.shape
        # a border of zeros makes tests at the edge of the detector unnecessary
        self._views = aligned_zeros((geometry.n_views, n_rows + 2, n_columns + 2))
        self._columns: Array | None = None

    def update(self, y: Array, first: int) -> None:
        self._views[first : first + len(y), 1:-1, 1:-1] = y
        self._columns = None

    def place(self, planes: Sequence[Plane]) -> None:
        """Nothing is kept of them."""

    def values(self, planes: Sequence[Plane]) -> list[Array]:
        found = []
        for plane in planes:
            # the scan is moved instead of the slice: the kernel supports only boxes along x, y and
            # z
            seen = plane.seen(self._geometry)
            matrices = seen.in_voxels(plane.grid)
            if are_upright(matrices).all():
                part = by_columns(self._columns_first(), matrices, plane.shape, on=self._on)
            else:
                views = self._views, self._columns_first
                part = by_strips(*views, matrices, plane.shape, on=self._on)
            found.append(part)
        return found

    def _columns_first(self) -> Array:
        """Return the views with columns first, computed on first use."""
        if self._columns is None:
            n_views, n_rows, n_columns = self._views.shape
            self._columns = aligned_zeros((n_views, n_columns, n_rows))
            self._columns[...] = self._views.transpose(0, 2, 1)
        return self._columns


class _OnGpu:
    def __init__(
        self,
        geometry: XrayGeometry,
        planes: Sequence[Plane],
        *,
        on: Backend,
        variant: BackVariant | None,
    ) -> None:
        if on.gpu is None:
            raise TypeError(f"the device is {on.label}, expected a GPU.")
        self._matrices = geometry.matrices()
        self._projections = ResidentProjections(geometry, planes[0].grid, on=on, variant=variant)
        shapes = [plane.grid.shape for plane in planes]
        self._group = PatchGroup(
            on.gpu,
            self._projections,
            self._placed(planes),
            shapes,
            detector=geometry.shape,
            turned=True,
        )

    def update(self, y: Array, first: int) -> None:
        self._projections.update(y, first)

    def place(self, planes: Sequence[Plane]) -> None:
        self._group.place(self._placed(planes))

    def values(self, planes: Sequence[Plane]) -> list[Array]:
        self._group.project()
        return [values[0] for values in self._group.values]

    def _placed(self, planes: Sequence[Plane]) -> list[Array]:
        """Return matrices (n_views, 3, 4) from the voxels of each slice."""
        return [self._matrices @ plane.to_mm for plane in planes]
