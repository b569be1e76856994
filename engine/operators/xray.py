"""X-ray line integrals of a volume, view by view, and two ways back.

forward : Joseph's line integrals along the ray to every pixel [image times mm]
adjoint : "matched", the transpose of it, exactly; or "voxel", the voxel-driven back projection,
    faster, and an adjoint of the continuous integrals only: to be one, it wants 1/τ² for each
    view, each pixel times the slant 1/cos φ of its ray, and the voxel's volume over a pixel's area
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.errors import GeometryError, ResourceError
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels import cone_back, joseph
from engine.kernels.blocks import Tick, run_blocks, sum_blocks
from engine.operators.base import LinearOperator

Array = NDArray[Any]
Adjoint = Literal["matched", "voxel"]
Region = tuple[slice, slice, slice]
Three = tuple[int, int, int]

_MOST_VOXELS = 2**31
THIN = 8
"""Slices up to which a volume is projected back along x, not along z."""
LINES = 8
"""Lines of voxels worth a call."""
ADJOINT_RTOL = {"matched": 1e-5, "voxel": 2e-2}


class XrayTransform(LinearOperator):
    """Line integrals through a volume for every pixel of every view.

    Parameters
    ----------
    geometry : source and detector of each view
    grid : the volume
    on : device and threads
    adjoint : which back projection `adjoint` is; see the head of this file
    tick : called with (done, in all) several times a second and at the end; it may raise to stop
    """

    def __init__(
        self,
        geometry: XrayGeometry,
        grid: ImageGrid,
        *,
        on: Backend,
        adjoint: Adjoint = "matched",
        tick: Tick | None = None,
    ) -> None:
        _check_size(grid)
        self.geometry, self.grid, self.on = geometry, grid, on
        self.adjoint_kind: Adjoint = adjoint
        self.in_shape = grid.shape
        self.out_shape = (geometry.n_views, *geometry.shape)
        self.adjoint_rtol = ADJOINT_RTOL[adjoint]  # type: ignore[misc]
        self._tick = tick
        self._rays = _rays(geometry, grid)
        self._is_upright = geometry.is_upright and not _is_steep(self._rays, geometry.shape)
        z, y, x = grid.shape
        self._shape = (y, x, z)
        self._voxel_mm = np.array(grid.voxel_mm, np.float64)

    def forward(self, x: Array) -> Array:
        """Line integrals of `x` (n_z, n_y, n_x): (n_views, n_rows, n_columns) [mm times x]."""
        self._expect(x, self.in_shape)
        image = np.zeros([n + 2 for n in self._shape], np.float32)
        image[1:-1, 1:-1, 1:-1] = x.transpose(1, 2, 0)
        n_views, n_rows, n_columns = self.out_shape
        out = np.empty((n_views, n_columns, n_rows), np.float32)
        scene = (self._rays, self._voxel_mm, self._shape, image.ravel())

        def work(_: int, start: int, stop: int) -> None:
            if self._is_upright:
                joseph.forward_upright(start, stop, *scene, self._blend(), out)
            else:
                joseph.forward(start, stop, *scene, out)

        run_blocks(work, n_views * n_columns, self.on.threads, self._tick)
        return np.ascontiguousarray(out.transpose(0, 2, 1))

    def adjoint(self, y: Array) -> Array:
        """Back projection of `y` (n_views, n_rows, n_columns): (n_z, n_y, n_x)."""
        self._expect(y, self.out_shape)
        if self.adjoint_kind == "matched":
            return self._transposed(y)
        return self.back_project(y, weighting="adjoint")

    def back_project(
        self, y: Array, *, weighting: Literal["fdk", "adjoint"], region: Region | None = None
    ) -> Array:
        """Voxel-driven back projection: (n_z, n_y, n_x), or a box of it, to the same bits.

        Parameters
        ----------
        y
            (n_views, n_rows, n_columns)
        weighting
            "fdk": each view times 1/τ² and nothing else; "adjoint": as the "voxel" adjoint
        region
            slices (z, y, x) of the volume; what they leave out costs nothing
        """
        self._expect(y, self.out_shape)
        if weighting == "adjoint":
            volume_mm3 = float(np.prod(self.grid.voxel_mm))
            y = y * (_slant(self.geometry) * (volume_mm3 / self._pixel_mm2())[:, None, None])
        corner, shape = _box(region, self.grid.shape)
        if self.grid.shape[0] <= THIN:
            return self._back_thin(y, corner, shape)
        n_views, n_rows, n_columns = self.out_shape
        bordered = np.zeros((n_views, n_columns + 2, n_rows + 2), np.float32)
        bordered[:, 1:-1, 1:-1] = y.transpose(0, 2, 1)
        out = np.zeros(shape, np.float32)
        scene = (self.geometry.in_voxels(self.grid), corner, bordered)

        def work(_: int, start: int, stop: int) -> None:
            if self.geometry.is_upright:
                blend = np.zeros(n_rows + 3, np.float32)
                cone_back.upright(start, stop, *scene, blend, out)
            else:
                cone_back.general(start, stop, *scene, out)

        run_blocks(work, shape[0] * shape[1], self.on.threads, self._tick)
        return np.ascontiguousarray(out.transpose(2, 0, 1))

    def _back_thin(self, y: Array, corner: Three, shape: Three) -> Array:
        n_views, n_rows, n_columns = self.out_shape
        bordered = np.zeros((n_views, n_rows + 2, n_columns + 2), np.float32)
        bordered[:, 1:-1, 1:-1] = y
        out = np.zeros((shape[2], shape[0], shape[1]), np.float32)
        pictures = bordered.reshape(n_views, -1)
        scene = (self.geometry.in_voxels(self.grid), corner, pictures, n_columns + 2)

        def work(_: int, start: int, stop: int) -> None:
            cone_back.thin(start, stop, *scene, out)

        run_blocks(work, shape[2] * shape[0], self.on.threads, self._tick, smallest=LINES)
        return out

    def subset(self, k: int, of: int) -> XrayTransform:
        """Views k, k + of, ..."""
        return self.with_geometry(self.geometry.select(slice(k, None, of)))

    def with_geometry(self, geometry: XrayGeometry) -> XrayTransform:
        """Return the same volume seen by another scan."""
        return XrayTransform(
            geometry, self.grid, on=self.on, adjoint=self.adjoint_kind, tick=self._tick
        )

    def _transposed(self, y: Array) -> Array:
        n_views, n_rows, n_columns = self.out_shape
        values = np.ascontiguousarray(y.transpose(0, 2, 1), np.float32)
        scene = (self._rays, self._voxel_mm, self._shape, values)

        def work(sums: Array, start: int, stop: int) -> None:
            if self._is_upright:
                row = np.empty(n_rows, np.float32)
                joseph.back_upright(start, stop, *scene, self._blend(), row, sums)
            else:
                joseph.back(start, stop, *scene, sums)

        total = sum_blocks(
            work,
            n_views * n_columns,
            self._shape,
            dtype=np.float32,
            threads=self.on.threads,
            tick=self._tick,
        )
        return np.ascontiguousarray(total.transpose(2, 0, 1))

    def _blend(self) -> Array:
        return np.zeros(self._shape[2] + 3, np.float32)

    def _pixel_mm2(self) -> Array:
        """(n_views,) area of a pixel."""
        return np.asarray(np.linalg.norm(np.cross(self.geometry.u_mm, self.geometry.v_mm), axis=1))


def _rays(geometry: XrayGeometry, grid: ImageGrid) -> Array:
    """Rays in voxels, linear in column and row; see `engine.kernels.joseph`."""
    u, v = geometry.u_mm / grid.voxel_mm, geometry.v_mm / grid.voxel_mm
    first = grid.to_voxels(geometry.corner_mm) + 0.5 * (u + v)
    still = np.zeros_like(u)
    if geometry.beam == "cone":
        source = grid.to_voxels(geometry.source_mm)
        return np.stack([source, still, still, first - source, u, v], axis=1)
    along = geometry.source_mm / np.array(grid.voxel_mm)
    return np.stack([first, u, v, along, still, still], axis=1)


def _slant(geometry: XrayGeometry) -> Array:
    """1 / cos φ of the ray to each pixel, φ from the normal: (n_views, n_rows, n_columns)."""
    if geometry.beam == "parallel":
        slant = 1 / np.abs(np.sum(geometry.source_mm * geometry.normal, axis=1))
        return np.broadcast_to(slant[:, None, None].astype(np.float32), (len(slant), 1, 1))
    slants = np.empty((geometry.n_views, *geometry.shape), np.float32)
    for view in range(geometry.n_views):
        ray = geometry.pixel_mm(view) - geometry.source_mm[view]
        slants[view] = np.linalg.norm(ray, axis=-1) / np.abs(ray @ geometry.normal[view])
    return slants


def _is_steep(rays: Array, shape: tuple[int, int]) -> bool:
    """Whether any ray climbs more along z than it runs across."""
    n_rows, n_columns = shape
    columns = np.arange(n_columns)[:, None]
    for row in (0, n_rows - 1):
        along = np.abs((rays[:, 3] + row * rays[:, 5])[:, None] + columns * rays[:, None, 4])
        if (along[..., 2] > along[..., :2].max(axis=-1)).any():
            return True
    return False


def _box(region: Region | None, shape: tuple[int, int, int]) -> tuple[Three, Three]:
    """First voxel and size of a region, both (y, x, z)."""
    ranges = [range(n)[part] for n, part in zip(shape, region or (slice(None),) * 3, strict=True)]
    if any(r.step != 1 or not r for r in ranges):
        raise GeometryError(f"region {region} takes no box out of {shape}; give slices (z, y, x).")
    z, y, x = ranges
    return (y.start, x.start, z.start), (len(y), len(x), len(z))


def _check_size(grid: ImageGrid) -> None:
    if np.prod([n + 2 for n in grid.shape], dtype=np.float64) >= _MOST_VOXELS:
        raise ResourceError(
            f"{grid.describe()}: more than {_MOST_VOXELS} voxels; choose larger voxels."
        )
