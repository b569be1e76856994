"""Sample paths between two scatter points, for double scatter.

Each point s has directions w on an evenly covered sphere with a random rotation. A length l along
each is drawn uniformly up to the edge of the object's box, stratified over all paths. A path
represents

    ΔV μ(s) · 4π / n · L · μ(t),    t = s + l w,

with n directions per point and the length L up to the edge. It ends at the scatter point that is
nearest to t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter_estimation.samples import MIN_ATTENUATION, ScatterPoints, dense_mu
from engine.data.volume import Volume
from engine.kernels.blocks import run_blocks
from engine.kernels.scatter.path_segments import Legs, find_nearest, read_means

N_DIRECTIONS = 32
N_STEPS = 24
"""Number of points on a path at which activity and attenuation are sampled."""

Values = NDArray[np.float64]


def legs_between(
    points: ScatterPoints, image: Volume, mu_map: Volume, seed: int, *, threads: int = 1
) -> Legs:
    """Return the paths between scatter points of an object.

    Parameters
    ----------
    points
        scatter points of the object
    image
        activity
    mu_map
        attenuation at 511 keV [1/mm]
    seed
        seed of directions and lengths
    threads
        number of threads
    """
    rng = np.random.default_rng(seed)
    # Air and lung voxels below this threshold scatter too little to be worth a path.
    n_points, dense = len(points.places_mm), MIN_ATTENUATION * dense_mu(mu_map)
    first = np.repeat(np.arange(n_points), N_DIRECTIONS)
    begin = points.places_mm[first]
    # Lengths end at the box of the scattering voxels, because nothing scatters outside it.
    towards = _directions(rng, n_points)
    most = _to_the_edge(begin, towards, *_box(mu_map, dense))
    n = len(first)
    # Stratified: each of n equal intervals has exactly one length, which lowers the variance.
    length = (rng.permutation(n) + rng.random(n)) / max(n, 1) * most
    end = begin + length[:, None] * towards
    there = _means(mu_map, end, end, 1, threads)
    # Paths that end in air scatter nothing; dropping them early saves most of the tracing.
    is_dense = there > dense
    first, there = first[is_dense], there[is_dense]
    begin, towards, most, length, end = (v[is_dense] for v in (begin, towards, most, length, end))
    weights = points.weights_mm2[first] * (4 * np.pi / N_DIRECTIONS) * most * there
    return Legs(
        first,
        _nearest(points.places_mm, end, threads),
        np.ascontiguousarray(towards),
        weights,
        _means(mu_map, begin, end, N_STEPS, threads) * length,
        _means(image, begin, end, N_STEPS, threads) * length,
    )


def _directions(rng: np.random.Generator, n: int) -> Values:
    """Return unit vectors (n · N_DIRECTIONS, 3): one rotated spiral on the sphere per point."""
    place = np.arange(N_DIRECTIONS) + 0.5
    z = 1 - 2 * place / N_DIRECTIONS
    # Steps of the golden angle distribute points evenly on a sphere.
    turn = np.pi * (1 + np.sqrt(5)) * place
    spiral = np.stack([np.cos(turn), np.sin(turn), z], axis=1)
    spiral[:, :2] *= np.sqrt(1 - z**2)[:, None]
    rotations = _rotations(rng, n)
    turned: Values = np.einsum("di,nij->ndj", spiral, rotations).reshape(-1, 3)
    return turned


def _rotations(rng: np.random.Generator, n: int) -> Values:
    """Return uniform rotations (n, 3, 3), after Shoemake, Graphics Gems III (1992) 124."""
    w, x, y, z = (q := rng.standard_normal((4, n))) / np.linalg.norm(q, axis=0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _box(mu_map: Volume, dense: float) -> tuple[Values, Values]:
    """Return the lower and upper corner of the scattering voxels [mm]."""
    grid = mu_map.grid
    where = np.argwhere(mu_map.values > dense)[:, ::-1]
    lower = np.asarray(grid.lower_mm, np.float64)
    if not len(where):
        return lower, lower
    voxel = np.array(grid.voxel_mm)
    return lower + where.min(axis=0) * voxel, lower + (where.max(axis=0) + 1) * voxel


def _to_the_edge(begin: Values, towards: Values, low: Values, high: Values) -> Values:
    """Return the length of rays up to the edge of a box, (n,) [mm]."""
    # Rays along an axis never reach the other faces; a tiny slope makes that distance huge.
    safe = np.where(np.abs(towards) < 1e-12, 1e-12, towards)
    ahead: Values = np.where(safe > 0, (high - begin) / safe, (low - begin) / safe).min(axis=1)
    return np.maximum(ahead, 0.0)


def _nearest(points_mm: Values, places_mm: Values, threads: int) -> NDArray[np.int64]:
    """Return the number of the point nearest to each position (n, 3), (n,)."""
    found = np.empty(len(places_mm), np.int64)
    points = np.ascontiguousarray(points_mm.T, np.float32)

    def find(_: int, start: int, stop: int) -> None:
        find_nearest(start, stop, places_mm, points, found)

    run_blocks(find, len(found), threads)
    return found


def _means(volume: Volume, begin_mm: Values, end_mm: Values, n_steps: int, threads: int) -> Values:
    """Return the mean of values along paths, (n,), linear between voxel centres."""
    grid, means = volume.grid, np.empty(len(begin_mm))
    voxel, values = np.array(grid.voxel_mm), np.ascontiguousarray(volume.values, np.float32)
    begin, end = ((each - grid.lower_mm) / voxel - 0.5 for each in (begin_mm, end_mm))

    def read(_: int, start: int, stop: int) -> None:
        read_means(start, stop, values, (begin, end), n_steps, means)

    run_blocks(read, len(means), threads)
    return means
