"""Tests of cropping a volume to its non-zero part."""

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.data.cropping import cropped
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.operators.rays import RayProjector
from tests.engine.operators.ray_oracles import octant_rays

GRID = ImageGrid((9, 11, 13), (2.0, 3.0, 2.5), (4.0, -7.0, 1.0))


@pytest.fixture
def body(rng: np.random.Generator) -> Volume:
    values = np.zeros(GRID.shape, np.float32)
    values[2:6, 3:4, 5:12] = rng.random((4, 1, 7))
    values[2, 3, 5] = values[5, 3, 11] = -1.0
    return Volume(values, GRID, "1/mm")


def test_voxels_keep_their_positions(body):
    part = cropped(body)
    assert part.values.shape == part.grid.shape == (4, 1, 7)
    assert (part.unit, part.grid.voxel_mm) == (body.unit, GRID.voxel_mm)
    np.testing.assert_array_equal(part.values, body.values[2:6, 3:4, 5:12])
    for axis, cropped_range in enumerate((slice(5, 12), slice(3, 4), slice(2, 6))):
        where = GRID.centres_mm(axis)[cropped_range]
        np.testing.assert_allclose(part.grid.centres_mm(axis), where, atol=1e-12)


@pytest.mark.slow
def test_line_integrals_equal_those_of_the_whole_volume(rng, body):
    rays, part = octant_rays(rng, 60, GRID), cropped(body)
    whole, some = (
        RayProjector(rays, v.grid, on=cpu(1), dtype="float64")(v.values.astype(np.float64))
        for v in (body, part)
    )
    assert np.abs(whole).max() > 1
    np.testing.assert_allclose(some, whole, atol=1e-9)


def test_empty_volume_keeps_one_voxel(body):
    empty = cropped(Volume(np.zeros_like(body.values), GRID, ""))
    assert empty.values.tolist() == [[[0.0]]]


def test_volume_without_a_margin_stays_whole(body):
    full = Volume(body.values + 3, GRID, "")
    assert cropped(full).grid == GRID
