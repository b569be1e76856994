"""Voxel phantoms from activity and attenuation volumes, such as the MNI brain maps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import cpu
from engine.core.checked import checked, checked_class
from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume
from engine.operators.rays import RayProjector, Rays
from engine.simulate.phantom import UNITS, Phantom, Quantity, distances_mm
from engine.simulate.phantoms import WATER_PER_MM

X_WATER_PER_MM, MAX_PER_MM = 0.02, 10.0
_SCALP_MM = 10.0


@checked_class()
@dataclass(frozen=True)
class VoxelPhantom(Phantom):
    """Piecewise constant activity and attenuation, zero outside their grids.

    Attributes
    ----------
    name : name in messages and provenance
    activity : relative activity
    mu : attenuation coefficient [1/mm]; None: no attenuation
    """

    name: str
    activity: Volume
    mu: Volume | None = None

    def activity_at(self, points_mm: Array) -> Array:
        return _look_up(self.activity, points_mm)

    def mu_at(self, points_mm: Array) -> Array:
        return _look_up(self.mu, points_mm)

    def activity_integral(self, first_mm: Array, second_mm: Array) -> Array:
        return _integral(self.activity, first_mm, second_mm)

    def mu_integral(self, first_mm: Array, second_mm: Array) -> Array:
        return _integral(self.mu, first_mm, second_mm)

    def may_cross_activity(self, first_mm: Array, second_mm: Array) -> NDArray[np.bool_]:
        grid = self.activity.grid
        # A cylinder around all activity, plus a voxel, because centres stand for whole voxels.
        y, x = np.nonzero(self.activity.values.any(axis=0))
        x_mm, y_mm = grid.centres_mm(0)[x], grid.centres_mm(1)[y]
        middle = (float(x_mm.min() + x_mm.max()) / 2, float(y_mm.min() + y_mm.max()) / 2)
        reach_mm = np.hypot(x_mm - middle[0], y_mm - middle[1]).max() + max(grid.voxel_mm)
        return np.asarray(distances_mm(middle, first_mm, second_mm) <= reach_mm)

    def emission_places(self, first_mm: Array, second_mm: Array, rng: np.random.Generator) -> Array:
        # Rejection against the maximum: positions are uniform in the box and accepted by their
        # activity.
        enter, leave = _through_box(self.activity.grid, first_mm, second_mm)
        places = np.full(len(first_mm), np.nan)
        peak = float(self.activity.values.max())
        # Lines without activity would be rejected in an endless loop.
        left = np.flatnonzero(_integral(self.activity, first_mm, second_mm) > 0)
        while len(left):
            place = enter[left] + (leave - enter)[left] * rng.random(len(left))
            direction = second_mm[left] - first_mm[left]
            here = self.activity_at(first_mm[left] + place[:, None] * direction)
            accepted = rng.random(len(left)) * peak < here
            places[left[accepted]] = place[accepted]
            left = left[~accepted]
        return places

    @checked(positive=("oversample",))
    def rasterise(
        self, grid: ImageGrid, quantity: Quantity = "activity", *, oversample: int = 3
    ) -> Volume:
        volume = self.activity if quantity == "activity" else self.mu
        values = np.zeros(grid.shape, np.float32)
        # Slice by slice, because the sample points of a whole volume would not fit into memory.
        for i_z in range(grid.shape[0]):
            points = _slice_points(grid, i_z, oversample)
            fine = _look_up(volume, points).reshape(
                oversample, grid.shape[1], oversample, grid.shape[2], oversample
            )
            values[i_z] = fine.mean(axis=(0, 2, 4))
        return Volume(values, grid, UNITS[quantity], {"phantom": self.name})


@checked()
def from_volumes(activity: Volume, mu: Volume | None = None, name: str = "voxels") -> VoxelPhantom:
    """Return a phantom of an activity volume and an attenuation map.

    Parameters
    ----------
    activity
        relative activity per volume
    mu
        attenuation map [1/mm], on any grid; None: no attenuation
    name
        name in messages and provenance

    Raises
    ------
    DataError
        if a volume has values that are negative or not finite, or the activity is all 0
    """
    values = activity.values
    if not (np.isfinite(values).all() and values.min() >= 0 and values.max() > 0):
        raise DataError(
            f"phantom {name!r}: the activity ranges from {values.min():g} to {values.max():g}, "
            "but must be finite, not negative and not all 0; choose another volume."
        )
    if mu is not None and not (np.isfinite(mu.values).all() and mu.values.min() >= 0):
        raise DataError(
            f"phantom {name!r}: the attenuation map ranges from {mu.values.min():g} to "
            f"{mu.values.max():g}, but must be finite and not negative; choose another volume."
        )
    return VoxelPhantom(name, activity, mu)


def attenuation_of(path: Path) -> VoxelPhantom:
    """Return a phantom for X-rays from a volume file.

    Parameters
    ----------
    path
        volume in 1/mm or HU; water counts as 0.02 1/mm

    Raises
    ------
    DataError
        if the unit is another one, or values are not attenuation coefficients
    """
    volume = read_volume(path)
    values = volume.values
    if volume.unit == "HU":
        values = np.maximum(X_WATER_PER_MM * (1 + values / 1000), 0).astype(np.float32)
    elif volume.unit not in ("1/mm", ""):
        raise DataError(
            f"{path.name}: the attenuation map has the unit {volume.unit}, expected 1/mm or HU; "
            "convert the map to one of these units."
        )
    # Coefficients above 10 1/mm do not exist at these energies; such a volume is in other units.
    if not (np.isfinite(values).all() and values.min() >= 0 and 0 < values.max() <= MAX_PER_MM):
        raise DataError(
            f"{path.name}: the values range from {values.min():g} to {values.max():g}, but "
            f"attenuation coefficients are between 0 and {MAX_PER_MM:g} 1/mm; convert the map to "
            "1/mm, or set its unit to HU."
        )
    mu = Volume(values, volume.grid, "1/mm")
    return VoxelPhantom(path.name, mu, mu)


@checked()
def mni_brain(grey_path: Path, white_path: Path) -> VoxelPhantom:
    """Return an FDG brain from maps of grey and white matter: 4 grey + white.

    The head is water up to 10 mm outside the brain, because such maps have no skull.

    Parameters
    ----------
    grey_path, white_path
        maps on the same grid, in any common scale

    Raises
    ------
    GeometryError
        if the grids differ
    """
    from scipy import ndimage

    grey, white = read_volume(grey_path), read_volume(white_path)
    if grey.grid != white.grid:
        raise GeometryError(
            f"the two maps have different grids or positions ({grey_path.name}: "
            f"{grey.grid.describe()}; {white_path.name}: {white.grid.describe()}); resample one "
            "map to the grid of the other."
        )
    most = np.float32(max(grey.values.max(), white.values.max()))
    activity = (4 * grey.values + white.values) / most
    matter = grey.values + white.values > 0.1 * most
    outside_mm = ndimage.distance_transform_edt(~matter, sampling=grey.grid.voxel_mm[::-1])
    # Ventricles are neither grey nor white. Filling the holes makes them water.
    head = ndimage.binary_fill_holes(outside_mm <= _SCALP_MM)
    mu = Volume(np.where(head, np.float32(WATER_PER_MM), np.float32(0)), grey.grid, "1/mm")
    return from_volumes(Volume(activity, grey.grid, "relative"), mu, "MNI brain")


def _look_up(volume: Volume | None, points_mm: Array) -> Array:
    """Return the value of the voxel around each point; 0 outside."""
    if volume is None:
        return np.zeros(len(points_mm))
    at = np.floor(volume.grid.to_voxels(points_mm)).astype(np.int64)
    size = np.array(volume.grid.shape[::-1])
    inside = ((at >= 0) & (at < size)).all(axis=1)
    x, y, z = np.where(inside[:, None], at, 0).T
    return np.where(inside, volume.values[z, y, x], 0)


def _integral(volume: Volume | None, first_mm: Array, second_mm: Array) -> Array:
    n = len(first_mm)
    if volume is None or n == 0:
        return np.zeros(n)
    ends = np.stack([np.arange(n), np.arange(n) + n], -1).astype(np.int32)
    rays = Rays(np.concatenate([first_mm, second_mm]), ends)
    # One thread: the callers already run in a pool.
    projector = RayProjector(rays, volume.grid, on=cpu(1))
    return np.asarray(projector(volume.values), np.float64)


def _through_box(grid: ImageGrid, first_mm: Array, second_mm: Array) -> tuple[Array, Array]:
    """Return the fractions at which each line enters and leaves the box of the grid."""
    direction = second_mm - first_mm
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (grid.lower_mm - first_mm) / direction, (grid.upper_mm - first_mm) / direction
    # 0 / 0 (a line on a face) gives NaN, which must not win the maximum.
    enter = np.nan_to_num(np.minimum(one, other), nan=0.0).max(axis=1).clip(0, 1)
    leave = np.nan_to_num(np.maximum(one, other), nan=1.0).min(axis=1).clip(0, 1)
    return enter, np.maximum(leave, enter)


def _slice_points(grid: ImageGrid, i_z: int, oversample: int) -> Array:
    """Return evenly spaced points of a slice in (z, y, x) order, oversample³ per voxel [mm]."""
    fine = ImageGrid(
        (grid.shape[0] * oversample, grid.shape[1] * oversample, grid.shape[2] * oversample),
        (
            grid.voxel_mm[0] / oversample,
            grid.voxel_mm[1] / oversample,
            grid.voxel_mm[2] / oversample,
        ),
        grid.centre_mm,
    )
    x, y = fine.centres_mm(0), fine.centres_mm(1)
    z = fine.centres_mm(2)[i_z * oversample : (i_z + 1) * oversample]
    points = np.stack(np.broadcast_arrays(x, y[:, None], z[:, None, None]), -1)
    return points.reshape(-1, 3)
