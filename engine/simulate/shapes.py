"""Solid shapes in closed form: points inside, and voxel fractions.

Every shape is the unit sphere, cylinder or cube in its own frame, u = Rᵀ (p − centre) / half.
For chords of lines see `spans`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.geometry.grid import ImageGrid, Point
from engine.kernels.rays import chords


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

    def _gauge(self, points_mm: Array) -> Array:
        """Return the distance (n,) from the centre in a norm that is 1 on the surface."""
        u = self.to_frame @ (points_mm - np.array(self.centre_mm)).T
        gauge = np.sqrt((u[list(self.round_axes)] ** 2).sum(axis=0))
        for axis in self.flat_axes:
            gauge = np.maximum(gauge, np.abs(u[axis]))
        return gauge

    def contains(self, points_mm: Array) -> NDArray[np.bool_]:
        """Return True for points inside.

        Parameters
        ----------
        points_mm
            (n, 3) points [mm]
        """
        return np.asarray(self._gauge(points_mm) <= 1)

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
        box = self._box(grid)
        centres = _lattice(grid, box)
        gauge = self._gauge(centres)
        # The gauge changes by at most 1 / min(half) per mm, so voxels farther from the surface than
        # half their diagonal are wholly inside or outside.
        reach = float(np.linalg.norm(grid.voxel_mm)) / 2 / min(self.half_mm)
        part = (gauge <= 1).astype(np.float32)
        surface = np.flatnonzero(np.abs(gauge - 1) <= reach)
        part[surface] = self._surface_share(centres[surface], grid, oversample)
        return box, part.reshape([b.stop - b.start for b in box])

    def _surface_share(self, centres_mm: Array, grid: ImageGrid, oversample: int) -> Array:
        steps = (np.arange(oversample) + 0.5) / oversample - 0.5
        share = np.zeros(len(centres_mm))
        for offset in np.stack(np.meshgrid(steps, steps, steps), -1).reshape(-1, 3):
            share += self.contains(centres_mm + offset * np.array(grid.voxel_mm))
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


def _lattice(grid: ImageGrid, box: tuple[slice, slice, slice]) -> Array:
    """Return the centres (n, 3) of the voxels of a box as (x, y, z), x fastest [mm]."""
    z, y, x = (grid.centres_mm(2 - axis)[part] for axis, part in enumerate(box))
    points = np.empty((len(z), len(y), len(x), 3))
    points[..., 0] = x
    points[..., 1] = y[:, None]
    points[..., 2] = z[:, None, None]
    return points.reshape(-1, 3)


def kind_of(shape: Shape) -> int:
    """Return the kind of a solid for the kernels of chords.

    Parameters
    ----------
    shape
        a solid
    """
    return {0: chords.BALL, 1: chords.TUBE, 3: chords.BOX}[len(shape.flat_axes)]
