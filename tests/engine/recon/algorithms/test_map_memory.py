"""MAP states its number of images in memory."""

from __future__ import annotations

import tracemalloc
from itertools import islice

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.operators import planes
from engine.operators.rays import RayProjector, Rays
from engine.recon.algorithms import Bsrem, Osem, Svrg, map_algorithms, penalised, solve, svrg_cycle
from engine.recon.model import ListModeModel, MapModel

GRID = ImageGrid((16, 40, 40), (4.0, 4.0, 4.0))
N_EVENTS = 100


def model():
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (2 * N_EVENTS, 3)) * np.array(GRID.size_mm) / 2
    rays = Rays(points, np.arange(2 * N_EVENTS, dtype=np.int32).reshape(-1, 2))
    A = RayProjector(rays, GRID, on=cpu(1))
    background = np.full(N_EVENTS, 0.1, np.float32)
    events = ListModeModel(A, background, np.full(GRID.shape, 1.0, np.float32))
    start = np.full(GRID.shape, N_EVENTS / GRID.n_voxels, np.float32)
    return MapModel.of(events, GRID.voxel_mm[::-1], start)


def run(algorithm, n_updates):
    scan = model()
    for _ in islice(solve(algorithm, scan, scan.start), n_updates):
        pass


def peak(algorithm, n_updates):
    """Return the largest number of images in memory at any time; other arrays are included."""
    run(algorithm, 1)  # compile kernels before memory is counted
    tracemalloc.start()
    try:
        run(algorithm, n_updates)
        return tracemalloc.get_traced_memory()[1] / (4 * GRID.n_voxels)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("sharing", [1.0, 1e9])
@pytest.mark.parametrize("halvings", [0, 1])
def test_additional_memory_over_osem_is_stated(halvings, sharing, monkeypatch):
    """This holds with much and little momentum, and if a cycle is repeated.

    A second image for each subset would exceed the limit.
    """
    # As in a large image, temporary arrays of some planes are small.
    monkeypatch.setattr(planes, "VOXELS_AT_ONCE", 1 << 10)
    monkeypatch.setattr(penalised, "ROUNDING", 0.0 if halvings else 1.0)
    monkeypatch.setattr(svrg_cycle, "MAX_HALVINGS", halvings)
    monkeypatch.setattr(map_algorithms, "MUCH_SHARING", sharing)
    monkeypatch.setattr(svrg_cycle, "LONGEST_STEP", 12.0 if halvings else 0.5)
    algorithm = Svrg(subsets=4)
    found = peak(algorithm, 2) - peak(Osem(iterations=1, subsets=4), 4)
    assert algorithm.extra_images - 6 < found <= algorithm.extra_images


def test_memory_of_bsrem_is_stated():
    found = peak(Bsrem(subsets=4), 4) - peak(Osem(iterations=1, subsets=4), 4)
    assert 3 < found <= Bsrem().extra_images


def test_other_algorithms_need_no_more_than_osem():
    assert Osem().extra_images == 0
    assert Svrg(subsets=24).extra_images - Svrg(subsets=8).extra_images == 16
