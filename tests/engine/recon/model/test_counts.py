"""The EM loop on the host, in pieces and with threads, follows its formula."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.operators import planes
from engine.operators.rays import RayProjector, Rays
from engine.recon.model.listmode import ListModeModel

GRID = ImageGrid((31, 50, 60), (2.0, 2.0, 2.0))
assert GRID.n_voxels > planes.VOXELS_AT_ONCE


@pytest.fixture(autouse=True)
def threads_for_small_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planes, "SINGLE_THREAD_VOXELS", 0)


def model(threads: int, grid: ImageGrid = GRID) -> ListModeModel:
    """Return rays through a grid with zero sensitivity in some voxels of the upper quarter."""
    rng = np.random.default_rng(3)
    half = np.array(grid.size_mm) / 2
    points = rng.uniform(-1, 1, (80, 3)) * half * np.array([1.2, 1.2, 1.0])
    rays = Rays(points, rng.integers(0, 80, (300, 2)).astype(np.int32))
    sensitivity = rng.uniform(0.5, 2, grid.shape).astype(np.float32)
    # the lower planes use the code path without mask
    upper = sensitivity[-max(1, grid.shape[0] // 4) :]
    upper[rng.random(upper.shape) < 0.1] = 0
    background = rng.uniform(0.1, 0.2, 300).astype(np.float32)
    A = RayProjector(rays, grid, on=cpu(threads), reproducible=True)
    return ListModeModel(A, background, sensitivity)


@pytest.mark.parametrize("grid", [GRID, ImageGrid((1, 5, 7), (9.0, 9.0, 9.0))])
def test_update_follows_the_formula_in_each_voxel(grid: ImageGrid) -> None:
    one, x = model(2, grid), np.full(grid.shape, 0.7, np.float32)
    loop = one.em_loop(x, 1)
    loop.update(0)
    step, s = one.em_step(x), one.sensitivity
    there = s > 0
    updated = np.divide(step.numerator, s, out=np.zeros_like(x), where=there)
    assert not there.all()
    np.testing.assert_array_equal(loop.snapshot()(), updated)
    log_likelihood, n_skipped = loop.figures()
    expected = float((s.astype(np.float64) * x).sum())
    assert log_likelihood == pytest.approx(step.log_sum - expected, rel=1e-7)
    assert n_skipped == step.n_skipped


def test_number_of_threads_does_not_change_the_bits() -> None:
    found = []
    for threads in (1, 2, 3):
        loop = model(threads).em_loop(np.full(GRID.shape, 0.7, np.float32), 4)
        for k in range(4):
            loop.update(k)
        found.append((loop.snapshot()(), loop.figures()))
    for image, figures in found[1:]:
        np.testing.assert_array_equal(image, found[0][0])
        assert figures == found[0][1]


def test_subsets_share_one_sensitivity() -> None:
    whole = model(1)
    shares = [whole.subset(k, 3).sensitivity for k in range(3)]
    assert all(share is shares[0] for share in shares)
    np.testing.assert_array_equal(shares[0], whole.sensitivity / 3)
    assert whole.subset(0, 2).sensitivity is not shares[0]
