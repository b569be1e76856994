"""Slices read in groups are those of the volume, at every place and in every order."""

from __future__ import annotations

import numpy as np
import pytest

from app.views.slices import plane_cache
from app.views.slices.plane_cache import slice_of
from engine.data.volume import Volume
from engine.geometry import orientation
from engine.geometry.grid import ImageGrid


@pytest.mark.parametrize("n_x", [1, 3, 8, 21])
def test_every_slice_is_that_of_the_volume(rng, n_x):
    grid = ImageGrid((5, 7, n_x), (1.0, 1.0, 1.0))
    volumes = [Volume(rng.random(grid.shape).astype(np.float32), grid, "HU") for _ in range(2)]
    for plane in ("axial", "coronal", "sagittal"):
        way = orientation(plane)
        n = grid.shape[2 - way.normal]
        for index in (*range(n), *rng.integers(0, n, 10)):
            for volume in volumes:
                found = slice_of(volume, way, int(index))
                np.testing.assert_array_equal(found, way.extract(volume.values, int(index)))
                found[:] = -1  # a copy: the next one must not see this


def test_a_deleted_volume_frees_its_slices(rng):
    grid = ImageGrid((5, 7, 9), (1.0, 1.0, 1.0))
    before = len(plane_cache._KEPT)
    volume = Volume(rng.random(grid.shape).astype(np.float32), grid, "HU")
    slice_of(volume, orientation("sagittal"), 3)
    assert len(plane_cache._KEPT) == before + 1
    del volume
    assert len(plane_cache._KEPT) == before


def test_only_the_newest_groups_are_kept(rng):
    grid = ImageGrid((5, 7, 40), (1.0, 1.0, 1.0))
    volume = Volume(rng.random(grid.shape).astype(np.float32), grid, "HU")
    for index in range(40):
        slice_of(volume, orientation("sagittal"), index)
    assert len(plane_cache._KEPT[id(volume)]) == plane_cache.KEPT
