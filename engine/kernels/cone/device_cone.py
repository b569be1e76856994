"""Voxel-driven back projection on a GPU: one compiled variant and its launches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array as HostArray
from engine.core.backend.gpu import Array, Gpu, Texture
from engine.core.profiling import Profiler
from engine.kernels.compiled import Arguments
from engine.kernels.cone.cone_variants import GATHER_BLOCK, BackVariant, Shape

UPDATES_PER_LAUNCH = 2**32
"""Maximum voxels times views of a launch: well below 0.2 s, or a driver resets the screen."""
_MAX_GRID = 65535
"""Maximum blocks along the third axis of a launch."""


@dataclass(frozen=True)
class BackViews:
    """Views on the device in the kernel's layout, for one volume and one detector.

    Attributes
    ----------
    rows : (n_views, 48) bytes of M in float32, from points relative to the centre of the volume
        [voxels] to points relative to the centre of the detector [pixels]
    volume : (n_z, n_y, n_x)
    detector : (n_rows, n_columns)
    """

    rows: Array
    volume: Shape
    detector: tuple[int, int]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, some: slice) -> BackViews:
        """Return a range of views."""
        return BackViews(self.rows[some], self.volume, self.detector)


def back_rows(matrices: HostArray, volume: Shape, detector: tuple[int, int]) -> NDArray[np.float32]:
    """Return M (n_views, 3, 4) relative to the centres of volume and detector.

    Parameters
    ----------
    matrices
        (n_views, 3, 4) from voxels of the lower corner to pixels of the detector's corner
    volume
        (n_z, n_y, n_x)
    detector
        (n_rows, n_columns)
    """
    n_z, n_y, n_x = volume
    n_rows, n_columns = detector
    # Relative to the centres, in float64, before the conversion to float32: relative to the
    # corners, large products would leave float32 no fractions of a pixel.
    moved = np.array(matrices, np.float64)
    moved[:, :, 3] += moved[:, :, :3] @ (np.array([n_x, n_y, n_z]) / 2)
    moved[:, 0] -= n_columns / 2 * moved[:, 2]
    moved[:, 1] -= n_rows / 2 * moved[:, 2]
    return moved.astype(np.float32)


class ConeBack:
    """Back projection of one variant; a call queues launches without waiting."""

    def __init__(self, gpu: Gpu, variant: BackVariant, profiler: Profiler) -> None:
        self.gpu, self.variant = gpu, variant
        module = gpu.load(variant.source(), variant.options)
        self._back, self._gather = module.function("back"), module.function("gather")
        self._constant = module.constant("views")
        self._parts: dict[int, Array] = {}
        resources = self._back.resources(variant.n_threads)
        profiler.kernel("back", resources, variant.n_threads)

    def views(self, matrices: HostArray, volume: Shape, detector: tuple[int, int]) -> BackViews:
        """Copy views to the device.

        Parameters
        ----------
        matrices
            (n_views, 3, 4) from `XrayGeometry.in_voxels`
        volume
            (n_z, n_y, n_x) of the volume
        detector
            (n_rows, n_columns)
        """
        rows = back_rows(matrices, volume, detector).reshape(len(matrices), -1)
        return BackViews(self.gpu.upload(rows.view(np.uint8)), volume, detector)

    def back(
        self,
        projections: Texture | Array,
        views: BackViews,
        out: Array,
        *,
        corner: Shape = (0, 0, 0),
        first: int = 0,
        accumulate: bool = False,
    ) -> None:
        """Queue the back projection of some views into a box of the volume.

        Parameters
        ----------
        projections
            texture of the variant's kind, or for "memory" a device array in the variant's order
        views
            their matrices
        out
            float32, axes in the variant's order; its values do not depend on the box
        corner
            voxel (z, y, x) of the volume at the first voxel of `out`
        first
            number of the first view within the projections
        accumulate
            add to `out` instead of overwriting it

        Raises
        ------
        ValueError
            projections of another kind, detector size or number of views
        """
        projections, *detector = self._detector(projections, views, first)
        box, n_at_once = self._box(views, out, corner), self.variant.views_per_launch
        sums, is_sum = self._sums(out), accumulate and self.variant.split == 1
        if len(views) == 0 and not accumulate:
            self.gpu.zero(out)
        for start in range(0, len(views), n_at_once):
            some = views[start : start + n_at_once]
            # Views are in constant memory, because all threads of a warp read the same view.
            rows = some.rows.reshape(-1)
            self.gpu.copy(rows, self._constant[: rows.size])
            seen = np.int32(first + start), *detector, np.int32(len(some))
            for grid, first_run in self._launches(out, len(some)):
                where = np.int32(first_run), np.int32(is_sum), sums
                self._back(grid, self.variant.block, projections, *seen, *box, *where)
            # Later launches of the same box add to the sums of the first one.
            is_sum = True
        if self.variant.split > 1 and len(views):
            grid = -(-out.size // GATHER_BLOCK)
            self._gather(grid, GATHER_BLOCK, sums, np.int64(out.size), np.int32(accumulate), out)

    def _sums(self, out: Array) -> Array:
        """Return the array that blocks add to; one box for each block that shares views."""
        if self.variant.split == 1:
            return out
        n = self.variant.split * out.size
        if n not in self._parts:  # recorded graphs still use the array of a smaller box
            self._parts[n] = self.gpu.empty((n,), np.float32)
        return self._parts[n]

    def _detector(self, projections: Texture | Array, views: BackViews, first: int) -> Arguments:
        """Return the arguments: the projections and their numbers of views, rows and columns."""
        order, kind = self.variant.projections, getattr(projections, "kind", "memory")
        n = dict(zip(order, projections.shape, strict=True))
        if (
            kind != self.variant.texture
            or (n["r"], n["c"]) != views.detector
            or n["v"] < first + len(views)
        ):
            raise ValueError(
                f"got projections of kind {kind!r} and shape {tuple(projections.shape)} with the "
                f"axes {order!r}, expected kind {self.variant.texture!r} with at least "
                f"{first + len(views)} views of {views.detector} pixels (rows, columns)."
            )
        argument = projections if kind == "memory" else projections.argument
        return argument, np.int32(n["v"]), np.int32(n["r"]), np.int32(n["c"])

    def _box(self, views: BackViews, out: Array, corner: Shape) -> Arguments:
        """Return the arguments of the box: its first voxel relative to the volume, and its size."""
        n = dict(zip(self.variant.volume, out.shape, strict=True))
        at = [i + 0.5 - size / 2 for i, size in zip(corner, views.volume, strict=True)]
        return *map(np.float32, reversed(at)), *(np.int32(n[axis]) for axis in "xyz")

    def _launches(self, out: Array, n_views: int) -> Iterator[tuple[Shape, int]]:
        """Yield the grid of each launch, and the start of its runs in the box."""
        n = dict(zip(self.variant.volume, out.shape, strict=True))
        sizes = [n[axis] for axis in self.variant.axes]
        across, down, runs = (
            -(-size // of) for size, of in zip(sizes, self.variant.voxels_per_block, strict=True)
        )
        length = self.variant.voxels_per_block[2]
        updates = sizes[0] * sizes[1] * length * n_views
        most = max(min(UPDATES_PER_LAUNCH // max(updates, 1), _MAX_GRID // self.variant.split), 1)
        for start in range(0, runs, most):
            n_runs = min(most, runs - start)
            yield (across, down, n_runs * self.variant.split), start * length
