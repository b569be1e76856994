"""Joseph's exact adjoint on a GPU by gathering: each voxel reads the rays about it.

The kernels are in joseph_gather.cu. Counted against adding by rays, where a voxel meets about one
ray: under half of the clocks (`isocenter bench kernels --counted`). Adding by rays is as fast where
pixels are twice as wide as voxels, and faster from there on; few slices leave lanes idle. So
`fitting` says where to gather.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.core.backend.gpu import Array, Gpu
from engine.core.profiling import Profiler
from engine.kernels.cone.device_joseph import Lines, Three, parts
from engine.kernels.cone.joseph_variants import (
    MOST_TAPS,
    MOST_VOXELS,
    VIEW_BYTES,
    WARP,
    GatherVariant,
)

UPDATES_PER_LAUNCH = 2**32
"""Voxels times views of a launch at most: below 0.2 s, or a driver resets the screen."""
FEWEST_SLICES = 24
LOWEST_ROWS = 0.5
"""Slices, and rows of the detector to a voxel, from which gathering is counted to be faster."""
_SLACK = 4e-3  # rows; kernels take taps that are just out of reach
_COST_OF_COLUMN, _COST_OF_VOXEL = 150, 60
"""Issue slots of a warp for a view: once, and for each voxel of a thread; counted."""


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
        """Queue the transpose of `Joseph.forward` from memory, to `out` or added to it.

        values : (n_views, n_rows, n_columns)
        lines : their rays, of the kind that `fitting` asks for
        out : (n_z, n_y, n_x) a box of the whole volume, with `corner` (z, y, x) its first voxel
        """
        v, (z, y, x), (n_rows, n_columns) = self.variant, out.shape, lines.shape
        first = [c + 0.5 - m for c, m in zip(reversed(corner), lines.middle, strict=True)]
        box = (np.int32(x), np.int32(y), np.int32(z), *map(np.float32, first))
        detector, voxel = (np.int32(n_columns), np.int32(n_rows)), map(np.float32, lines.voxel_mm)
        weighing = (*voxel, *detector)
        blocks = (-(-x // v.side), y, -(-z // (v.voxels_per_thread * WARP)))
        n_at_once = max(1, min(v.views_per_launch, UPDATES_PER_LAUNCH // (x * y * z)))
        n_high = n_rows + 2 * v.taps
        room = self.gpu.empty((min(n_at_once, lines.n_views), n_columns, n_high), np.float32)
        for views in parts(lines.n_views, n_at_once):
            part = slice(views.start, views.stop)
            memory = lines.memory[part].reshape(-1)
            self.gpu.copy(memory, self._views[: len(views) * VIEW_BYTES])
            pixels = (-(-n_columns // WARP), -(-n_high // v.side), len(views))
            self._weigh(pixels, (WARP, v.side, 1), values[part], *weighing, room)
            more = (np.int32(len(views)), np.int32(accumulate or views.start > 0))
            self._gather(blocks, (WARP, v.side, 1), room, *box, *detector, *more, out)

    def work_bytes(self, lines: Lines) -> int:
        """Memory that `transposed` takes besides its arrays, at most."""
        n_rows, n_columns = lines.shape
        n_views = min(self.variant.views_per_launch, lines.n_views)
        return 4 * n_views * n_columns * (n_rows + 2 * self.variant.taps)


def fitting(
    rays: NDArray[np.float64], detector: tuple[int, int], shape: Three
) -> GatherVariant | None:
    """Return the form that gathers what the rays of a scan give to a volume, where that is better.

    None where it is not, or where detectors do not stand upright, a ray is steep, or a source is
    too near.

    Parameters
    ----------
    rays
        (n_views, 6, 3) as `engine.kernels.cone.joseph` has them [voxels]
    detector
        (n_rows, n_columns)
    shape
        (n_z, n_y, n_x) of the volume
    """
    if shape[0] < FEWEST_SLICES or not _are_flat(rays, detector):
        return None
    low, high = rows_of_voxels(rays, shape)
    taps = math.floor(2 * high + _SLACK) + 1 if math.isfinite(high) else MOST_TAPS + 1
    if low + high < 2 * LOWEST_ROWS or taps > MOST_TAPS:
        return None
    return GatherVariant(max(taps, 2), _voxels_of_thread(shape[0]))


def _voxels_of_thread(n_slices: int) -> int:
    """Share the work of a column among many voxels, but leave few lanes idle."""

    def cost(n: int) -> int:
        return -(-n_slices // (WARP * n)) * (_COST_OF_COLUMN + _COST_OF_VOXEL * n)

    return min(range(1, MOST_VOXELS + 1), key=cost)


def _are_flat(rays: NDArray[np.float64], detector: tuple[int, int]) -> bool:
    """Whether columns run along z and no ray climbs as much as it runs across."""
    n_rows, n_columns = detector
    # of a cone the directions move with the row, of parallel rays the starts
    row = rays[:, 2] + rays[:, 5]
    if np.abs(row[:, :2]).max() * n_rows > 1e-6 * np.abs(row[:, 2]).min():
        return False
    columns = np.arange(n_columns)[:, None]
    for at in (0, n_rows - 1):  # between them z changes evenly
        along = np.abs((rays[:, 3] + at * rays[:, 5])[:, None] + columns * rays[:, None, 4])
        if (along[..., 2] > 0.99 * along[..., :2].max(axis=-1)).any():
            return False
    return True


def rows_of_voxels(rays: NDArray[np.float64], shape: Three) -> tuple[float, float]:
    """Fewest and most rows of upright detectors that voxels are high.

    It is (0, inf) with a source inside.

    rays, shape : see `fitting`
    """
    start, _, start_row, along, along_column, along_row = rays.transpose(1, 0, 2)
    if (start_row != 0).any():  # parallel
        heights = 1 / np.abs(start_row[:, 2])
        return float(heights.min()), float(heights.max())
    # the plane through the source that the detector is parallel to: how far away from it a point
    # is tells how much larger it is seen
    normal = np.stack([along_column[:, 1], -along_column[:, 0]], axis=1)
    far = np.einsum("vi,vi->v", along[:, :2], normal)
    _, n_y, n_x = shape
    corners = np.array([(x, y) for y in (0.0, n_y) for x in (0.0, n_x)])
    near = np.einsum("vci,vi->vc", corners - start[:, None, :2], normal) * np.sign(far)[:, None]
    if near.min() <= 0:
        return 0.0, math.inf
    heights = np.abs(far / along_row[:, 2])[:, None] / near
    return float(heights.min()), float(heights.max())
