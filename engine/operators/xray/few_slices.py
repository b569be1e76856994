"""X-ray line integrals through few slices on the CPU, and their exact adjoint."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.kernels.blocks import OnProgress, run_blocks
from engine.kernels.cone import joseph_few_slices as ahead
from engine.kernels.cone import joseph_few_slices_back as back
from engine.operators.xray.scene import Scene


class FewSlices:
    """Line integrals of a scene with few slices; see `engine.kernels.cone.joseph_few_slices`."""

    def __init__(self, scene: Scene, *, on: Backend, on_progress: OnProgress | None) -> None:
        self._scene, self._on, self._tick = scene, on, on_progress
        self._voxel_mm = np.array(scene.grid.voxel_mm, np.float64)

    def forward(self, x: Array) -> Array:
        """Return the line integrals (n_views, n_rows, n_columns) of a volume (n_z, n_y, n_x)."""
        out, images = np.empty(self._scene.seen, np.float32), ahead.layered(x)

        def work(_: int, start: int, stop: int) -> None:
            ahead.forward(start, stop, *self._rays, images, out)

        run_blocks(work, len(self._runs), self._on.threads, self._tick, smallest=1)
        return out

    def transposed(self, y: Array) -> Array:
        """Return the exact transpose of `forward`, (n_z, n_y, n_x)."""
        shape, n_columns = self._scene.grid.shape, self._scene.seen[2]
        # A copy: the caller's projections must not change.
        values, sums = np.array(y, np.float32, order="C"), back.layered_sums(shape)
        firsts = np.searchsorted(self._runs[:, 0], (0, 1, 2))

        def weight(_: int, start: int, stop: int) -> None:
            back.times_length(start, stop, *self._rays, values)

        def work(_: int, start: int, stop: int) -> None:
            buffers = back.adjoint_buffers(shape[0], n_columns)
            runs = self._runs, firsts, self._scene.rays
            back.back(start, stop, *runs, values, buffers, sums, shape)

        run_blocks(weight, len(self._runs), self._on.threads, smallest=1)
        run_blocks(work, back.n_blocks(shape), self._on.threads, self._tick, smallest=1)
        return back.volume_of(sums, shape)

    def compile(self, *, transposed: bool) -> None:
        """Compile the kernels of one direction, by calls without rays."""
        one, buffers = np.zeros((1, 1, 1), np.float32), back.adjoint_buffers(1, 1)
        if not transposed:
            ahead.forward(0, 0, *self._rays, ahead.layered(one), one)
            return
        back.times_length(0, 0, *self._rays, one)
        firsts, sums = np.zeros(3, np.int64), back.layered_sums((1, 1, 1))
        back.back(0, 0, self._runs, firsts, self._scene.rays, one, buffers, sums, (1, 1, 1))

    @cached_property
    def _runs(self) -> Array:
        return ahead.column_runs(self._scene.rays, self._scene.seen[2])

    @property
    def _rays(self) -> tuple[Array, Array, Array]:
        return self._runs, self._scene.rays, self._voxel_mm
