"""Mask regions: voxels that were painted, imported or selected by a threshold.

A mask has its own grid. On another grid the share of a voxel is the fraction of its volume that
overlaps the selected voxels. It is computed axis by axis, so the region keeps its volume and
position.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from engine.analysis.regions.base import (
    Bounds,
    Lengths,
    Places,
    RegionShape,
    middle_of,
    shift_between,
    shifted,
)
from engine.analysis.regions.coverage import (
    HALF,
    SHARES,
    RegionCoverage,
    box_of,
    centres_of,
    clean_share,
    edges_of,
    start_of,
)
from engine.analysis.regions.runs import MAX_VOXELS, Mask, packed, unpacked
from engine.core.arrays import Array
from engine.core.settings import setting
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point

SAME = 1e-6
"""Fraction of a voxel by which equal grids may differ."""


class MaskRegion(RegionShape):
    """Selected voxels in a box with its lower corner at `lower_mm`."""

    kind: Literal["mask"] = "mask"
    lower_mm: Places = setting(..., "Lower corner of the box (x, y, z)", unit="mm")
    voxel_mm: Lengths = setting(..., "Edges of a voxel (x, y, z)", unit="mm")
    shape: tuple[int, int, int] = setting(..., "Voxels of the box (z, y, x)")
    runs: str = setting(..., "Run lengths, compressed", max_length=1 << 26)

    @model_validator(mode="after")
    def _refuse_damaged(self) -> Self:
        if min(self.shape) < 1 or np.prod([float(n) for n in self.shape]) > MAX_VOXELS:
            raise ValueError(
                f"the bounding box of the mask has the shape {self.shape}, expected 1 to "
                f"{MAX_VOXELS:,} voxels"
            )
        # An empty mask would be a region without bounds, which the views could not show.
        if not _mask_of(self.runs, self.shape).any():
            raise ValueError("the mask is empty, expected at least one voxel")
        return self

    @classmethod
    def of(cls, mask: Mask, grid: ImageGrid, start: tuple[int, int, int] = (0, 0, 0)) -> Self:
        """Return the region of the selected voxels of a grid.

        Parameters
        ----------
        mask
            (n_z, n_y, n_x) selected voxels
        grid
            grid of the image
        start
            first voxel (z, y, x) of `mask` in the grid
        """
        small = RegionCoverage(start, mask.astype(float), mask).trimmed()
        corner = grid.lower_mm + np.array(small.start[::-1]) * np.array(grid.voxel_mm)
        n_z, n_y, n_x = small.share.shape
        x, y, z = (float(c) for c in corner)
        return cls(
            lower_mm=(x, y, z),
            voxel_mm=grid.voxel_mm,
            shape=(n_z, n_y, n_x),
            runs=packed(small.share > HALF),
        )

    @property
    def mask(self) -> Mask:
        """(n_z, n_y, n_x) selected voxels, read-only."""
        return _mask_of(self.runs, self.shape)

    @property
    def grid(self) -> ImageGrid:
        """Grid of the box."""
        return ImageGrid(self.shape, self.voxel_mm, middle_of(self.bounds_mm))

    @property
    def bounds_mm(self) -> Bounds:
        x, y, z = (
            low + n * edge
            for low, n, edge in zip(self.lower_mm, self.shape[::-1], self.voxel_mm, strict=True)
        )
        return self.lower_mm, (x, y, z)

    @property
    def has_size(self) -> bool:
        return False

    def moved(self, by_mm: Point) -> Self:
        return self.model_copy(update={"lower_mm": shifted(self.lower_mm, by_mm)})

    def fitted(self, bounds_mm: Bounds) -> Self:
        return self.moved(shift_between(middle_of(self.bounds_mm), middle_of(bounds_mm)))

    def turned_over(self) -> Self:
        (x, y, _), high = self.bounds_mm
        # `runs` are x fastest and z slowest, so a reversed z needs new runs.
        turned = packed(np.ascontiguousarray(self.mask[::-1]))
        return self.model_copy(update={"lower_mm": (x, y, -high[2]), "runs": turned})

    def turned(self, turn: Array) -> Self:
        """Return the mask in other axes.

        Parameters
        ----------
        turn
            (3, 3) signed permutation from the present coordinates to the new ones
        """
        # Per new axis the old one that it follows; the arrays are [z, y, x].
        order = np.abs(turn).argmax(axis=1)
        mask = self.mask.transpose([2 - int(axis) for axis in order[::-1]])
        reversed_axes = tuple(2 - axis for axis in range(3) if turn[axis, order[axis]] < 0)
        runs = packed(np.ascontiguousarray(np.flip(mask, reversed_axes)))
        n_z, n_y, n_x = mask.shape
        x, y, z = (float(each) for each in (np.array(self.bounds_mm) @ turn.T).min(axis=0))
        voxel = tuple(self.voxel_mm[int(axis)] for axis in order)
        place = {"lower_mm": (x, y, z), "voxel_mm": voxel, "shape": (n_z, n_y, n_x), "runs": runs}
        return self.model_copy(update=place)

    def coverage(self, volume: Volume) -> RegionCoverage:
        grid, mask = volume.grid, self.mask
        # On its own grid a mask stays exact; resampling would soften its border by rounding.
        same = _same_voxels(grid, self)
        if same is not None:
            return _placed(mask, grid, same)
        touched = box_of(grid, *self.bounds_mm)
        # One small matrix per axis instead of one for all voxels: overlaps of boxes factorise.
        share: SHARES = mask.astype(float)
        for axis in range(3):  # x, y, z; the arrays are [z, y, x]
            weights = _shares_along(grid, self.grid, axis, touched[2 - axis])
            share = np.moveaxis(np.tensordot(weights, share, (1, 2 - axis)), 0, 2 - axis)
        return RegionCoverage(
            start_of(touched), clean_share(share), _centres(mask, grid, self, touched)
        )


@lru_cache(maxsize=32)
def _mask_of(runs: str, shape: tuple[int, int, int]) -> Mask:
    mask = unpacked(runs, shape)
    # The array is shared by all regions with these runs, through the cache.
    mask.setflags(write=False)
    return mask


def _same_voxels(grid: ImageGrid, region: MaskRegion) -> tuple[int, int, int] | None:
    """Return the voxel (z, y, x) of a grid at which a mask starts; None if the grids differ."""
    if not np.allclose(grid.voxel_mm, region.voxel_mm, rtol=SAME, atol=0):
        return None
    at = grid.to_voxels(np.array(region.lower_mm))
    # A small error of the voxel size adds up over the mask, hence the factor.
    # Equal voxels are not enough: a grid shifted by half a voxel needs new shares.
    if np.abs(at - np.round(at)).max() > SAME * max(*region.shape, 1):
        return None
    x, y, z = (int(v) for v in np.round(at))
    return z, y, x


def _placed(mask: Mask, grid: ImageGrid, start: tuple[int, int, int]) -> RegionCoverage:
    """Return a mask on its own grid, clipped to the image."""
    first = [max(a, 0) for a in start]
    last = [min(a + n, m) for a, n, m in zip(start, mask.shape, grid.shape, strict=True)]
    last = [max(a, b) for a, b in zip(first, last, strict=True)]
    part = tuple(slice(a - s, b - s) for s, a, b in zip(start, first, last, strict=True))
    inside = mask[part]
    return RegionCoverage((first[0], first[1], first[2]), inside.astype(float), inside)


def _centres(
    mask: Mask, grid: ImageGrid, region: MaskRegion, box: tuple[slice, slice, slice]
) -> Mask:
    """Return the voxels of a box whose centre is in a selected voxel of a mask."""
    places, known = list[Array](), list[Mask]()
    for axis in (2, 1, 0):
        from_edge = centres_of(grid, axis, box[2 - axis]) - region.lower_mm[axis]
        at = np.floor(from_edge / region.voxel_mm[axis]).astype(np.int64)
        n = mask.shape[2 - axis]
        known.append((at >= 0) & (at < n))
        places.append(np.clip(at, 0, n - 1))
    found = mask[np.ix_(*places)] & known[0][:, None, None] & known[1][:, None] & known[2]
    return np.asarray(found)


def _shares_along(grid: ImageGrid, own: ImageGrid, axis: int, part: slice) -> Array:
    """Return (voxels, own voxels) shares of grid voxels overlapped by mask voxels along an axis."""
    edges = edges_of(grid, axis, part)
    mine = edges_of(own, axis, slice(0, own.shape[2 - axis]))
    inside = np.minimum(edges[1:, None], mine[None, 1:]) - np.maximum(
        edges[:-1, None], mine[None, :-1]
    )
    return np.asarray(np.clip(inside, 0.0, None) / grid.voxel_mm[axis])
