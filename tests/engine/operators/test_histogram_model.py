"""OSEM on histograms with the folded response equals OSEM with the dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.core.backend import Backend, cpu
from engine.operators.matrix.projector import MatrixProjector
from engine.recon.algorithms import Mlem, Osem
from engine.recon.algorithms.driver import solve
from engine.recon.model import HistogramModel
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import dense, random_response
from tests.tolerances import FLOAT64_SUMS

Array = NDArray[Any]


def projector(**changes: Any) -> MatrixProjector:
    response = random_response(panels(n_rows=6, n_columns=4, n_planes=5), **changes)
    return MatrixProjector(response, on=cpu(2), dtype=np.float64)


def last_image(model: HistogramModel, algorithm: Osem) -> Array:
    *_, last = solve(algorithm, model, np.ones(model.A.in_shape))
    return last.image


def dense_osem(
    A: MatrixProjector, y: Array, b: Array | float, factors: Array | None, n: int, of: int
) -> Array:
    """Return OSEM with the dense matrix; the counts y include the factors."""
    matrix, x = dense(A.response), np.ones(A.in_shape).ravel()
    n_a = np.ones(len(y)) if factors is None else factors
    rows = [A.lines(np.arange(len(y)), A.members(k, of)) for k in range(of)]
    is_sensitive = n_a @ matrix > 0
    for _ in range(n):
        for k in range(of):
            part = matrix[rows[k]] * n_a[rows[k], None]
            expected = part @ x + (n_a * b)[rows[k]]
            counts = y[rows[k]]
            ratio = np.divide(counts, expected, out=np.zeros_like(counts), where=expected > 0)
            s = part.sum(axis=0)
            before = x * is_sensitive
            x = np.divide(x * (part.T @ ratio), s, out=before.copy(), where=s > 0)
            if of > 1:  # a voxel falls to a tenth at most, and to 1e-12 in a pass
                x = np.maximum(x, max(0.1, 1e-12 ** (1 / of)) * before)
    return x.reshape(A.in_shape)


@pytest.mark.slow
@pytest.mark.parametrize("of", [1, 4])
def test_osem_equals_the_dense_computation(of: int) -> None:
    A = projector()
    rng = np.random.default_rng(5)
    y = rng.poisson(1e4 * A(rng.random(A.in_shape))).astype(np.float64)
    model = HistogramModel.of(A, np.zeros(()), y)
    found = last_image(model, Osem(iterations=3, subsets=of))
    assert np.allclose(found, dense_osem(A, y, 0.0, None, 3, of), rtol=1e-6, atol=FLOAT64_SUMS)


def test_factors_and_background_act_as_in_the_dense_computation() -> None:
    A = projector(seed=6)
    rng = np.random.default_rng(6)
    factors = rng.uniform(0.5, 1, A.out_shape)
    factors[::7] = 0
    background = rng.uniform(0.1, 0.2, A.out_shape)
    mean = factors * (1e4 * A(rng.random(A.in_shape)) + background)
    y = rng.poisson(mean).astype(np.float64)
    model = HistogramModel.of(A, background, y, factors)
    found = last_image(model, Osem(iterations=2, subsets=3))
    assert np.allclose(
        found, dense_osem(A, y, background, factors, 2, 3), rtol=1e-6, atol=FLOAT64_SUMS
    )


def test_voxel_unseen_by_a_subset_does_not_change() -> None:
    """With many subsets of few orientations, each subset misses voxels that other subsets see."""
    A = projector(seed=8)
    of = 12
    is_sensitive = [A.subset(k, of).T(np.ones(A.subset(k, of).out_shape)) > 0 for k in range(of)]
    assert not np.all(is_sensitive) and np.all(np.any(is_sensitive, axis=0))
    truth = np.random.default_rng(8).uniform(1, 2, A.in_shape)
    model = HistogramModel.of(A, np.zeros(()), 1e4 * A(truth))
    *_, last = solve(Osem(iterations=3, subsets=of), model, np.full(A.in_shape, 1.5e4))
    assert last.image.min() > 0.5e4


def test_mlem_never_lowers_the_likelihood_and_preserves_the_counts() -> None:
    A = projector(seed=7)
    rng = np.random.default_rng(7)
    y = rng.poisson(1e4 * A(rng.random(A.in_shape))).astype(np.float64)
    model = HistogramModel.of(A, np.zeros(()), y)
    steps = list(solve(Mlem(iterations=6), model, np.ones(A.in_shape)))
    likelihoods = [step.log_likelihood for step in steps if step.log_likelihood is not None]
    assert len(likelihoods) == 6
    assert np.all(np.diff(likelihoods) > -1e-9 * np.abs(likelihoods[0]))
    explained = y[A(np.ones(A.in_shape)) > 0].sum()
    assert np.sum(model.sensitivity * steps[-1].image) == pytest.approx(explained, rel=FLOAT64_SUMS)


@pytest.mark.parametrize("of", [1, 4])
def test_orientations_without_counts_are_skipped_without_a_change(on_gpu: Backend, of: int) -> None:
    """In a scan of few events, most orientations have no counts."""
    A = projector(seed=9)
    rng = np.random.default_rng(9)
    y, factors = np.zeros(A.out_shape), rng.uniform(0.5, 1, A.out_shape)
    y[rng.integers(len(y), size=25)] = rng.integers(1, 9, 25)
    background = rng.uniform(0.1, 0.2, A.out_shape)
    model = HistogramModel.of(A, background, y, factors)
    parts = [model.subset(k, of) for k in range(of)]
    n_projected = sum(len(part.A.orientations) for part in parts)
    assert n_projected == len(np.unique(np.searchsorted(A.starts, np.flatnonzero(y), "right")))
    assert n_projected < 0.5 * len(A.orientations)
    expected = dense_osem(A, y, background, factors, 3, of)
    assert np.allclose(last_image(model, Osem(iterations=3, subsets=of)), expected, rtol=1e-6)

    single = MatrixProjector(A.response, on=on_gpu)
    message = [v.astype(np.float32) for v in (background, y, factors)]
    gpu_model = HistogramModel.of(single, *message)
    *_, last = solve(Osem(iterations=3, subsets=of), gpu_model, np.ones(A.in_shape, np.float32))
    assert np.allclose(last.image, expected, rtol=1e-4, atol=1e-5 * expected.max())
