"""Joseph's exact adjoint on a GPU by gathering: each voxel reads the rays around it.

The kernels are in joseph_gather.cu. If about one ray crosses a voxel, gathering takes less than
half of the clock cycles of scattering ray by ray (`isocenter bench kernels --counted`). For pixels
twice as wide as voxels both are equally fast, and for wider pixels scattering is faster. Few slices
leave lanes idle. `fitting` chooses the method.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.core.backend.gpu import Array, Gpu
from engine.core.profiling import Profiler
from engine.kernels.cone.device_joseph import Lines, Three, parts
from engine.kernels.cone.joseph_variants import (
    MAX_TAPS,
    MAX_VOXELS,
    VIEW_BYTES,
    WARP,
    GatherVariant,
)

UPDATES_PER_LAUNCH = 2**32
"""Maximum voxels times views of a launch: below 0.2 s, or a driver resets the screen."""
MIN_SLICES = 24
LOWEST_ROWS = 0.5
"""Minimum slices, and detector rows per voxel, for which gathering is faster."""
_SLACK = 4e-3  # rows; kernels also read taps just outside the range
_COST_OF_COLUMN, _COST_OF_VOXEL = 150, 60
"""Counted issue slots of a warp for a view: constant part, and part for each voxel of a thread."""


class JosephGather:
    """Compiled kernels of one variant, and their launches."""

    def __init__(self, gpu: Gpu, variant: GatherVariant, profiler: Profiler) -> None:
        self.gpu, self.variant = gpu, variant
        module = gpu.load(variant.source(), variant.options)
        self._views = module.constant("views")
        self._weigh, self._gather = module.function("weigh"), module.function("gather")
        resources = self._gather.resources(variant.n_threads)
        profiler.kernel("joseph back", resources, variant.n_threads)

    def transposed(
        self, values: Array, lines: Lines, out: Array,
        *, corner: Three = (0, 0, 0), accumulate: bool = False,
    ) -> None:  # fmt: skip
        """Queue the transpose of `Joseph.forward` from memory.

        Parameters
        ----------
        values
            (n_views, n_rows, n_columns)
        lines
            rays of the views, of a kind that `fitting` accepts
        out
            (n_z, n_y, n_x) box of the whole volume
        corner
            first voxel (z, y, x) of the box
        accumulate
            add to `out` instead of overwriting it
        """
        v, (z, y, x), (n_rows, n_columns) = self.variant, out.shape, lines.shape
        first = [c + 0.5 - m for c, m in zip(reversed(corner), lines.middle, strict=True)]
        box = (np.int32(x), np.int32(y), np.int32(z), *map(np.float32, first))
        detector, voxel = (np.int32(n_columns), np.int32(n_rows)), map(np.float32, lines.voxel_mm)
        weighing = (*voxel, *detector)
        blocks = (-(-x // v.side), y, -(-z // (v.voxels_per_thread * WARP)))
        n_at_once = max(1, min(v.views_per_launch, UPDATES_PER_LAUNCH // (x * y * z)))
        n_high = n_rows + 2 * v.taps
        buffer = self.gpu.empty((min(n_at_once, lines.n_views), n_columns, n_high), np.float32)
        for views in parts(lines.n_views, n_at_once):
            part = slice(views.start, views.stop)
            memory = lines.memory[part].reshape(-1)
            self.gpu.copy(memory, self._views[: len(views) * VIEW_BYTES])
            pixels = (-(-n_columns // WARP), -(-n_high // v.side), len(views))
            self._weigh(pixels, (WARP, v.side, 1), values[part], *weighing, buffer)
            more = (np.int32(len(views)), np.int32(accumulate or views.start > 0))
            self._gather(blocks, (WARP, v.side, 1), buffer, *box, *detector, *more, out)

    def work_bytes(self, lines: Lines) -> int:
        """Return the maximum memory that `transposed` needs in addition to its arrays.

        Parameters
        ----------
        lines
            rays of the views
        """
        n_rows, n_columns = lines.shape
        n_views = min(self.variant.views_per_launch, lines.n_views)
        return 4 * n_views * n_columns * (n_rows + 2 * self.variant.taps)


def fitting(
    rays: NDArray[np.float64], detector: tuple[int, int], shape: Three
) -> GatherVariant | None:
    """Return the variant that gathers the rays of a scan, if gathering is faster.

    Parameters
    ----------
    rays
        (n_views, 6, 3) as in `engine.kernels.cone.joseph` [voxels]
    detector
        (n_rows, n_columns)
    shape
        (n_z, n_y, n_x) of the volume

    Returns
    -------
    the variant; None if gathering is slower, detector columns do not run along z, a ray is steep,
    or a source is too close
    """
    if shape[0] < MIN_SLICES or not _are_flat(rays, detector):
        return None
    low, high = rows_of_voxels(rays, shape)
    taps = math.floor(2 * high + _SLACK) + 1 if math.isfinite(high) else MAX_TAPS + 1
    if low + high < 2 * LOWEST_ROWS or taps > MAX_TAPS:
        return None
    return GatherVariant(max(taps, 2), _voxels_of_thread(shape[0]))


def _voxels_of_thread(n_slices: int) -> int:
    """Return the number of voxels of a thread with the lowest cost, which leaves few lanes idle."""

    def cost(n: int) -> int:
        return -(-n_slices // (WARP * n)) * (_COST_OF_COLUMN + _COST_OF_VOXEL * n)

    return min(range(1, MAX_VOXELS + 1), key=cost)


def _are_flat(rays: NDArray[np.float64], detector: tuple[int, int]) -> bool:
    """Return True if detector columns run along z and no ray is steeper than 45°."""
    n_rows, n_columns = detector
    # In a cone beam the direction changes with the row, in a parallel beam the start does.
    row = rays[:, 2] + rays[:, 5]
    if np.abs(row[:, :2]).max() * n_rows > 1e-6 * np.abs(row[:, 2]).min():
        return False
    columns = np.arange(n_columns)[:, None]
    for at in (0, n_rows - 1):  # z is linear in between
        along = np.abs((rays[:, 3] + at * rays[:, 5])[:, None] + columns * rays[:, None, 4])
        if (along[..., 2] > 0.99 * along[..., :2].max(axis=-1)).any():
            return False
    return True


def rows_of_voxels(rays: NDArray[np.float64], shape: Three) -> tuple[float, float]:
    """Return the minimum and maximum height of voxels in rows of upright detectors.

    Parameters
    ----------
    rays
        as for `fitting`
    shape
        as for `fitting`

    Returns
    -------
    (0, inf) if a source is inside the volume
    """
    start, _, start_row, along, along_column, along_row = rays.transpose(1, 0, 2)
    if (start_row != 0).any():  # parallel
        heights = 1 / np.abs(start_row[:, 2])
        return float(heights.min()), float(heights.max())
    # Plane through the source, parallel to the detector: the distance of a point from it gives its
    # magnification.
    normal = np.stack([along_column[:, 1], -along_column[:, 0]], axis=1)
    far = np.einsum("vi,vi->v", along[:, :2], normal)
    _, n_y, n_x = shape
    corners = np.array([(x, y) for y in (0.0, n_y) for x in (0.0, n_x)])
    near = np.einsum("vci,vi->vc", corners - start[:, None, :2], normal) * np.sign(far)[:, None]
    if near.min() <= 0:
        return 0.0, math.inf
    heights = np.abs(far / along_row[:, 2])[:, None] / near
    return float(heights.min()), float(heights.max())
