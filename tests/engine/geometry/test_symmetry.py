"""Mirror symmetries of scanners, and gaps, grids or crystals that break them."""

import numpy as np

from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.symmetry import IDENTITY, symmetries, symmetrise

GRID = ImageGrid((4, 6, 6), (2.0, 2.0, 2.0))


def found(grid=GRID, n=24, **changes):
    values = {
        "name": "tiny", "n_rings": 3, "n_crystals_per_ring": n, "radius_mm": 50,
        "ring_pitch_mm": 4, "max_ring_difference": 2, "n_tangential": 12, "fov_mm": (40, 12),
    }  # fmt: skip
    scanner = RingScanner(RingSettings(**(values | changes)))
    return symmetries(scanner.positions_mm, scanner.alive, grid)


def test_whole_ring_has_all_sixteen_symmetries():
    assert len(found()) == 16


def test_quarter_turns_need_a_multiple_of_four_positions():
    assert len(found(n=26)) == 8


def test_gap_preserves_only_its_own_mirrors():
    retained = found(gap_places=(0,))  # on the x axis, so y and z can change sign
    assert set(retained) == {(False, (1, y, z)) for y in (1, -1) for z in (1, -1)}


def test_gap_ring_breaks_the_axial_mirror_and_a_shifted_grid_its_own():
    assert all(z == 1 for _, (_, _, z) in found(gap_rings=(0,)))
    shifted = ImageGrid(GRID.shape, GRID.voxel_mm, (1.0, 0.0, 0.0))
    assert all(x == 1 and not swap for swap, (x, _, _) in found(shifted))


def test_mean_over_mirrors_preserves_sum_and_symmetric_images(rng):
    image = rng.random(GRID.shape)
    mirrors = found()
    even = symmetrise(image, mirrors)
    np.testing.assert_allclose(even.sum(), image.sum())
    np.testing.assert_allclose(symmetrise(even, mirrors), even)
    np.testing.assert_array_equal(symmetrise(image, (IDENTITY,)), image)
