"""X-ray line integrals and back projections by the CPU, from and to arrays of the host."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.profiling import Profiler
from engine.kernels.blocks import Bordered, OnProgress, run_blocks, sum_blocks
from engine.kernels.cone import cone_back, joseph, joseph_upright
from engine.kernels.host_variants import BackForm
from engine.kernels.parallel_back import level_buffers, parallel
from engine.kernels.stored_variants import Slot, chosen, edge_class, power_class
from engine.kernels.tuning import back_slot
from engine.kernels.vectors.window import MARGIN
from engine.operators.xray.scene import Scene, Three, VolumeBox, Way

THIN = 8
"""Slices up to which a volume is projected back along x, not along z."""
FEW_ROWS = 8
"""Rows of a detector up to which each ray goes its own way: twelve times as fast for one row."""
LINES, COLUMNS = 8, 256
"""Lines of voxels worth a call, along x and along z."""


class HostXray:
    """The projectors of a scene; see `engine.operators.xray.transform`.

    Kernels want volumes as [y, x, z] and projections as [view, column, row]: columns of voxels and
    of pixels are what upright scans share.

    form : how back projection is cut up; None: as tuned on this machine, or as shipped
    """

    def __init__(
        self,
        scene: Scene,
        *,
        on: Backend,
        on_progress: OnProgress | None,
        profiler: Profiler,
        form: BackForm | None = None,
    ) -> None:
        self._scene, self._on, self._tick = scene, on, on_progress
        self._given = form
        self._profiler, self._n_rays = profiler, math.prod(scene.seen)
        # few rows do not repay the blending of columns
        shares_columns = scene.geometry.is_upright and scene.geometry.shape[0] > FEW_ROWS
        self._is_upright = shares_columns and not scene.is_steep
        z, y, x = scene.grid.shape
        self._shape = (y, x, z)
        self._voxel_mm = np.array(scene.grid.voxel_mm, np.float64)

    def forward(self, x: Array) -> Array:
        """Line integrals of the volume (n_z, n_y, n_x): (n_views, n_rows, n_columns)."""
        with self._profiler.span("forward", events=self._n_rays, unit="rays"):
            return self._forward(x)

    def transposed(self, y: Array) -> Array:
        """The transpose of `forward`: (n_z, n_y, n_x)."""
        with self._profiler.span("back", events=self._n_rays, unit="rays"):
            return self._transposed(y)

    def back(self, y: Array, box: VolumeBox, *, as_adjoint: bool) -> Array:
        """Voxel-driven back projection with 1/τ² of a box; `as_adjoint` : weighted to be one."""
        n_updates = box.n_voxels * len(y)
        with self._profiler.span("back", events=n_updates, unit="voxel updates"):
            if as_adjoint:
                y = y * self._scene.adjoint_weights(range(len(y)))
            bordered = self.bordered(len(y))
            self.keep(y, bordered)
            return self.back_bordered(bordered, box)

    def compile(self, direction: Way) -> None:
        """Have the kernel of `forward`, `transposed` or `back` compiled, by a call over no line."""
        one = np.zeros((1, 1, 1), np.float32)
        if direction == "forward":
            self._integrate(0, 0, one.ravel(), one)
        elif direction == "transposed":
            self._spread(0, 0, one, one.ravel())
        else:
            self._gather(0, 0, self._lines(range(1)), one, (0, 0, 0), one)

    def _forward(self, x: Array) -> Array:
        # a border of zeros, so that taps beside the volume need no test; z fastest, see `joseph`
        image = np.zeros([n + 2 for n in self._shape], np.float32)
        image[1:-1, 1:-1, 1:-1] = x.transpose(1, 2, 0)
        n_views, n_rows, n_columns = self._scene.seen
        out = np.empty((n_views, n_columns, n_rows), np.float32)
        flat = image.ravel()

        def work(_: int, start: int, stop: int) -> None:
            self._integrate(start, stop, flat, out)

        run_blocks(work, n_views * n_columns, self._on.threads, self._tick)
        return np.ascontiguousarray(out.transpose(0, 2, 1))

    def _integrate(self, start: int, stop: int, image: Array, out: Array) -> None:
        """Line integrals of some columns of all views together."""
        scene = (self._scene.rays, self._voxel_mm, self._shape, image)
        if self._is_upright:
            joseph_upright.forward_upright(start, stop, *scene, self._blend(), out)
        else:
            joseph.forward(start, stop, *scene, out)

    def _transposed(self, y: Array) -> Array:
        n_views, _, n_columns = self._scene.seen
        # rows fastest: a column of pixels is what a thread works on
        values = np.ascontiguousarray(y.transpose(0, 2, 1), np.float32)

        def work(sums: Array, start: int, stop: int) -> None:
            self._spread(start, stop, values, sums)

        total = sum_blocks(
            work,
            n_views * n_columns,
            Bordered(self._shape, np.float32),
            threads=self._on.threads,
            on_progress=self._tick,
        )
        return np.ascontiguousarray(total.transpose(2, 0, 1))

    def _spread(self, start: int, stop: int, values: Array, sums: Array) -> None:
        """The transpose of `_integrate`."""
        scene = (self._scene.rays, self._voxel_mm, self._shape, values)
        if self._is_upright:
            row = np.zeros(self._scene.seen[1] + 2 * MARGIN, np.float32)
            joseph_upright.back_upright(start, stop, *scene, self._blend(), row, sums)
        else:
            joseph.back(start, stop, *scene, sums)

    def bordered(self, n_views: int | None = None) -> Array:
        """Return room for projections as `back_bordered` reads them, all zero, with a border."""
        n_all, n_rows, n_columns = self._scene.seen
        n_views, rows, columns = n_views or n_all, n_rows + 2, n_columns + 2
        shape = (n_views, rows, columns) if self._is_along_x else (n_views, columns, rows)
        return np.zeros(shape, np.float32)

    def keep(self, y: Array, bordered: Array, first: int = 0, first_row: int = 0) -> None:
        """Replace some rows of projections from view `first` on by (n, n_some, n_columns)."""
        rows = slice(first_row + 1, first_row + 1 + y.shape[1])
        if self._is_along_x:
            bordered[first : first + len(y), rows, 1:-1] = y
        else:
            bordered[first : first + len(y), 1:-1, rows] = y.transpose(0, 2, 1)

    def back_bordered(self, bordered: Array, box: VolumeBox) -> Array:
        """Voxel-driven back projection with 1/τ² of a box."""
        sums = self.no_sums(box)
        self.add_bordered(bordered, range(len(bordered)), box, sums)
        return np.ascontiguousarray(self.volume_of(sums))

    def no_sums(self, box: VolumeBox) -> Array:
        """Return zeros for the voxels of a box, in the order in which the kernel adds to them."""
        n_z, n_y, n_x = box.shape
        return np.zeros(box.shape if self._is_along_x else (n_y, n_x, n_z), np.float32)

    def volume_of(self, sums: Array) -> Array:
        """Return a look at the sums as (n_z, n_y, n_x)."""
        return sums if self._is_along_x else sums.transpose(2, 0, 1)

    def add_bordered(self, bordered: Array, views: range, box: VolumeBox, sums: Array) -> None:
        """Add the views whose projections are kept to the sums of a box.

        A voxel takes its views one after the other: however many are kept at a time, the sums have
        the same bits.
        """
        lines = self._lines(views)

        def work(_: int, start: int, stop: int) -> None:
            self._gather(start, stop, lines, bordered, box.corner, sums)

        n_z, n_y, n_x = box.shape
        if self._is_along_x:
            self._share(work, n_z * n_y, LINES)
        else:
            self._share(work, n_y * n_x, COLUMNS)

    @property
    def _is_along_x(self) -> bool:
        """Whether lines of voxels run along x, as rows of the detector do, and not along z."""
        return self._scene.grid.shape[0] <= THIN or self._scene.sees_slices_by_rows

    def _lines(self, views: range) -> Array:
        """Return what takes voxels to the detector in some views, as the kernel reads it."""
        matrices = self._scene.matrices[views.start : views.stop]
        if self._is_along_x or not self._scene.geometry.is_upright:
            return matrices
        return cone_back.by_entry(matrices)

    def _gather(
        self, start: int, stop: int, matrices: Array, bordered: Array, corner: Three, out: Array
    ) -> None:
        """Project views back onto some lines of voxels of a box; `matrices` : see `_lines`."""
        lines = (start, stop, matrices, _y_x_z(corner))
        if self._is_along_x:
            n_views, _, width = bordered.shape
            # places along x are counted from the middle of the whole volume: float32 keeps most
            # digits there, and a box has the bits of the whole
            middle, projections = self._shape[1] // 2, bordered.reshape(n_views, -1)
            if self._scene.sees_slices_by_rows:
                parallel(*lines, middle, projections, width, level_buffers(width), out)
            else:
                row = np.zeros(width, np.float32)
                cone_back.thin(*lines, middle, projections, width, row, out)
        elif self._scene.geometry.is_upright:
            # for each call, since threads must not share it
            room = cone_back.upright_buffers(bordered.shape[2], self._form.tile)
            box = (matrices, _y_x_z(corner), bordered)
            cone_back.upright(start, stop, self._form.tile, *box, room, out)
        else:
            cone_back.general(*lines, bordered, out)

    def _share(self, work: Callable[[int, int, int], None], n: int, smallest: int) -> None:
        threads = self._form.workers(self._on.threads)
        run_blocks(work, n, threads, self._tick, rows=self._form.rows, smallest=smallest)

    @cached_property
    def _form(self) -> BackForm:
        # read when first used: the provenance names forms of kernels that ran, and no others
        return self._given or chosen(self._on, self.slot, BackForm())

    @property
    def slot(self) -> Slot:
        """What a tuned form of `back` is for."""
        grid, n_rows = self._scene.grid, self._scene.seen[1]
        if self._is_along_x:
            direction = "parallel" if self._scene.sees_slices_by_rows else "thin"
            shape = f"{direction}, {edge_class(grid.n_voxels)}, {power_class(n_rows)} rows"
            return Slot("cone_back", shape)
        return back_slot(self._scene.geometry.is_upright, grid.n_voxels, n_rows)

    def _blend(self) -> Array:
        return np.zeros(self._shape[2] + 3 + 2 * MARGIN, np.float32)


def _y_x_z(corner: tuple[int, int, int]) -> tuple[int, int, int]:
    z, y, x = corner
    return y, x, z
