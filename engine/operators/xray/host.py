"""X-ray line integrals and back projections on the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.profiling import Profiler
from engine.kernels.blocks import (
    Bordered,
    OnProgress,
    aligned_zeros,
    contiguous,
    copy_planes,
    run_blocks,
    sum_blocks,
)
from engine.kernels.cone import cone_back
from engine.kernels.host_variants import BackForm
from engine.kernels.parallel_back import level_buffers, parallel
from engine.kernels.stored_variants import Slot, back_slot, chosen, edge_class, power_class
from engine.kernels.vectors.window import MARGIN
from engine.operators.xray.scene import FEW_SLICES, Direction, Scene, Three, VolumeBox

if TYPE_CHECKING:
    from engine.operators.xray.few_slices import FewSlices

FEW_ROWS = 8
"""Maximum detector rows for separate rays, which are twelve times as fast for one row."""
LINES, COLUMNS = 8, 256
"""Minimum lines of voxels for a call, along x and along z."""
_Kernel = Literal["upright", "parallel", "few slices", "strips"]
"""Kernels of back projection: columns of voxels, and three kinds of lines along x."""


class HostXray:
    """Projectors of a scene on the CPU; see `engine.operators.xray.transform`.

    Kernels use volumes as [y, x, z] and projections as [view, column, row]: columns of voxels and
    pixels have common coefficients in upright scans.

    form : division of back projection; None: as tuned on this machine, or the default
    dtype : of line integrals and their transpose; float64 is several times slower
    """

    def __init__(
        self,
        scene: Scene,
        *,
        on: Backend,
        on_progress: OnProgress | None,
        profiler: Profiler,
        form: BackForm | None = None,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self._dtype = np.dtype(dtype)
        self._scene, self._on, self._tick = scene, on, on_progress
        self._given = form
        self._profiler, self._n_rays = profiler, math.prod(scene.seen)
        # the vector code supports float32 only
        self._is_single = self._dtype == np.float32
        z, y, x = scene.grid.shape
        self._shape = (y, x, z)
        self._voxel_mm = np.array(scene.grid.voxel_mm, np.float64)

    def forward(self, x: Array) -> Array:
        """Return the line integrals (n_views, n_rows, n_columns) of a volume (n_z, n_y, n_x)."""
        with self._profiler.span("forward", events=self._n_rays, unit="rays"):
            return self._few.forward(x) if self._few else self._forward(x)

    def transposed(self, y: Array) -> Array:
        """Return the exact transpose of `forward`, (n_z, n_y, n_x)."""
        with self._profiler.span("back", events=self._n_rays, unit="rays"):
            return self._few.transposed(y) if self._few else self._transposed(y)

    def back(self, y: Array, box: VolumeBox, *, as_adjoint: bool) -> Array:
        """Return the voxel-driven back projection with 1/τ² of a box.

        Parameters
        ----------
        y
            (n_views, n_rows, n_columns)
        box
            voxels to compute
        as_adjoint
            weight the projections so that it approximates the adjoint
        """
        n_updates = box.n_voxels * len(y)
        with self._profiler.span("back", events=n_updates, unit="voxel updates"):
            if as_adjoint:
                # A new array: the caller's projections must not change.
                y = y * self._scene.adjoint_weights(range(len(y)))
            bordered = self.bordered(len(y))
            self.keep(y, bordered)
            return self.back_bordered(bordered, box)

    @cached_property
    def _is_upright(self) -> bool:
        """True if rays of a detector column are integrated together; back projection never asks."""
        geometry = self._scene.geometry
        # for few rows, the common interpolation of columns costs more time than it saves
        shares_columns = geometry.is_upright and geometry.shape[0] > FEW_ROWS
        return self._is_single and shares_columns and not self._scene.is_steep

    @cached_property
    def _few(self) -> FewSlices | None:
        """Projectors for few slices, if the scene has few."""
        if not (self._is_single and self._scene.has_few_slices):
            return None
        # imported here because most runs do not need it
        from engine.operators.xray.few_slices import FewSlices

        return FewSlices(self._scene, on=self._on, on_progress=self._tick)

    @cached_property
    def _strips(self) -> ModuleType:
        """Kernel along x."""
        # imported here because most runs do not need it
        from engine.kernels.cone import cone_back_along_x

        return cone_back_along_x

    @cached_property
    def _slices(self) -> ModuleType:
        """Kernel along x for several slices at once."""
        from engine.kernels.cone import cone_back_few_slices

        return cone_back_few_slices

    def compile(self, direction: Direction) -> None:
        """Compile the kernel of `forward`, `transposed` or `back`, by a call without lines."""
        one = np.zeros((1, 1, 1), np.float32 if direction == "back" else self._dtype)
        if direction != "back" and self._few:
            self._few.compile(transposed=direction == "transposed")
        elif direction == "forward":
            self._integrate(0, 0, one.ravel(), one, upright=self._is_upright)
        elif direction == "transposed":
            self._spread(0, 0, one, one.ravel(), upright=self._is_upright)
        else:
            self._gather(0, 0, self._lines(range(1)), one, (0, 0, 0), one)

    def _forward(self, x: Array) -> Array:
        # a border of zeros makes tests at the edge unnecessary; z fastest, see `joseph`
        image = np.zeros([n + 2 for n in self._shape], self._dtype)
        copy_planes(x.transpose(1, 2, 0), image[1:-1, 1:-1, 1:-1], self._on.threads)
        n_views, n_rows, n_columns = self._scene.seen
        out = np.empty((n_views, n_columns, n_rows), self._dtype)
        flat, upright = image.ravel(), self._is_upright

        def work(_: int, start: int, stop: int) -> None:
            self._integrate(start, stop, flat, out, upright=upright)

        run_blocks(work, n_views * n_columns, self._on.threads, self._tick)
        return contiguous(out.transpose(0, 2, 1), self._on.threads, self._dtype)

    def _integrate(self, start: int, stop: int, image: Array, out: Array, *, upright: bool) -> None:
        """Compute line integrals for some columns of all views."""
        # imported here, and below, because FDK does not need them
        from engine.kernels.cone import joseph, joseph_upright

        scene = (self._scene.rays, self._voxel_mm, self._shape, image)
        if upright:
            joseph_upright.forward_upright(start, stop, *scene, self._blend(), out)
        else:
            joseph.forward(start, stop, *scene, out)

    def _transposed(self, y: Array) -> Array:
        n_views, _, n_columns = self._scene.seen
        # rows fastest: a thread works on a column of pixels
        values = contiguous(y.transpose(0, 2, 1), self._on.threads, self._dtype)
        upright = self._is_upright

        def work(sums: Array, start: int, stop: int) -> None:
            self._spread(start, stop, values, sums, upright=upright)

        # Rays of different columns add to the same voxels, so each thread has its own sums.
        total = sum_blocks(
            work,
            n_views * n_columns,
            Bordered(self._shape, self._dtype),
            threads=self._on.threads,
            on_progress=self._tick,
        )
        return contiguous(total.transpose(2, 0, 1), self._on.threads, self._dtype)

    def _spread(self, start: int, stop: int, values: Array, sums: Array, *, upright: bool) -> None:
        """Apply the transpose of `_integrate`."""
        from engine.kernels.cone import joseph, joseph_upright

        scene = (self._scene.rays, self._voxel_mm, self._shape, values)
        if upright:
            row = np.zeros(self._scene.seen[1] + 2 * MARGIN, np.float32)
            joseph_upright.back_upright(start, stop, *scene, self._blend(), row, sums)
        else:
            joseph.back(start, stop, *scene, sums)

    def bordered(self, n_views: int | None = None) -> Array:
        """Return memory for projections in the layout of `back_bordered`, all zero, with a border.

        Parameters
        ----------
        n_views
            number of views; None: all
        """
        n_all, n_rows, n_columns = self._scene.seen
        n_views, rows, columns = n_views or n_all, n_rows + 2, n_columns + 2
        shape = (n_views, rows, columns) if self._is_along_x else (n_views, columns, rows)
        return aligned_zeros(shape)

    def keep(self, y: Array, bordered: Array, first: int = 0, first_row: int = 0) -> None:
        """Copy projections into memory from `bordered`.

        Parameters
        ----------
        y
            (n, n_some, n_columns)
        bordered
            memory from `bordered`
        first
            first view
        first_row
            first row
        """
        rows = slice(first_row + 1, first_row + 1 + y.shape[1])
        views = bordered[first : first + len(y)]
        if self._is_along_x:
            copy_planes(y, views[:, rows, 1:-1], self._on.threads)
        else:
            copy_planes(y.transpose(0, 2, 1), views[:, 1:-1, rows], self._on.threads)

    def back_bordered(self, bordered: Array, box: VolumeBox) -> Array:
        """Return the voxel-driven back projection with 1/τ² of a box.

        Parameters
        ----------
        bordered
            projections, stored by `keep`
        box
            voxels to compute
        """
        sums = self.no_sums(box)
        self.add_bordered(bordered, range(len(bordered)), box, sums)
        return contiguous(self.volume_of(sums), self._on.threads)

    def no_sums(self, box: VolumeBox) -> Array:
        """Return zeros for the voxels of a box, in the layout of the kernel."""
        n_z, n_y, n_x = box.shape
        return np.zeros(box.shape if self._is_along_x else (n_y, n_x, n_z), np.float32)

    def volume_of(self, sums: Array) -> Array:
        """Return a view of the sums as (n_z, n_y, n_x)."""
        return sums if self._is_along_x else sums.transpose(2, 0, 1)

    def add_bordered(self, bordered: Array, views: range, box: VolumeBox, sums: Array) -> None:
        """Add the back projection of stored views to the sums of a box.

        A voxel adds its views in sequence: the bits do not depend on how many views are stored at a
        time.

        Parameters
        ----------
        bordered
            projections, stored by `keep`
        views
            numbers of these views in the scan
        box
            voxels to compute
        sums
            from `no_sums`
        """
        lines = self._lines(views)

        def work(_: int, start: int, stop: int) -> None:
            self._gather(start, stop, lines, bordered, box.corner, sums)

        n_z, n_y, n_x = box.shape
        if self._kernel == "upright":
            self._share(work, n_y * n_x, COLUMNS)
        elif self._kernel == "few slices":
            self._share(work, n_y, self._slices.LINES)
        else:
            self._share(work, n_z * n_y, LINES)

    @cached_property
    def _kernel(self) -> _Kernel:
        scene = self._scene
        if scene.rows_match_slices:
            return "parallel"
        if not scene.geometry.is_upright:
            return "strips"
        if scene.grid.shape[0] > FEW_SLICES:
            return "upright"
        return (
            "few slices" if self._slices.share_rows(scene.matrices, scene.grid.shape) else "strips"
        )

    @property
    def _is_along_x(self) -> bool:
        """True if lines of voxels run along x, like detector rows, and not along z."""
        return self._kernel != "upright"

    def _lines(self, views: range) -> Array:
        """Return the matrices from voxels to the detector, in the layout of the kernel."""
        matrices = self._scene.matrices[views.start : views.stop]
        if self._kernel == "upright":
            return cone_back.by_entry(matrices)
        return matrices if self._kernel == "parallel" else self._strips.strip_entries(matrices)

    def _gather(
        self, start: int, stop: int, matrices: Array, bordered: Array, corner: Three, out: Array
    ) -> None:
        """Back-project views onto some lines of voxels; `matrices` : see `_lines`."""
        lines = (start, stop, matrices, _y_x_z(corner))
        n_views, n_rows, n_columns = bordered.shape
        if self._kernel == "parallel":
            # positions along x are counted from the middle of the whole volume: a box has the
            # same bits
            middle, projections = self._shape[1] // 2, bordered.reshape(n_views, -1)
            parallel(*lines, middle, projections, n_columns, level_buffers(n_columns), out)
        elif self._kernel == "few slices":
            buffers = self._slices.slice_buffers(len(out), n_rows)
            self._slices.few_slices(*lines, bordered, buffers, out)
        elif self._kernel == "strips":
            self._strips.along_x(*lines, bordered, self._strips.strip_buffers(), out)
        else:
            # one for each call, because threads must not share it
            buffers = cone_back.upright_buffers(bordered.shape[2], self._form.tile)
            box = (matrices, _y_x_z(corner), bordered)
            cone_back.upright(start, stop, self._form.tile, *box, buffers, out)

    def _share(self, work: Callable[[int, int, int], None], n: int, smallest: int) -> None:
        threads = self._form.workers(self._on.threads)
        run_blocks(work, n, threads, self._tick, rows=self._form.rows, smallest=smallest)

    @cached_property
    def _form(self) -> BackForm:
        # read on first use: the provenance lists only variants of kernels that ran
        return self._given or chosen(self._on, self.slot, BackForm())

    @property
    def slot(self) -> Slot:
        """Key under which tuned variants of `back` are stored."""
        grid, n_rows = self._scene.grid, self._scene.seen[1]
        if self._is_along_x:
            shape = f"{self._kernel}, {edge_class(grid.n_voxels)}, {power_class(n_rows)} rows"
            return Slot("cone_back", shape)
        return back_slot(True, grid.n_voxels, n_rows)

    def _blend(self) -> Array:
        return np.zeros(self._shape[2] + 3 + 2 * MARGIN, np.float32)


def _y_x_z(corner: tuple[int, int, int]) -> tuple[int, int, int]:
    z, y, x = corner
    return y, x, z
