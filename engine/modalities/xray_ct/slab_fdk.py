"""Filtered back projection in slabs: a few slices and a few views at a time.

x_z = Σ_views q / τ² for the slices z of a slab, with q from `engine.recon.filtering.projections`

A voxel adds its views in order, so slabs have the same bits as the whole volume. For each slab,
only the rows that see it are filtered, again each time. Filtering is a small part of the work, and
storing filtered rows would need the disk space of another set of projections.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.profiling import Profiler
from engine.data.runs.sharding import OfSlices
from engine.data.storage.columns import MEMORY, ColumnStorage
from engine.geometry.grid import ImageGrid
from engine.kernels.blocks import OnProgress
from engine.modalities.xray_ct.slab_sizes import FILTERED_AT_ONCE_BYTES, SlabSizes
from engine.operators.xray.host import HostXray
from engine.operators.xray.parts import pieces
from engine.operators.xray.scene import Scene, VolumeBox, rows_seeing
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.design import FilterDesign
from engine.recon.filtering.projections import RowFilter
from engine.recon.filtering.settings import FilterSettings
from engine.recon.filtering.visibility import divided_by_visibility


class SlabFdk:
    """Filtered back projection of slabs on the CPU.

    Parameters
    ----------
    values : (n_views, n_rows, n_columns) finite line integrals; may be in a file
    plan : design of the filter, from all of the values
    grid : the whole volume, which may exceed the memory
    settings : settings of the filter
    sizes : sizes of slabs and chunks; they do not change the result
    storage : storage of the values
    on : device, for its number of threads
    on_progress : called with (done, total) for each chunk of views of a slab; may raise to stop
    """

    def __init__(
        self,
        values: Array,
        plan: FilterDesign,
        grid: ImageGrid,
        settings: FilterSettings,
        sizes: SlabSizes,
        *,
        on: Backend,
        storage: ColumnStorage = MEMORY,
        on_progress: OnProgress | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        self._values, self._plan, self._grid, self._settings = values, plan, grid, settings
        self._on, self._storage, self._profiler = on, storage, profiler or Profiler(on)
        scene = Scene(plan.geometry, grid)
        self._back = HostXray(scene, on=on, on_progress=on_progress, profiler=self._profiler)
        self._tick = on_progress
        self._is_gridded = settings.method != "direct" and self._can_grid()
        # Gridding filters a few views at a time by itself, and reports each slab as one part.
        self.chunks = pieces(len(values), len(values) if self._is_gridded else sizes.views)
        self._sizes = sizes

    def _can_grid(self) -> bool:
        from engine.recon.filtering.gridding import is_gridded  # most runs do not need its kernels

        return is_gridded(self._settings, self._plan.geometry, self._grid, self._on)

    def _gridded(self, box: VolumeBox) -> Array:
        from engine.recon.filtering.gridding import gridded

        data = self._values, self._plan, self._settings, self._grid, box
        n_updates = box.n_voxels * len(self._values)
        with self._profiler.span("back", events=n_updates, unit="voxel updates"):
            image = gridded(*data, on=self._on, on_progress=self._tick)
        self._storage.release_pages()
        return image

    def compile(self) -> None:
        """Compile the kernel, or load it from the cache."""
        if self._is_gridded:
            from engine.operators.xray.gridding import compile_kernels

            compile_kernels()
        else:
            self._back.compile("back")

    def slabs(self, first: int = 0) -> list[range]:
        """Return the slices of each slab.

        Parameters
        ----------
        first
            first slice that is not finished
        """
        n = self._grid.shape[0] - first
        left = pieces(n, self._sizes.slices) if n else []
        return [range(first + slab.start, first + slab.stop) for slab in left]

    def slab(self, slices: range) -> Array:
        """Return the values of a slab [1/mm].

        Parameters
        ----------
        slices
            slices of the slab

        Returns
        -------
        slab
            (n, n_y, n_x); the order in memory may differ
        """
        region = (slice(slices.start, slices.stop), slice(None), slice(None))
        box = VolumeBox.of(region, self._grid.shape)
        if self._is_gridded:
            return self._gridded(box)
        # Buffers are allocated for the longest chunk and reused for all others.
        sums, bordered = self._back.no_sums(box), self._back.bordered(max(map(len, self.chunks)))
        rows = rows_seeing(self._grid, region, self._plan.geometry)
        wanted = range(self._values.shape[1])[rows]
        work = RowFilter(self._plan, self._settings, self._values.shape[2], wanted)
        for views in self.chunks:
            if wanted:
                self._filter(work, views, wanted, bordered)
            n_updates = box.n_voxels * len(views)
            with self._profiler.span("back", events=n_updates, unit="voxel updates"):
                self._back.add_bordered(bordered[: len(views)], views, box, sums)
        image = self._back.volume_of(sums)
        # Only a helix needs this: in a circular orbit every view sees the same slices.
        if not self._plan.climbs:
            return image
        A = XrayTransform(self._plan.geometry, self._grid, on=self._on)
        return divided_by_visibility(image, A, self._plan, region)

    def _filter(self, work: RowFilter, views: range, wanted: range, bordered: Array) -> None:
        """Fill the buffer with the filtered rows of some views."""

        def fill(part: range) -> None:
            some = range(views.start + part.start, views.start + part.stop)
            values = self._values[some.start : some.stop, work.first : work.last]
            done = work.filter(np.ascontiguousarray(values), some)
            self._back.keep(done, bordered, part.start, wanted.start)

        # Small parts keep the buffers of all threads within the estimate of the memory.
        parts = pieces(len(views), FILTERED_AT_ONCE_BYTES // work.bytes_per_view)
        n_pixels = len(views) * len(wanted) * self._values.shape[2]
        span = self._profiler.span("filter", events=n_pixels, unit="pixels")
        with span, ThreadPoolExecutor(self._on.threads) as pool:
            for each in [pool.submit(fill, part) for part in parts]:
                # result() raises the exception of a thread, which would be lost otherwise.
                each.result()
        self._storage.release_pages()


@dataclass(frozen=True, eq=False)
class SlabRecipe:
    """Everything except projections that a slab needs, ready to be sent to a worker."""

    plan: FilterDesign
    grid: ImageGrid
    settings: FilterSettings
    sizes: SlabSizes

    def __call__(self, values: Array, threads: int) -> OfSlices:
        """Return a function that computes slabs.

        Parameters
        ----------
        values
            (n_views, n_rows, n_columns) line integrals
        threads
            number of threads of the worker
        """
        on = cpu(threads)
        return SlabFdk(values, self.plan, self.grid, self.settings, self.sizes, on=on).slab
