"""Closed contours in planes across z, as in structure sets.

Each plane stands for a slab with the thickness of the plane spacing. A point is inside if a ray
from it crosses contours an odd number of times, so a contour inside another one is a hole. Shares
of voxels are exact: the area inside times the overlap with the slab.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from engine.analysis.regions.base import (
    Bounds,
    Length,
    Place,
    RegionShape,
    middle_of,
    shift_between,
)
from engine.analysis.regions.coverage import (
    RegionCoverage,
    between,
    box_of,
    centres_of,
    clean_share,
    edges_of,
    overlap,
    start_of,
)
from engine.analysis.regions.polygon_area import centres_in, shares_in
from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.core.settings import setting
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point

STEPS_PER_MM = 1e6
"""Corners are stored with a resolution of 1 nm."""
MAX_BYTES = 1 << 28
MAX_RINGS = 100_000
SAME_FACE_MM, SAME_FACE_PART = 0.02, 0.1
"""Files state heights to 0.01 mm. A slab that ends this close to a voxel face, and within this part
of the voxel, ends at the face."""
Planes = tuple[tuple[float, tuple[Array, ...]], ...]


class PlanarContours(RegionShape):
    """Area inside closed contours in planes across z."""

    kind: Literal["planar_contours"] = "planar_contours"
    slab_mm: Length = setting(..., "Slice thickness of each contour plane", unit="mm")
    heights_mm: tuple[Place, ...] = setting(
        ..., "Height z of each contour", unit="mm", min_length=1, max_length=MAX_RINGS
    )
    corners: tuple[Annotated[int, Field(ge=3)], ...] = setting(
        ..., "Number of corners of each contour", min_length=1, max_length=MAX_RINGS
    )
    points: str = setting(..., "Corners x, y of all contours, compressed", max_length=1 << 26)

    @model_validator(mode="after")
    def _refuse_damaged(self) -> Self:
        if len(self.heights_mm) != len(self.corners):
            raise ValueError(
                f"there are {len(self.heights_mm)} heights for {len(self.corners)} contours, "
                "expected one height for each contour"
            )
        if not np.ptp(_points_of(self.points, sum(self.corners)), axis=0).all():
            raise ValueError("all corners are on one line, so the region has no area")
        return self

    @classmethod
    def of(cls, rings: Sequence[Array], heights_mm: Sequence[float], slab_mm: float) -> Self:
        """Return the region inside contours.

        Parameters
        ----------
        rings
            corners (n, 2) of each contour, x and y [mm]
        heights_mm
            z of each contour [mm]
        slab_mm
            thickness of the slab of a plane [mm]
        """
        return cls(
            slab_mm=slab_mm,
            heights_mm=tuple(float(height) for height in heights_mm),
            corners=tuple(len(ring) for ring in rings),
            points=_packed(np.concatenate(rings)),
        )

    @property
    def rings(self) -> tuple[Array, ...]:
        """Corners (n, 2) of each contour [mm]."""
        points = _points_of(self.points, sum(self.corners))
        return tuple(np.split(points, np.cumsum(self.corners)[:-1]))

    @property
    def bounds_mm(self) -> Bounds:
        points = _points_of(self.points, sum(self.corners))
        low, high = points.min(axis=0), points.max(axis=0)
        half = self.slab_mm / 2
        return (
            (float(low[0]), float(low[1]), min(self.heights_mm) - half),
            (float(high[0]), float(high[1]), max(self.heights_mm) + half),
        )

    @property
    def has_size(self) -> bool:
        return False

    def moved(self, by_mm: Point) -> Self:
        x, y, z = by_mm
        points = _points_of(self.points, sum(self.corners)) + np.array([x, y])
        heights = tuple(height + z for height in self.heights_mm)
        return self.model_copy(update={"points": _packed(points), "heights_mm": heights})

    def fitted(self, bounds_mm: Bounds) -> Self:
        return self.moved(shift_between(middle_of(self.bounds_mm), middle_of(bounds_mm)))

    def turned_over(self) -> Self:
        return self.model_copy(update={"heights_mm": tuple(-z for z in self.heights_mm)})

    def turned(self, turn: Array) -> Self:
        """Return the contours in other axes.

        Parameters
        ----------
        turn
            (3, 3) signed permutation from the present coordinates to the new ones

        Raises
        ------
        DataError
            if the planes of the contours are not across the new z
        """
        if not turn[2, 2]:
            raise DataError(
                "The contours are in planes across the body, but the slices of this image are not; "
                "open the regions on an image with axial slices."
            )
        points = _points_of(self.points, sum(self.corners)) @ turn[:2, :2].T
        heights = tuple(float(turn[2, 2]) * height for height in self.heights_mm)
        return self.model_copy(update={"points": _packed(points), "heights_mm": heights})

    def coverage(self, volume: Volume) -> RegionCoverage:
        grid = volume.grid
        touched = box_of(grid, *self.bounds_mm)
        share = np.zeros([part.stop - part.start for part in touched])
        centres = np.zeros(share.shape, bool)
        for height, rings in self._planes():
            low, high = self._slab(grid, height)
            depth = overlap(grid, 2, touched[0], low, high)
            levels = between(grid, 2, touched[0], low, high)
            # Planes outside the image are skipped: the exact areas are the slow part.
            if depth.any():
                plane, inside = _plane(grid, rings, touched)
                share += depth[:, None, None] * plane
                centres |= levels[:, None, None] & inside
        return RegionCoverage(start_of(touched), clean_share(share), centres)

    def _planes(self) -> Planes:
        heights = np.array(self.heights_mm)
        rings = self.rings
        return tuple(
            # Equal heights come from one plane of the file, which `_planes` of the reader has
            # unified, so the comparison can be exact.
            (float(each), tuple(rings[k] for k in np.flatnonzero(heights == each)))
            for each in np.unique(heights)
        )

    def _slab(self, grid: ImageGrid, height: float) -> tuple[float, float]:
        """Return the ends of a slab, moved to a voxel face if they are within rounding of it."""
        lower, edge = float(grid.lower_mm[2]), grid.voxel_mm[2]
        ends = list[float]()
        for end in (height - self.slab_mm / 2, height + self.slab_mm / 2):
            face = lower + round((end - lower) / edge) * edge
            near = min(SAME_FACE_MM, SAME_FACE_PART * edge)
            ends.append(face if abs(end - face) <= near else end)
        return ends[0], ends[1]


def _plane(
    grid: ImageGrid, rings: Sequence[Array], touched: tuple[slice, slice, slice]
) -> tuple[Array, Array]:
    """Return the shares (n_y, n_x) of the pixels of a plane, and the pixels with centres inside."""
    corner = np.array([edges_of(grid, axis, touched[2 - axis])[0] for axis in (0, 1)])
    shape = touched[1].stop - touched[1].start, touched[2].stop - touched[2].start
    pixels = [(ring - corner) / np.array(grid.voxel_mm[:2]) for ring in rings]
    x, y = (centres_of(grid, axis, touched[2 - axis]) for axis in (0, 1))
    return shares_in(pixels, shape), centres_in(rings, x, y)


def _packed(points: Array) -> str:
    # Whole numbers are stored exactly: a region keeps its corners over any number of save cycles.
    steps = np.rint(np.asarray(points, float) * STEPS_PER_MM).astype("<i8")
    # Differences of neighbouring corners are small numbers, which compress much better.
    steps = np.diff(steps, axis=0, prepend=np.zeros((1, 2), "<i8"))
    return base64.b64encode(zlib.compress(steps.astype("<i8").tobytes(), 9)).decode()


@lru_cache(maxsize=64)
def _points_of(text: str, n: int) -> Array:
    try:
        # The limit stops a small damaged or hostile file from filling the memory.
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b64decode(text, validate=True), MAX_BYTES)
    except (binascii.Error, zlib.error) as e:
        raise ValueError(f"the corners cannot be decoded ({e})") from e
    if unpacker.unconsumed_tail or len(data) != 16 * n:
        raise ValueError(
            f"the corners have {len(data):,} bytes, expected {16 * n:,} for {n:,} corners"
        )
    points = np.cumsum(np.frombuffer(data, "<i8").reshape(-1, 2), axis=0) / STEPS_PER_MM
    points.setflags(write=False)
    return np.asarray(points)
