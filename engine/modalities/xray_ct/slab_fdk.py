"""Filtered back projection in slabs: a few slices and a few views at a time.

x_z = Σ_views q / τ² for the slices z of a slab, with q from `engine.recon.filtering.projections`

A voxel takes its views one after the other, so slabs have the bits of the whole volume. Rows are
filtered anew for each slab, only those that it is seen by: filtering is a small part of the work,
and keeping what was filtered would take the disk of another set of projections.
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
    values : (n_views, n_rows, n_columns) line integrals, finite; they may lie in a file
    plan : plan of the filter, made from all of the values
    grid : the whole volume, which may be larger than the memory
    settings : settings of the filter
    sizes : sizes of slabs and chunks; they do not change the result
    storage : storage of the values
    on : threads
    on_progress : called with (done, in all) of each chunk of views of a slab; may raise
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
        self.chunks = pieces(len(values), sizes.views)
        self._sizes = sizes

    def compile(self) -> None:
        """Have the kernel compiled, or loaded where that was done before."""
        self._back.compile("back")

    def slabs(self, first: int = 0) -> list[range]:
        """Return the slices of each slab, from slice `first` on."""
        n = self._grid.shape[0] - first
        left = pieces(n, self._sizes.slices) if n else []
        return [range(first + slab.start, first + slab.stop) for slab in left]

    def slab(self, slices: range) -> Array:
        """Return some slices (n, n_y, n_x) [1/mm], in any order in memory."""
        region = (slice(slices.start, slices.stop), slice(None), slice(None))
        box = VolumeBox.of(region, self._grid.shape)
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
        if not self._plan.climbs:
            return image
        A = XrayTransform(self._plan.geometry, self._grid, on=self._on)
        return divided_by_visibility(image, A, self._plan, region)

    def _filter(self, work: RowFilter, views: range, wanted: range, bordered: Array) -> None:
        """Fill rows of the projections that are kept with those of some views, filtered."""

        def fill(part: range) -> None:
            some = range(views.start + part.start, views.start + part.stop)
            values = self._values[some.start : some.stop, work.first : work.last]
            done = work.filter(np.ascontiguousarray(values), some)
            self._back.keep(done, bordered, part.start, wanted.start)

        parts = pieces(len(views), FILTERED_AT_ONCE_BYTES // work.bytes_per_view)
        n_pixels = len(views) * len(wanted) * self._values.shape[2]
        span = self._profiler.span("filter", events=n_pixels, unit="pixels")
        with span, ThreadPoolExecutor(self._on.threads) as pool:
            for each in [pool.submit(fill, part) for part in parts]:
                each.result()
        self._storage.rest()


@dataclass(frozen=True, eq=False)
class SlabRecipe:
    """Everything except projections that a slab needs, ready to send to a worker."""

    plan: FilterDesign
    grid: ImageGrid
    settings: FilterSettings
    sizes: SlabSizes

    def __call__(self, values: Array, threads: int) -> OfSlices:
        """Return what makes slabs of projections (n_views, n_rows, n_columns)."""
        on = cpu(threads)
        return SlabFdk(values, self.plan, self.grid, self.settings, self.sizes, on=on).slab
