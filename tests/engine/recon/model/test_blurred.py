import numpy as np
import pytest

import engine
from engine.geometry.point_spread import PointSpread
from engine.operators.point_spread import PointSpreadBlur
from engine.recon.algorithms import Mlem
from engine.recon.algorithms.driver import solve
from engine.recon.model import BlurredModel
from tests.engine.operators.ray_oracles import GRID, matrix, octant_rays

SPREAD = PointSpread(np.array([0.0, 6.0]), np.array([3.0, 5.0]), np.array([3.0, 3.0]), 4.0)


@pytest.fixture
def rays(rng):
    rays = octant_rays(rng, 30, GRID)
    is_crossing = matrix(rays, GRID).reshape(len(rays.ends), -1).sum(axis=1) > 1
    return engine.Rays(rays.points_mm, rays.ends[is_crossing])


def blurred(rays):
    A = engine.RayProjector(rays, GRID, on=engine.cpu(1), dtype="float64")
    background = np.full(len(rays.ends), 0.05)
    sensitivity = A.T(np.ones(len(rays.ends)))
    within = engine.ListModeModel(A, background, sensitivity)
    return BlurredModel.of(within, PointSpreadBlur(SPREAD, GRID))


def dense(operator):
    """Return the matrix of an operator for small images."""
    n = GRID.n_voxels
    return np.stack([operator(e.reshape(GRID.shape)).ravel() for e in np.eye(n)], axis=1)


def test_updates_equal_those_of_the_matrix_product(rays):
    model = blurred(rays)
    AK = dense(model.within.A) @ dense(model.blur)
    x = np.ones(GRID.n_voxels)
    s = dense(model.blur).T @ model.within.sensitivity.ravel()

    steps = Mlem(iterations=5)
    *_, last = solve(steps, model, np.ones(GRID.shape))

    for _ in range(5):
        x = np.divide(x * (AK.T @ (1 / (AK @ x + 0.05))), s, out=np.zeros_like(s), where=s > 0)
    np.testing.assert_allclose(last.image.ravel(), x, rtol=1e-5, atol=1e-6 * x.max())


def test_counts_are_preserved_and_the_likelihood_rises(rays):
    model = blurred(rays)
    model = BlurredModel.of(
        engine.ListModeModel(model.within.A, 0 * model.background, model.within.sensitivity),
        model.blur,
    )

    steps = list(solve(Mlem(iterations=6), model, np.ones(GRID.shape)))

    for step in steps:
        assert np.sum(model.sensitivity * step.image) == pytest.approx(len(rays.ends), rel=1e-5)
    assert np.all(np.diff([step.log_likelihood for step in steps]) > 0)


def test_subsets_share_the_sensitivity(rays):
    model = blurred(rays)

    parts = [model.subset(k, 3) for k in range(3)]

    np.testing.assert_allclose(sum(p.sensitivity for p in parts), model.sensitivity, rtol=1e-6)
    assert sum(p.A.out_shape[0] for p in parts) == len(rays.ends)
