"""A scan and a volume, with the quantities that X-ray projectors need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, Literal

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.parallel_back import are_level

Region = tuple[slice, slice, slice]
Three = tuple[int, int, int]
Direction = Literal["forward", "transposed", "back"]
"""Line integrals, their transpose, or the voxel-driven back projection."""

FEW_SLICES = 32
"""Maximum slices for which rays next to each other are faster than rays above each other."""


@dataclass(frozen=True)
class VolumeBox:
    """Box of voxels in a volume: first voxel and shape, both (z, y, x)."""

    corner: Three
    shape: Three

    @classmethod
    def of(cls, region: Region | None, shape: Three) -> VolumeBox:
        """Return the box of a region.

        Parameters
        ----------
        region
            slices (z, y, x) with step 1; None: the whole volume
        shape
            (n_z, n_y, n_x) of the volume

        Raises
        ------
        GeometryError
            if the region is empty or not a box
        """
        ranges = _ranges((slice(None),) * 3 if region is None else region, shape)
        if len(ranges) != 3 or any(r.step != 1 or not r for r in ranges):
            raise GeometryError(
                f"the region {region} is not a box inside the volume of {shape} voxels; give "
                "three slices without steps in the order z, y, x."
            )
        z, y, x = ranges
        return cls((z.start, y.start, x.start), (len(z), len(y), len(x)))

    def slices(self, part: range) -> VolumeBox:
        """Return slices of the box along z, counted from its first slice."""
        z, y, x = self.corner
        return VolumeBox((z + part.start, y, x), (len(part), *self.shape[1:]))

    @property
    def n_voxels(self) -> int:
        """Number of voxels."""
        return int(np.prod(self.shape))


@dataclass(frozen=True, eq=False)
class Scene:
    """Views of a volume: geometry and grid."""

    geometry: XrayGeometry
    grid: ImageGrid

    @property
    def seen(self) -> Three:
        """(n_views, n_rows, n_columns)."""
        return (self.geometry.n_views, *self.geometry.shape)

    @cached_property
    def matrices(self) -> Array:
        """Projection matrices (n_views, 3, 4); see `XrayGeometry.in_voxels`."""
        return self.geometry.in_voxels(self.grid)

    @cached_property
    def rays(self) -> Array:
        """Rays in voxels (n_views, 6, 3), linear in column and row, as in `engine.kernels.cone`."""
        geometry, grid = self.geometry, self.grid
        # rays in voxels, with layers at whole numbers; lengths in mm are applied at the end
        u, v = geometry.u_mm / grid.voxel_mm, geometry.v_mm / grid.voxel_mm
        first = grid.to_voxels(geometry.corner_mm) + 0.5 * (u + v)
        still = np.zeros_like(u)
        if geometry.beam == "cone":
            source = grid.to_voxels(geometry.source_mm)
            return np.stack([source, still, still, first - source, u, v], axis=1)
        # parallel rays: `source_mm` is a direction, so it is scaled but not shifted
        along = geometry.source_mm / np.array(grid.voxel_mm)
        return np.stack([first, u, v, along, still, still], axis=1)

    @cached_property
    def is_steep(self) -> bool:
        """True if any ray is steeper along z than across."""
        n_rows, n_columns = self.geometry.shape
        columns, rays = np.arange(n_columns), self.rays
        # used for upright detectors only: there x and y do not change with the row and z does so
        # evenly, so the first or the last row is the steepest
        for row in (0, n_rows - 1):
            first = rays[:, 3] + row * rays[:, 5]
            x, y, z = np.abs(first.T[:, :, None] + rays[:, 4].T[:, :, None] * columns)
            if (z > np.maximum(x, y)).any():
                return True
        return False

    @cached_property
    def is_ahead(self) -> bool:
        """True if the source of every view is in front of the whole volume."""
        depth = self.matrices[:, 2]
        # with a margin of one voxel; a plane is lowest in a corner of the box
        sizes = np.array(self.grid.shape[::-1])
        low = np.minimum(-depth[:, :3], depth[:, :3] * (sizes + 1)).sum(axis=1) + depth[:, 3]
        return bool((low > 0).all())

    @property
    def has_few_slices(self) -> bool:
        """True if rays are computed next to each other, by `FewSlices`."""
        is_few = self.grid.shape[0] <= FEW_SLICES
        return is_few and self.geometry.is_upright and not self.is_steep and self.is_ahead

    @cached_property
    def rows_match_slices(self) -> bool:
        """True if rays are parallel and each axial slice is seen at one height of the detector."""
        return are_level(self.matrices, self.grid.shape[1:])

    def adjoint_weights(self, views: range, xp: ModuleType = np) -> Array:
        """Return the weights that make the voxel-driven back projection an approximate adjoint.

        They are the volume of a voxel over the area of a pixel, times 1 / cos φ of the ray to each
        pixel, with φ from the normal. For the ray p + c u + r v to pixel (r, c), and n
        perpendicular to u and v,

            1 / cos² φ = (|p|² + 2c p·u + c² |u|² + 2r p·v + r² |v|² + 2rc u·v) / (p·n)²

        Parameters
        ----------
        views
            numbers of the views
        xp
            array module of the result

        Returns
        -------
        (n, n_rows, n_columns), or (n, 1, 1) for parallel rays, float32
        """
        geometry = self.geometry.select(slice(views.start, views.stop))
        u, v, n = geometry.u_mm, geometry.v_mm, geometry.normal
        area = np.linalg.norm(np.cross(u, v), axis=1)
        scale = float(np.prod(self.grid.voxel_mm)) / area
        if geometry.beam == "parallel":
            slant = 1 / np.abs(_dot(geometry.source_mm, n))
            return xp.asarray((slant * scale).astype(np.float32)[:, None, None])
        p = geometry.corner_mm + 0.5 * (u + v) - geometry.source_mm
        terms = [_dot(a, b) for a, b in ((p, p), (p, u), (u, u), (p, v), (v, v), (u, v))]
        pp, pu, uu, pv, vv, uv = xp.asarray(np.stack(terms))[:, :, None, None]
        n_rows, n_columns = geometry.shape
        r, c = xp.arange(float(n_rows))[:, None], xp.arange(float(n_columns))
        # Horner's scheme: fewer temporary arrays of the detector's size
        square = pp + c * (2 * pu + c * uu) + r * (2 * pv + r * vv + c * (2 * uv))
        factor = xp.asarray((scale / np.abs(_dot(p, n)))[:, None, None])
        return (xp.sqrt(square) * factor).astype(np.float32)


def _ranges(region: Any, shape: Three) -> list[range]:
    """Return the voxels along each axis; empty if the region is not three slices."""
    is_fit = isinstance(region, tuple) and len(region) == 3
    if not is_fit or not all(isinstance(part, slice) for part in region):
        return []
    return [range(n)[part] for n, part in zip(shape, region, strict=True)]


def rows_seeing(
    grid: ImageGrid, region: Region | None, geometry: XrayGeometry, beyond: float = 0.0
) -> slice:
    """Return the detector rows that see a box in any view.

    Parameters
    ----------
    grid
        grid of the volume
    region
        slices (z, y, x) of the box; None: the whole volume
    geometry
        source and detector of each view
    beyond
        margin around the box in voxels

    Returns
    -------
    range of rows; all rows if the box extends behind the source
    """
    box = VolumeBox.of(region, grid.shape)
    ends = [
        (first - beyond, first + n + beyond) for first, n in zip(box.corner, box.shape, strict=True)
    ]
    corners = np.array([(x, y, z, 1.0) for z in ends[0] for y in ends[1] for x in ends[2]])
    seen = np.einsum("vij,kj->vki", geometry.in_voxels(grid), corners)
    n_rows = geometry.shape[0]
    # Behind the source the projection is reversed, so corners do not bound the box any more.
    if (seen[..., 2] <= 0).any():
        return slice(0, n_rows)  # extends behind the source
    # a perspective maps a box between its projected corners
    row = seen[..., 1] / seen[..., 2] - 0.5
    return slice(
        int(np.clip(np.floor(row.min()), 0, n_rows)),
        int(np.clip(np.ceil(row.max()) + 1, 0, n_rows)),
    )


def _dot(a: Array, b: Array) -> Array:
    """Return the scalar products (n,) of vectors (n, 3)."""
    return np.einsum("ni,ni->n", a, b)
