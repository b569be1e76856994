from itertools import pairwise

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.operators.rays import RayProjector, Rays
from tests.engine.operators.ray_oracles import (
    GRID,
    axis_rays,
    chord_mm,
    lattice_rays,
    matrix,
    octant_rays,
    rays_of,
    siddon,
    swapped,
)
from tests.tolerances import FLOAT64_MM

TRACED = {
    "all octants": lambda rng: octant_rays(rng, 40, GRID),
    "lattice": lambda rng: lattice_rays(rng, 240, GRID),
    "axis-parallel": lambda rng: axis_rays(rng, 90, GRID),
}


def all_siddon(rays: Rays, grid: ImageGrid) -> np.ndarray:
    return np.stack([siddon(*rays.points_mm[ends], grid) for ends in rays.ends])


@pytest.mark.parametrize("kind", TRACED)
def test_every_voxel_has_the_length_of_siddon(rng, kind):
    rays = TRACED[kind](rng)

    difference = matrix(rays, GRID) - all_siddon(rays, GRID)

    assert np.abs(difference).max() < 1e-10  # mm; double precision, about 20 crossings per ray


@pytest.mark.parametrize("kind", TRACED)
def test_swapped_ends_give_the_same_voxels(rng, kind):
    rays = TRACED[kind](rng)

    np.testing.assert_allclose(matrix(swapped(rays), GRID), matrix(rays, GRID), atol=FLOAT64_MM)


def moved(rays: Rays, by_voxels: tuple[float, float, float]) -> Rays:
    return Rays(rays.points_mm + np.array(by_voxels) * GRID.voxel_mm, rays.ends)


def face_rays(rng: np.random.Generator, n: int, axis: int) -> Rays:
    """Return rays of any direction in faces across an axis, also in the outer faces of the box."""
    low, voxel = GRID.lower_mm[axis], GRID.voxel_mm[axis]
    middles = np.array(GRID.centre_mm) + rng.uniform(-0.4, 0.4, (n, 3)) * GRID.size_mm
    directions = rng.normal(size=(n, 3))
    middles[:, axis] = low + voxel * rng.integers(0, GRID.shape[2 - axis] + 1, n)
    directions[:, axis] = 0
    return rays_of(middles - 20 * directions, middles + 20 * directions)


@pytest.mark.parametrize("axis", range(3))
def test_ray_along_a_face_is_the_mean_of_those_on_either_side(rng, axis):
    rays, half_voxel = face_rays(rng, 60, axis), np.eye(3)[axis] / 2

    lengths = matrix(rays, GRID)

    either = [matrix(moved(rays, side * half_voxel), GRID) for side in (-1, 1)]
    np.testing.assert_allclose(lengths, (either[0] + either[1]) / 2, atol=FLOAT64_MM)


def test_ray_along_a_face_between_planes_is_half_as_long_in_each():
    low, high = GRID.lower_mm, GRID.upper_mm
    face = low[2] + 2 * GRID.voxel_mm[2]
    start, end = (
        np.array([[low[0] - 5, low[1] - 1, face]]),
        np.array([[high[0], high[1] + 2, face]]),
    )

    in_planes = matrix(rays_of(start, end), GRID)[0].sum(axis=(1, 2))

    half_voxel = chord_mm(start[0] + [0, 0, 0.1], end[0] + [0, 0, 0.1], GRID)
    assert in_planes == pytest.approx([0, half_voxel / 2, half_voxel / 2, 0, 0])


def test_ray_along_an_edge_is_a_quarter_as_long_in_each_of_four_voxels():
    low, voxel = GRID.lower_mm, np.array(GRID.voxel_mm)
    start = (low + [2, -1, 3] * voxel)[None]

    lengths = matrix(rays_of(start, start + np.array([0, 40, 0])), GRID)[0]

    assert lengths[2:4, :, 1:3] == pytest.approx(voxel[1] / 4)
    assert lengths.sum() == pytest.approx(GRID.size_mm[1])


@pytest.mark.parametrize("axis", range(3))
def test_float32_positions_are_on_the_same_faces(rng, axis):
    rays = face_rays(rng, 30, axis)
    rounded = Rays(rays.points_mm.astype(np.float32).astype(float), rays.ends)

    np.testing.assert_allclose(matrix(rounded, GRID), matrix(rays, GRID), atol=1e-4)


def test_zero_length_and_missing_rays_are_zero_not_nan():
    inside, outside = np.array(GRID.centre_mm), GRID.upper_mm + 1
    rays = rays_of(np.array([inside, outside, outside]), np.array([inside, outside, outside * 2]))
    project = RayProjector(rays, GRID, on=cpu(1))

    assert (project(np.ones(GRID.shape, np.float32)) == 0).all()
    assert (project.T(np.ones(3, np.float32)) == 0).all()


def test_image_of_ones_gives_the_box_chord_in_float32(rng):
    grid = ImageGrid((128, 128, 128), (2.0, 2.0, 2.0))
    angle, height = rng.uniform(0, 2 * np.pi, (2, 4000)), rng.uniform(-100, 100, (2, 4000))
    points = np.stack([300 * np.cos(angle), 300 * np.sin(angle), height], axis=-1)
    rays = rays_of(*points)

    chords = RayProjector(rays, grid, on=cpu(2))(np.ones(grid.shape, np.float32))

    truth = [chord_mm(p, q, grid) for p, q in zip(*points, strict=True)]
    assert np.abs(chords - truth).max() < 1e-3  # mm; well below the accepted 0.05


def test_disc_chords_converge_to_the_closed_form():
    offsets, truth = np.array([0.0, 50.0, 90.0]), np.array([200.0, 173.205, 87.178])
    angles = np.repeat(np.linspace(0.02, 3.1, 60), 3)
    across = np.stack([-np.sin(angles), np.cos(angles), 0 * angles], axis=-1)
    along = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
    foot = across * np.tile(offsets, 60)[:, None]
    rays = rays_of(foot - 300 * along, foot + 300 * along)

    errors = [np.abs(_disc_chords(rays, mm).reshape(60, 3) - truth).mean() for mm in (16, 8, 4, 2)]

    assert all(fine < coarse for coarse, fine in pairwise(errors))
    assert errors[-1] < 0.5  # mm: a quarter of the voxel over which the edge is blurred


def _disc_chords(rays: Rays, voxel_mm: float) -> np.ndarray:
    """Return chords through a disc of 100 mm radius; edge voxels are filled by 8 x 8 samples."""
    n = round(240 / voxel_mm)
    at = (np.arange(8 * n) + 0.5) * voxel_mm / 8 - 120
    disc = (at[:, None] ** 2 + at**2 < 100**2).reshape(n, 8, n, 8).mean(axis=(1, 3))
    grid = ImageGrid((1, n, n), (voxel_mm,) * 3)
    return RayProjector(rays, grid, on=cpu(1), dtype="float64")(disc[None])


def test_permuted_axes_permute_the_matrix(rng):
    rays = octant_rays(rng, 10, GRID)
    n_z, n_y, n_x = GRID.shape
    x, y, z = GRID.voxel_mm
    turned_grid = ImageGrid((n_y, n_x, n_z), (z, x, y), tuple(np.roll(GRID.centre_mm, 1)))
    turned = Rays(np.roll(rays.points_mm, 1, axis=1), rays.ends)

    expected = matrix(rays, GRID).transpose(0, 2, 3, 1)

    np.testing.assert_allclose(matrix(turned, turned_grid), expected, atol=FLOAT64_MM)


def test_translation_of_rays_and_grid_changes_nothing(rng):
    rays = octant_rays(rng, 10, GRID)
    shift = np.array([31.0, -17.0, 5.5])
    moved_grid = ImageGrid(GRID.shape, GRID.voxel_mm, tuple(np.array(GRID.centre_mm) + shift))

    shifted = matrix(Rays(rays.points_mm + shift, rays.ends), moved_grid)

    np.testing.assert_allclose(shifted, matrix(rays, GRID), atol=FLOAT64_MM)


def test_ray_is_the_sum_of_its_parts(rng):
    rays = octant_rays(rng, 10, GRID)
    starts, ends = rays.points_mm[rays.ends[:, 0]], rays.points_mm[rays.ends[:, 1]]
    cuts = starts + rng.uniform(0, 1, (len(starts), 1)) * (ends - starts)

    parts = matrix(rays_of(starts, cuts), GRID) + matrix(rays_of(cuts, ends), GRID)

    np.testing.assert_allclose(parts, matrix(rays, GRID), atol=FLOAT64_MM)
