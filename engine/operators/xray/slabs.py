"""X-ray line integrals of a volume larger than the memory, and their exact transpose, in slabs.

        y_c = Σ_s A_cs x_s,   x_s = Σ_c A_csᵀ y_c,   s: slabs of slices, c: chunks of views

Joseph's interpolation is linear in the voxels and assumes zeros outside of a volume, so each slab
contributes its share of every ray. Only the rows of a chunk that see a slab are processed. Sums
equal those of the whole volume up to rounding: the last bits depend on the division.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import cast

import numpy as np

from engine.core.arrays import Array, as_supported, release_pages
from engine.core.backend import Backend
from engine.core.errors import DeviceError, ResourceError
from engine.core.profiling import Profiler
from engine.data.storage.columns import MEMORY, ColumnStorage
from engine.data.storage.iterates import IterateStorage
from engine.data.storage.out_of_core import OutOfCoreArray
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import OnProgress
from engine.operators.base import Definition, LinearOperator, created
from engine.operators.xray.parts import Parts, parts_for, pieces
from engine.operators.xray.scene import rows_seeing
from engine.operators.xray.slab_memory import MARGINS, bytes_each, min_bytes
from engine.operators.xray.transform import ADJOINT_RTOL, XrayTransform

REACH = 1.0
"""Distance from a slab, in voxels, up to which rays still interpolate its values."""


class SlabbedXrayTransform(LinearOperator):
    """Line integrals on the CPU, for volumes and projections that can be in files.

    Memory holds one slab and one chunk of views. Results are stored in `storage`; with an
    `IterateStorage` they are out-of-core arrays. Pages of mapped input files are
    released after reading. `norm` stores its vectors in memory. Only a transform with results in
    memory can be pickled.

    Parameters
    ----------
    geometry : source and detector of each view
    grid : the volume
    parts : slabs of slices and chunks of views; see `parts_within`
    on : threads of the CPU
    storage : storage of results
    on_progress : called with (done, all) pairs of slab and chunk; can raise
    profiler : times the projections

    Raises
    ------
    DeviceError
        if `on` is a GPU, where `XrayTransform` streams
    ResourceError
        if there is too little space for a result
    """

    adjoint_rtol = ADJOINT_RTOL["matched"]
    on: Backend

    def __init__(
        self,
        geometry: XrayGeometry,
        grid: ImageGrid,
        parts: Parts,
        *,
        on: Backend,
        storage: ColumnStorage = MEMORY,
        on_progress: OnProgress | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        if on.is_cuda:
            raise DeviceError(
                f"slabs in files can be projected only on the CPU, but the device is {on.name}; "
                "on a GPU, use XrayTransform, which streams large volumes."
            )
        self.on, self.grid, self.parts = on, grid, parts
        self.profiler = self._profiler = profiler or Profiler(on)
        self._storage, self._tick = storage, on_progress
        self._set_views(geometry)

    def _set_views(self, geometry: XrayGeometry) -> None:
        """Set the views, in chunks that are not longer than before."""
        self.geometry = geometry
        self.in_shape, self.out_shape = self.grid.shape, (geometry.n_views, *geometry.shape)
        chunks = pieces(geometry.n_views, max(map(len, self.parts.views)))
        self.parts = replace(self.parts, views=chunks)
        self._chunks = [geometry.select(slice(views.start, views.stop)) for views in chunks]
        self._rows_seen: dict[tuple[int, int], slice] = {}

    # Results in files belong to one transform, and reading them to compare would take long.
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __reduce__(self) -> Definition:
        if self._storage is not MEMORY:
            raise ResourceError(
                "a transform with results in files cannot be pickled, because the files belong to "
                "this process; create it again in the other process."
            )
        return created(type(self), self.geometry, self.grid, self.parts, on=self.on)

    def forward(self, x: Array) -> Array:
        """Return the line integrals of a volume.

        Parameters
        ----------
        x
            (n_z, n_y, n_x), in memory or in a file

        Returns
        -------
        (n_views, n_rows, n_columns) [mm times the unit of x]
        """
        x = as_supported(x)
        self.expect(x, self.in_shape)
        out = self._storage.empty(self.out_shape, np.float32)
        # chunks outermost: sums of pixels are complete before they are written, and a file of
        # projections is never read back to be added to
        for c, views in enumerate(self.parts.views):
            total = np.zeros((len(views), *self.geometry.shape), np.float32)
            for slab, rows, A in self._seeing(c):
                part = np.ascontiguousarray(x[slab.start : slab.stop], np.float32)
                total[:, rows] += A.forward(part)
                release_pages(x)
            out[views.start : views.stop] = total
            self._storage.release_pages()
        return self._as_array(out)

    def adjoint(self, y: Array) -> Array:
        """Return the exact transpose of the line integrals.

        Parameters
        ----------
        y
            (n_views, n_rows, n_columns), in memory or in a file

        Returns
        -------
        (n_z, n_y, n_x)
        """
        y = as_supported(y)
        self.expect(y, self.out_shape)
        out = self._storage.empty(self.in_shape, np.float32)
        # slabs outermost, so that a voxel is written once, with all of its views
        for k, slab in enumerate(self.parts.slabs):
            total = np.zeros((len(slab), *self.grid.shape[1:]), np.float32)
            for c, views in enumerate(self.parts.views):
                self._tell(k * len(self.parts.views) + c)
                found = self._share(c, k)
                if found is not None:
                    rows, A = found
                    total += A.adjoint(np.asarray(y[views.start : views.stop, rows], np.float32))
                release_pages(y)
            out[slab.start : slab.stop] = total
            self._storage.release_pages()
        self._tell(self._n_pairs)
        return self._as_array(out)

    def of_a_pair(self) -> XrayTransform:
        """Return the projector of the middle slab with some views, for time estimates."""
        middle = len(self.parts.slabs) // 2
        found = self._share(0, middle)
        if found is not None:
            return found[1]
        return XrayTransform(
            self._chunks[0], slab_of(self.grid, self.parts.slabs[middle]), on=self.on
        )

    def subset(self, k: int, of: int) -> SlabbedXrayTransform:
        """Return views k, k + of, ..., in the same slabs.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """
        other = copy(self)
        other._set_views(self.geometry.select(slice(k, None, of)))
        return other

    def _as_array(self, out: Array) -> Array:
        """Return a result as an array of the storage's module."""
        storage = self._storage
        return (
            cast(Array, OutOfCoreArray(storage, out))
            if isinstance(storage, IterateStorage)
            else out
        )

    @property
    def _n_pairs(self) -> int:
        return len(self.parts.slabs) * len(self.parts.views)

    def _tell(self, done: int) -> None:
        if self._tick is not None:
            self._tick(done, self._n_pairs)

    def _seeing(self, c: int) -> Iterator[tuple[range, slice, XrayTransform]]:
        """Yield the slabs that a chunk of views sees, with these rows and their projector."""
        first = c * len(self.parts.slabs)
        for k, slab in enumerate(self.parts.slabs):
            self._tell(first + k)
            found = self._share(c, k)
            if found is not None:
                yield slab, *found
        self._tell(first + len(self.parts.slabs))

    def _share(self, c: int, k: int) -> tuple[slice, XrayTransform] | None:
        """Return the rows of chunk c that see slab k, and their projector; None if no row does."""
        grid, geometry = slab_of(self.grid, self.parts.slabs[k]), self._chunks[c]
        rows = self._rows_seen.get((c, k))
        # Rows of a pair are cached: each iteration needs them again.
        if rows is None:
            # for these views only: in a helical scan few views see a slab
            rows = self._rows_seen[c, k] = rows_seeing(grid, None, geometry, REACH)
        if rows.start >= rows.stop:
            return None
        # created for each pair: rays of some views are a small table, and tables of all pairs
        # would grow with the scan
        seen = geometry.cropped(rows, slice(None))
        return rows, XrayTransform(seen, grid, on=self.on, profiler=self._profiler)


def slab_of(grid: ImageGrid, slices: range) -> ImageGrid:
    """Return neighbouring slices of a grid, at their position.

    Parameters
    ----------
    grid
        grid of the volume
    slices
        range of slices
    """
    return grid.part([(slices.start, slices.stop), *((0, n) for n in grid.shape[1:])])


def parts_within(
    shape: tuple[int, int, int], grid: ImageGrid, *, budget_bytes: int, threads: int
) -> Parts:
    """Divide a volume and its projections for `SlabbedXrayTransform` within a memory budget.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns) of the projections
    grid
        grid of the volume
    budget_bytes
        memory for slabs, chunks and temporaries
    threads
        number of threads, each with its own sums

    Raises
    ------
    ResourceError
        if one slice and one view exceed the budget
    """
    n_views, n_rows, n_columns = shape
    per_slice, per_view = bytes_each(shape, grid, threads)
    least = min_bytes(shape, grid, threads)
    if budget_bytes < least:
        raise ResourceError(
            f"a slice of {grid.shape[2]} × {grid.shape[1]} voxels and a view of {n_rows} × "
            f"{n_columns} pixels need {least / 2**20:.1f} MiB of memory, but only "
            f"{budget_bytes / 2**20:.1f} MiB are "
            "allowed; choose larger voxels, fewer threads or a larger memory limit."
        )
    # Margins exist once for each slab, whatever its size.
    left = budget_bytes - MARGINS * per_slice
    return parts_for(grid.shape[0], per_slice, n_views, per_view, left, n_views)
