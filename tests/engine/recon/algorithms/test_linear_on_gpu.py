"""Solvers of y = A x with all arrays on a device give the images of the CPU."""

import numpy as np
import pytest

from engine.recon.algorithms.cgls import Cgls
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.fista_tv import FistaTv
from engine.recon.algorithms.sirt import Sirt
from engine.recon.model import LinearModel
from tests.engine.recon.algorithms.linear_toys import Dense, system, zeros


@pytest.mark.parametrize(
    "algorithm",
    [Sirt(iterations=3, subsets=4), Cgls(iterations=6, damping=0.1), FistaTv(iterations=4)],
    ids=lambda algorithm: algorithm.title,
)
def test_images_on_the_device_equal_those_of_the_cpu(rng, on_gpu, algorithm):
    model, _ = system(rng, n_rows=400, rays=20)
    there = LinearModel(
        Dense(on_gpu.to_device(model.A.elements), (4, 5), rays=20), on_gpu.to_device(model.y)
    )
    for expected, actual in zip(
        solve(algorithm, model, zeros(model)), solve(algorithm, there, zeros(model)), strict=True
    ):
        assert type(actual.image) is np.ndarray
        np.testing.assert_allclose(actual.image, expected.image, rtol=1e-9, atol=1e-12)
        assert actual.residual == pytest.approx(expected.residual)
