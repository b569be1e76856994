"""Rays for tests, and Siddon's tracing in a simple form as an independent reference."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.operators.rays import RayProjector, Rays

GRID = ImageGrid((5, 6, 7), (2.0, 3.0, 2.5), (4.0, -3.0, 2.0))
"""Small and off-centre, with anisotropic voxels."""


def siddon(p: NDArray[np.float64], q: NDArray[np.float64], grid: ImageGrid) -> NDArray[np.float64]:
    """Return the length [mm] of the segment from p to q in every voxel, [z, y, x].

    Siddon, Med. Phys. 12 (1985) 252: cut the segment at all planes between voxels. Each piece
    counts for the voxel that contains its centre; a piece in a face or edge counts in equal
    parts for the voxels that meet there.
    """
    start, end = grid.to_voxels(p), grid.to_voxels(q)
    cuts = [np.array([0.0, 1.0])]
    for axis, n in enumerate(grid.shape[::-1]):
        if start[axis] != end[axis]:
            cuts.append((np.arange(n + 1) - start[axis]) / (end[axis] - start[axis]))
    at = np.unique(np.clip(np.concatenate(cuts), 0, 1))
    lengths = np.diff(at) * np.linalg.norm(q - p)
    middles = start + (at[1:] + at[:-1])[:, None] / 2 * (end - start)
    is_along_face = (start == end) & (start == np.rint(start))
    image = np.zeros(grid.shape)
    for length, middle in zip(lengths, middles, strict=True):
        upper = np.floor(middle).astype(int)
        sides = [(i - 1, i) if on else (i,) for i, on in zip(upper, is_along_face, strict=True)]
        around = list(itertools.product(*sides))
        for x, y, z in around:
            if 0 <= x < grid.shape[2] and 0 <= y < grid.shape[1] and 0 <= z < grid.shape[0]:
                image[z, y, x] += length / len(around)
    return image


def chord_mm(p: NDArray[np.float64], q: NDArray[np.float64], grid: ImageGrid) -> float:
    """Return the length of the segment from p to q inside the box, clipped at its faces."""
    near, far = 0.0, 1.0
    for axis in range(3):
        delta = q[axis] - p[axis]
        if delta == 0:
            if not grid.lower_mm[axis] <= p[axis] < grid.upper_mm[axis]:
                return 0.0
            continue
        low, high = sorted(
            (edge - p[axis]) / delta for edge in (grid.lower_mm[axis], grid.upper_mm[axis])
        )
        near, far = max(near, low), min(far, high)
    return max(far - near, 0.0) * float(np.linalg.norm(q - p))


def rays_of(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> Rays:
    """Return rays between explicit ends."""
    n = len(starts)
    rows = np.arange(2 * n, dtype=np.int32).reshape(2, n).T
    return Rays(np.concatenate([starts, ends]), np.ascontiguousarray(rows))


def swapped(rays: Rays) -> Rays:
    """Return the rays from their second point to their first."""
    return Rays(rays.points_mm, np.ascontiguousarray(rays.ends[:, ::-1]), rays.tof_bins)


def matrix(rays: Rays, grid: ImageGrid, dtype: str = "float64") -> NDArray[np.floating]:
    """Return every element of the projector, (n rays, *grid.shape), one voxel at a time."""
    project = RayProjector(rays, grid, on=cpu(1), dtype=dtype)
    units = np.eye(grid.n_voxels, dtype=dtype).reshape(-1, *grid.shape)
    return np.stack([project(unit) for unit in units], axis=1).reshape(-1, *grid.shape)


def octant_rays(rng: np.random.Generator, n_each: int, grid: ImageGrid) -> Rays:
    """Return rays in all eight octants of direction, through, past, into and within the box."""
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    directions = np.repeat(signs, n_each, axis=0) * rng.uniform(0.02, 1, (8 * n_each, 3))
    middles = np.array(grid.centre_mm) + rng.uniform(-0.6, 0.6, (8 * n_each, 3)) * grid.size_mm
    before, after = rng.uniform(0, 30, (2, 8 * n_each, 1))
    return rays_of(middles - before * directions, middles + after * directions)


def lattice_rays(rng: np.random.Generator, n: int, grid: ImageGrid) -> Rays:
    """Return rays between voxel corners: along faces and edges, some of zero length."""
    size = np.array(grid.shape[::-1])
    corners = rng.integers(-2, size + 3, (2, n, 3))
    corners[1, : n // 4, 0] = corners[0, : n // 4, 0]  # in a plane between voxels
    corners[1, : n // 8, 1] = corners[0, : n // 8, 1]  # along an edge, or of zero length
    steps = rng.integers(-4, 5, (n // 4, 1)) * rng.choice([-1, 1], (n // 4, 3))
    corners[1, -(n // 4) :] = corners[0, -(n // 4) :] + steps  # diagonal, through corners
    starts, ends = grid.lower_mm + corners * np.array(grid.voxel_mm)
    return rays_of(starts, ends)


def axis_rays(rng: np.random.Generator, n: int, grid: ImageGrid) -> Rays:
    """Return rays parallel to one axis, in both directions."""
    starts = np.array(grid.centre_mm) + rng.uniform(-0.7, 0.7, (n, 3)) * grid.size_mm
    ends = starts.copy()
    ends[np.arange(n), np.arange(n) % 3] += rng.uniform(-40, 40, n)
    return rays_of(starts, ends)
