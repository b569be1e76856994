"""Solid shapes in closed form: points inside, and voxel fractions.

Every shape is the unit sphere, cylinder or cube in its own frame, u = Rᵀ (p − centre) / half.
For chords of lines see `spans`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid, Point
from engine.kernels.rays import chords

_SLAB = 1 << 15
"""Voxels that are compared with a solid at once."""


@dataclass(frozen=True)
class Shape:
    """A convex solid with uniform activity and attenuation, which add to those of other shapes.

    Attributes
    ----------
    centre_mm : centre (x, y, z) [mm]
    half_mm : semi-axes, radii and half length, or half edges along the shape's own x, y, z [mm]
    activity : relative activity per volume
    mu_per_mm : linear attenuation coefficient at 511 keV [1/mm]
    turn_deg : rotation about z, from x towards y, after the tilt [deg]
    tilt_deg : rotation about x, from y towards z [deg]
    """

    centre_mm: Point
    half_mm: Point
    activity: float = 0.0
    mu_per_mm: float = 0.0
    turn_deg: float = 0.0
    tilt_deg: float = 0.0

    unit_volume: ClassVar[float]
    """Volume if all `half_mm` are 1."""
    round_axes: ClassVar[tuple[int, ...]] = ()
    """Own axes bounded by a circle or sphere, if any: 0, 1, 2 is x, y, z."""
    flat_axes: ClassVar[tuple[int, ...]] = ()
    """Own axes bounded by two planes."""

    @property
    def volume_mm3(self) -> float:
        """Volume [mm³]."""
        return self.unit_volume * float(np.prod(self.half_mm))

    @cached_property
    def reach_mm(self) -> float:
        """Upper limit of the distance of its points from the z line through its centre [mm]."""
        # The support of an ellipse is a matrix norm, that of a box a sum. The bounding box can be
        # tighter.
        across = (self._rotation * np.array(self.half_mm))[:2]
        rounded = (
            float(np.linalg.norm(across[:, list(self.round_axes)], 2)) if self.round_axes else 0
        )
        flat = np.linalg.norm(across[:, list(self.flat_axes)], axis=0).sum()
        return min(rounded + float(flat), float(np.hypot(*self._box_reach[:2])))

    @cached_property
    def _box_reach(self) -> Array:
        """(3,) half edges of the bounding box [mm]."""
        return np.abs(self._rotation) @ np.array(self.half_mm)

    @cached_property
    def _rotation(self) -> Array:
        """(3, 3) rotation from the shape's frame to space."""
        turn, tilt = np.deg2rad([self.turn_deg, self.tilt_deg])
        about_z = [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
        about_x = [[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]]
        return np.array(about_z) @ np.array(about_x)

    @cached_property
    def to_frame(self) -> Array:
        """(3, 3) matrix from space, relative to the centre, to the frame of the unit solid."""
        return np.asarray(self._rotation.T / np.array(self.half_mm)[:, None])

    @cached_property
    def quadric(self) -> Array:
        """(10,) coefficients of (p − c)·Q (p − c) = 1: Q as xx yy zz xy xz yz, Q c, c·Q c − 1."""
        frame = self.to_frame[list(self.round_axes)]
        q, centre = frame.T @ frame, np.array(self.centre_mm)
        entries = [q[0, 0], q[1, 1], q[2, 2], q[0, 1], q[0, 2], q[1, 2]]
        return np.array([*entries, *(q @ centre), centre @ q @ centre - 1])

    def _gauge(self, *points_mm: Array) -> Array:
        """Return the distance from the centre in a norm that is 1 on the surface.

        Each axis costs only as much as its own shape: `points_mm` are x, y and z of points, or the
        axes of a lattice that broadcast against each other.
        """
        along = [at - middle for at, middle in zip(points_mm, self.centre_mm, strict=True)]
        # A frame that is not turned or tilted has zeros, and its axes then stay small.
        u = [_sum([f * at for f, at in zip(row, along, strict=True) if f]) for row in self.to_frame]
        parts = [np.abs(u[axis]) for axis in self.flat_axes]
        if self.round_axes:
            parts.append(np.sqrt(_sum([u[axis] ** 2 for axis in self.round_axes])))
        return reduce(np.maximum, parts)

    def contains(self, points_mm: Array) -> NDArray[np.bool_]:
        """Return True for points inside.

        Parameters
        ----------
        points_mm
            (n, 3) points [mm]
        """
        return np.asarray(self._gauge(*points_mm.T) <= 1)

    def coverage(self, grid: ImageGrid, oversample: int = 3) -> NDArray[np.float32]:
        """Return the share of each voxel inside; exact except for voxels at the surface.

        Parameters
        ----------
        grid
            grid of the image
        oversample
            sample points along each edge of a voxel at the surface

        Returns
        -------
        NDArray
            (n_z, n_y, n_x), 0 to 1
        """
        out = np.zeros(grid.shape, np.float32)
        box, part = self.coverage_in_box(grid, oversample)
        out[box] = part
        return out

    def coverage_in_box(
        self, grid: ImageGrid, oversample: int = 3
    ) -> tuple[tuple[slice, slice, slice], NDArray[np.float32]]:
        """Return the coverage of the voxels that the shape can touch.

        Parameters
        ----------
        grid
            grid of the image
        oversample
            sample points along each edge of a voxel at the surface

        Returns
        -------
        box
            range of voxels (z, y, x)
        part
            share of each of them inside, 0 to 1
        """
        z, y, x = box = self._box(grid)
        part = np.empty([b.stop - b.start for b in box], np.float32)
        # In parts that fit into the processor cache.
        planes = max(1, _SLAB // max(1, part[:1].size))
        for k in range(0, len(part), planes):
            slab = part[k : k + planes]
            self._cover((slice(z.start + k, z.start + k + len(slab)), y, x), grid, oversample, slab)
        return box, part

    def _cover(
        self, box: tuple[slice, slice, slice], grid: ImageGrid, oversample: int, part: Array
    ) -> None:
        """Write the share of each voxel of a box."""
        axes = [grid.centres_mm(2 - axis)[voxels] for axis, voxels in enumerate(box)]
        gauge = self._gauge(axes[2], axes[1][:, None], axes[0][:, None, None])
        # The gauge changes by at most 1 / min(half) per mm, so voxels farther from the surface than
        # half their diagonal are wholly inside or outside.
        reach = float(np.linalg.norm(grid.voxel_mm)) / 2 / min(self.half_mm)
        part[...] = gauge <= 1
        surface = np.nonzero(np.abs(gauge - 1) <= reach)
        points = [at[index] for at, index in zip(axes, surface, strict=True)]
        part[surface] = self._surface_share(points[::-1], grid, oversample)

    def _surface_share(self, points_mm: list[Array], grid: ImageGrid, oversample: int) -> Array:
        """Return the shares of voxels with centres `points_mm`, x, y and z."""
        steps = (np.arange(oversample) + 0.5) / oversample - 0.5
        samples = [
            [at + step * size for step in steps]
            for at, size in zip(points_mm, grid.voxel_mm, strict=True)
        ]
        share = np.zeros(len(points_mm[0]))
        for sample in product(*samples):
            share += self._gauge(*sample) <= 1
        return share / oversample**3

    def _box(self, grid: ImageGrid) -> tuple[slice, slice, slice]:
        """Return the voxels (z, y, x) that the shape can touch."""
        reach, centre = self._box_reach, np.array(self.centre_mm)
        size = np.array(grid.shape[::-1])
        # Only voxels in the bounding box are tested: small shapes in large grids stay cheap.
        low = np.clip(np.floor(grid.to_voxels(centre - reach)), 0, size).astype(int)
        high = np.clip(np.ceil(grid.to_voxels(centre + reach)), low, size).astype(int)
        z, y, x = (slice(int(a), int(b)) for a, b in zip(low[::-1], high[::-1], strict=True))
        return z, y, x


class Ellipsoid(Shape):
    """Ellipsoid with three semi-axes."""

    unit_volume = 4 / 3 * pi
    round_axes = (0, 1, 2)


class Cylinder(Shape):
    """Elliptic cylinder: two radii, and half the length along its own z."""

    unit_volume = 2 * pi
    round_axes = (0, 1)
    flat_axes = (2,)


class Box(Shape):
    """Box with half edges."""

    unit_volume = 8.0
    flat_axes = (0, 1, 2)


def sphere(
    centre_mm: Point, diameter_mm: float, activity: float = 0.0, mu_per_mm: float = 0.0
) -> Ellipsoid:
    """Return a sphere as an ellipsoid.

    Parameters
    ----------
    centre_mm
        centre (x, y, z) [mm]
    diameter_mm
        diameter [mm]
    activity
        relative activity per volume
    mu_per_mm
        attenuation coefficient [1/mm]
    """
    radius = diameter_mm / 2
    return Ellipsoid(centre_mm, (radius, radius, radius), activity, mu_per_mm)


def rod(
    centre_mm: Point,
    diameter_mm: float,
    length_mm: float,
    activity: float = 0.0,
    mu_per_mm: float = 0.0,
) -> Cylinder:
    """Return a round cylinder along z.

    Parameters
    ----------
    centre_mm
        centre (x, y, z) [mm]
    diameter_mm, length_mm
        size [mm]
    activity
        relative activity per volume
    mu_per_mm
        attenuation coefficient [1/mm]
    """
    radius = diameter_mm / 2
    return Cylinder(centre_mm, (radius, radius, length_mm / 2), activity, mu_per_mm)


def _sum(arrays: list[Array]) -> Array:
    """Return the sum of arrays that broadcast against each other."""
    return reduce(np.add, arrays)


def kind_of(shape: Shape) -> int:
    """Return the kind of a solid for the kernels of chords.

    Parameters
    ----------
    shape
        a solid
    """
    return {0: chords.BALL, 1: chords.TUBE, 3: chords.BOX}[len(shape.flat_axes)]
