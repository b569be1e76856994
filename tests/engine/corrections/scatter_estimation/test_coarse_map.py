"""Tests of the μ-map of a simulation: cropped to the object and binned, at the same position."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.scatter_estimation.coarse_map import coarsened
from engine.data.cropping import extent
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.ring_scatter.lines import grown, object_mask
from engine.operators.rays import RayProjector, Rays

GRID = ImageGrid((9, 21, 16), (2.0, 1.5, 4.5), (3.0, -2.0, 1.0))


@pytest.fixture
def mu_map(rng: np.random.Generator) -> Volume:
    """Return an uneven off-centre body."""
    values = np.zeros(GRID.shape, np.float32)
    values[2:7, 4:17, 3:14] = rng.uniform(0.005, 0.01, (5, 13, 11))
    return Volume(values, GRID, "1/mm")


def moments(volume: Volume) -> np.ndarray:
    """Return the integral of a volume, and its centre [mm]."""
    grid, values = volume.grid, volume.values.astype(np.float64)
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    whole = values.sum()
    middle = [(values * at).sum() / whole for at in (x, y, z)]
    return np.array([whole * np.prod(grid.voxel_mm), *middle])


def test_coarse_map_preserves_integral_and_position_with_few_voxels(mu_map: Volume) -> None:
    coarse = coarsened(mu_map, 4.4)
    assert coarse.grid.shape == (5, 7, 6)  # 5, 13 and 11 voxels in bins of 1, 2 and 2
    assert coarse.grid.voxel_mm == pytest.approx((4.0, 3.0, 4.5))
    (whole, *middle), (expected, *place) = moments(coarse), moments(mu_map)
    assert whole == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(middle, place, atol=0.2)


def test_integrals_across_the_map_are_preserved(mu_map: Volume) -> None:
    """Along x, through the centre of the voxels that were binned along y."""
    y = GRID.lower_mm[1] + 1.5 * (4 + 2 * np.arange(6) + 1)
    ends = np.array(
        [(x, at + shift, 0.0) for x in (-40, 40) for at in y for shift in (-0.75, 0.75)]
    )
    pairs = np.stack([np.arange(12), np.arange(12) + 12], axis=1).astype(np.int32)
    rays = Rays(ends, pairs)
    fine, coarse = (RayProjector(rays, v.grid, on=cpu())(v.values) for v in
                    (mu_map, coarsened(mu_map, 4.4)))  # fmt: skip
    two = fine.reshape(-1, 2).mean(axis=1)
    np.testing.assert_allclose(coarse.reshape(-1, 2).mean(axis=1), two, rtol=1e-4)


def test_empty_map_is_not_changed(mu_map: Volume) -> None:
    empty = Volume(np.zeros(GRID.shape, np.float32), GRID, "1/mm")
    assert coarsened(empty, 4.4) is empty
    assert extent(empty.values > 0) is None


def test_mask_extends_to_its_margin(mu_map: Volume) -> None:
    """Compare with the distance of every voxel to every object voxel."""
    margin = 6.0
    z, y, x = (GRID.centres_mm(axis) for axis in (2, 1, 0))
    places = np.stack(np.meshgrid(z, y, x, indexing="ij"), axis=-1)
    body = places[mu_map.values > 0]
    least = np.array([np.linalg.norm(body - at, axis=1).min() for at in places.reshape(-1, 3)])
    expected = (least <= margin).reshape(GRID.shape)
    np.testing.assert_array_equal(object_mask(mu_map, margin).values > 0, expected)


@pytest.mark.parametrize("margin", [0.0, 3.0, 4.5, 9.84, 30.0])
def test_small_balls_equal_the_distance_transform(margin: float) -> None:
    inside = np.random.default_rng(3).random((14, 25, 31)) < 0.003
    found, expected = (grown(inside, (4.0625, 3.0, 2.0), margin, most) for most in (10**6, 0))
    np.testing.assert_array_equal(found, expected)
    assert inside.sum() <= found.sum()
