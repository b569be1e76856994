"""Tests of voxel phantoms: agreement with their shapes and with their source maps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.io import save
from engine.simulate import ShapePhantom, VoxelPhantom, from_volumes, mni_brain, simulate_listmode
from engine.simulate.candidate_lines import lines_near
from engine.simulate.phantoms import WATER_PER_MM
from engine.simulate.shapes import Box, sphere

GRID = ImageGrid((20, 24, 28), (2.0, 2.0, 2.0), (3.0, -1.0, 0.0))
BRICKS = ShapePhantom(
    "bricks",
    (Box((3, -1, 0), (20, 16, 12), 1.0, 0.01), Box((7, -3, 2), (4, 6, 4), 3.0, 0.004)),
)


@pytest.fixture
def bricks() -> VoxelPhantom:
    """Return boxes with faces on voxel faces, which voxels represent exactly."""
    return from_volumes(BRICKS.rasterise(GRID), BRICKS.rasterise(GRID, "mu"))


def test_integrals_through_voxels_equal_those_of_the_shapes(
    bricks: VoxelPhantom, rng: np.random.Generator
) -> None:
    first, second = rng.uniform(-60, 60, (2, 300, 3))
    exact = BRICKS.activity_integral(first, second)
    assert (exact > 0).sum() > 50
    np.testing.assert_allclose(bricks.activity_integral(first, second), exact, atol=1e-3)
    np.testing.assert_allclose(
        bricks.mu_integral(first, second), BRICKS.mu_integral(first, second), atol=1e-5
    )


def test_voxels_have_the_values_of_the_shapes(
    bricks: VoxelPhantom, rng: np.random.Generator
) -> None:
    points = rng.uniform(-30, 30, (500, 3))
    np.testing.assert_allclose(bricks.activity_at(points), BRICKS.activity_at(points))
    np.testing.assert_allclose(bricks.mu_at(points), BRICKS.mu_at(points), rtol=1e-6)


def test_emission_positions_follow_the_voxels(
    bricks: VoxelPhantom, rng: np.random.Generator
) -> None:
    n = 6000
    first = np.repeat([[-57.0, -3, 2]], n, axis=0)
    x = -57 + 120 * bricks.emission_places(first, first + np.array([120, 0, 0]), rng)
    assert x.min() >= -17 and x.max() <= 23
    hot = np.abs(x - 7) < 4  # 8 mm of activity 4 in 40 mm; the rest has activity 1
    share = 32 / (32 + 32)
    assert hot.mean() == pytest.approx(share, abs=4 * 0.5 / np.sqrt(n))


def test_coarser_voxels_keep_the_mass(bricks: VoxelPhantom) -> None:
    coarse = ImageGrid((12, 12, 14), (4.0, 5.0, 4.0), GRID.centre_mm)
    fine_mass = bricks.activity.values.sum() * 8
    mass = bricks.rasterise(coarse, oversample=4).values.sum() * 80
    assert mass == pytest.approx(fine_mass, rel=2e-2)  # sample points instead of overlaps
    np.testing.assert_allclose(bricks.rasterise(GRID).values, bricks.activity.values)


@pytest.mark.slow
def test_scan_of_voxels_equals_a_scan_of_the_shapes(
    bricks: VoxelPhantom, tiny_ring: RingScanner
) -> None:
    options = {"n_prompts": 20_000, "seed": 3, "randoms_fraction": 0.0}
    of_voxels = simulate_listmode(bricks, tiny_ring, **options)  # type: ignore[arg-type]
    of_shapes = simulate_listmode(BRICKS, tiny_ring, **options)  # type: ignore[arg-type]
    assert of_voxels.info["counts_per_mm"] == pytest.approx(
        of_shapes.info["counts_per_mm"], rel=1e-3
    )
    assert of_voxels.tof_bins is not None and of_shapes.tof_bins is not None
    one, other = (np.bincount(scan.tof_bins, minlength=7) for scan in (of_voxels, of_shapes))
    assert ((one - other) ** 2 / np.maximum(one + other, 1)).mean() < 4  # the mean is about 1


def test_lines_outside_the_voxels_are_skipped(bricks: VoxelPhantom, tiny_ring: RingScanner) -> None:
    near = lines_near(bricks, tiny_ring)
    crystals = tiny_ring.lors(np.arange(tiny_ring.n_lors))
    is_active = (
        bricks.activity_integral(*(tiny_ring.positions_mm[crystals[:, k]] for k in (0, 1))) > 0
    )
    assert 0 < np.count_nonzero(is_active) <= len(near) < tiny_ring.n_lors
    retained = near.crystals(np.arange(len(near)))
    assert {*map(tuple, crystals[is_active].tolist())} <= {*map(tuple, retained.tolist())}


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_invalid_activity_is_refused(bad: float, bricks: VoxelPhantom) -> None:
    values = bricks.activity.values.copy()
    values[3, 4, 5] = bad
    with pytest.raises(DataError, match=r"the activity ranges from .* must be finite"):
        from_volumes(replace(bricks.activity, values=values))


def test_empty_phantom_is_refused(bricks: VoxelPhantom) -> None:
    with pytest.raises(DataError, match="and not all 0"):
        from_volumes(replace(bricks.activity, values=np.zeros(GRID.shape, np.float32)))


def test_negative_mu_map_is_refused(bricks: VoxelPhantom) -> None:
    with pytest.raises(DataError, match="attenuation map"):
        from_volumes(bricks.activity, replace(bricks.activity, values=-bricks.activity.values))


@pytest.fixture
def maps(tmp_path: Path) -> tuple[Path, Path]:
    """Write maps of a grey-matter shell of 0 to 255, and of white matter inside it."""
    grid = ImageGrid((24, 24, 24), (4.0, 4.0, 4.0))
    whole = sphere((0, 0, 0), 60).coverage(grid)
    white = sphere((0, 0, 0), 40).coverage(grid)
    paths = tmp_path / "grey.nii.gz", tmp_path / "white.nii.gz"
    for values, path in zip((whole - white, white), paths, strict=True):
        save(Volume(255 * values, grid, ""), path)
    return paths


def test_grey_matter_is_four_times_as_active(maps: tuple[Path, Path]) -> None:
    phantom = mni_brain(*maps)
    points = np.array([[25.0, 0, 0], [5, 0, 0], [35, 0, 0], [45, 0, 0]])
    np.testing.assert_allclose(phantom.activity_at(points), [4, 1, 0, 0], atol=1e-5)
    water = np.float32(WATER_PER_MM)
    np.testing.assert_allclose(phantom.mu_at(points), [water, water, water, 0])


def test_maps_on_different_grids_are_refused(maps: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.nii"
    save(Volume(np.ones((2, 2, 2), np.float32), ImageGrid((2, 2, 2), (4, 4, 4)), ""), other)
    with pytest.raises(GeometryError, match="to the grid of the other"):
        mni_brain(maps[0], other)


@pytest.mark.slow
def test_mni_maps_make_a_head(shared_data: Path) -> None:
    folder = shared_data / "phantom-mni152-brain"
    phantom = mni_brain(folder / "mni_icbm152_gm_1mm.nii.gz", folder / "mni_icbm152_wm_1mm.nii.gz")
    assert 3 < phantom.activity.values.max() <= 4.01
    assert phantom.mu is not None
    litres = np.count_nonzero(phantom.mu.values) * 1e-6
    assert 1.5 < litres < 4  # a brain of 1.4 l and 10 mm around it
