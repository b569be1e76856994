"""A thorax in an emission image and in a displaced map, both from exact shapes.

The map has the values of the shapes at the displaced points; nothing is resampled. The emission
image has no attenuation correction: activity times the mean fraction of photon pairs that escape
along eight directions, with blur and noise.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.rigid_motion import RigidMotion
from engine.simulate.phantom import ShapePhantom

DIRECTIONS, FWHM_MM, NOISE, FAR_MM = 8, 6.0, 0.15, 400.0


def points_of(grid: ImageGrid) -> np.ndarray:
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    return np.stack([x, y, z], -1).reshape(-1, 3)


def uncorrected(phantom: ShapePhantom, grid: ImageGrid, seed: int) -> Volume:
    points = points_of(grid)
    values = phantom.activity_at(points)
    active = values > 0
    inside = points[active]
    leaving = np.zeros(len(inside))
    for angle in np.arange(DIRECTIONS) * np.pi / DIRECTIONS:
        path = FAR_MM * np.array([np.cos(angle), np.sin(angle), 0])
        leaving += np.exp(-phantom.mu_integral(inside - path, inside + path)) / DIRECTIONS
    values[active] *= leaving
    sigma = [FWHM_MM / 2.355 / edge for edge in grid.voxel_mm[::-1]]
    image = gaussian_filter(values.reshape(grid.shape), sigma)
    noise = gaussian_filter(np.random.default_rng(seed).normal(size=grid.shape), 1)
    return Volume((image + NOISE * image.max() * noise).astype(np.float32), grid, "counts/mm")


def displaced_map(phantom: ShapePhantom, grid: ImageGrid, motion: RigidMotion) -> Volume:
    """Return the map that `motion` moves to the phantom."""
    middle = np.array(grid.centre_mm)
    places = (points_of(grid) - middle) @ motion.matrix.T + middle + motion.shift_mm
    return Volume(phantom.mu_at(places).reshape(grid.shape).astype(np.float32), grid, "1/mm")


def planted(seed: int, max_mm: float = 20.0, max_deg: float = 5.0) -> RigidMotion:
    """Return a motion in a random direction, of at least 3 mm and 1 degree."""
    rng = np.random.default_rng(seed)
    shift, turn = rng.normal(size=(2, 3))
    shift *= rng.uniform(3, max_mm) / np.linalg.norm(shift)
    turn *= rng.uniform(1, max_deg) / np.linalg.norm(turn)
    return RigidMotion(tuple(shift.tolist()), tuple(turn.tolist()))


def errors(found: RigidMotion, true: RigidMotion) -> tuple[float, float]:
    """Return the error of the centre [mm] and of the rotation [degrees]."""
    off = float(np.linalg.norm(np.subtract(found.shift_mm, true.shift_mm)))
    cosine = (np.trace(found.matrix.T @ true.matrix) - 1) / 2
    return off, float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
