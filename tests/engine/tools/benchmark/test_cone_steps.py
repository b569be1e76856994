"""Tests of the number of steps of line integrals: one step per ray and crossed layer."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.operators.xray.scene import Scene
from engine.tools.benchmark.cone.steps import n_steps
from engine.tools.benchmark.cone.suite import ConeWork
from engine.tools.benchmark.cone.variants import FormsWork

GRID = ImageGrid((7, 10, 12), (2.0, 2.0, 3.0))


def cone(n_views=5):
    return circular_cone(
        circle(n_views), source_axis_mm=61.3, source_detector_mm=90.1, shape=(9, 14), pixel_mm=3.87
    )


def one_by_one(scan, grid) -> int:
    """Count the steps of every ray through all layers."""
    sizes, found = np.array(grid.shape[::-1]), 0
    for view in Scene(scan, grid).rays:
        first, first_column, first_row, along, along_column, along_row = view
        for row, column in np.ndindex(scan.shape):
            start = first + column * first_column + row * first_row
            direction = along + column * along_column + row * along_row
            k = int(np.abs(direction).argmax())
            for layer in range(sizes[k]):
                place = start + (layer + 0.5 - start[k]) / direction[k] * direction - 0.5
                found += all(-1 <= place[i] <= sizes[i] for i in range(3) if i != k)
    return found


def test_every_layer_of_every_ray_is_counted():
    assert n_steps(cone(), GRID) == one_by_one(cone(), GRID)


@pytest.mark.parametrize(("n_columns", "n_crossing"), [(10, 10), (12, 12), (40, 12)])
def test_rays_outside_the_volume_take_no_steps(n_columns, n_crossing):
    # along an axis, the outermost rays with voxels are one voxel outside the outer centres
    scan = parallel(np.zeros(1), shape=(7, n_columns), pixel_mm=2.0)
    grid = ImageGrid((7, 11, 11), (2.0, 2.0, 2.0))
    assert n_steps(scan, grid) == 7 * 11 * n_crossing


def test_sample_of_rays_estimates_the_steps_of_a_scan():
    work = ConeWork(32, 60, 48)
    assert n_steps(work.geometry, work.grid, 5_000) == pytest.approx(work.n_steps, rel=0.02)


@pytest.mark.parametrize(("work", "share"), [(ConeWork(256), 0.826), (FormsWork(), 0.853)])
def test_rays_of_the_measured_scans_cross_the_stated_share_of_layers(work, share):
    steps = n_steps(work.geometry, work.grid, 100_000)
    assert steps == pytest.approx(share * work.n_rays * work.size, rel=0.01)
