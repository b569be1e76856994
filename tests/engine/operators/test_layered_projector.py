"""Projection between crystal layers: a matched pair, its subsets, and its OSEM loop."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from engine.core.backend import Backend, cpu
from engine.data.layered_response import LayeredResponse, scanner_of_pair, stored_pairs
from engine.operators.matrix.layered import LayeredProjector
from engine.operators.matrix.projector import MatrixProjector
from engine.recon.algorithms import Osem
from engine.recon.algorithms.driver import solve
from engine.recon.model import HistogramModel
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import dense, random_response
from tests.tolerances import FLOAT64, FLOAT64_SUMS


def response(n_layers: int = 2, n_planes: int = 5) -> LayeredResponse:
    scanner = panels(n_rows=4, n_columns=3, n_planes=n_planes, n_layers=n_layers)
    pairs = stored_pairs(n_layers)
    matrices = {pair: random_response(scanner_of_pair(scanner, *pair), sum(pair)) for pair in pairs}
    return LayeredResponse(scanner, matrices)


def matrix_of(found: LayeredResponse) -> np.ndarray:
    """Return (n_lines, n_voxels) from the dense matrices of the pairs of layers."""
    n_z, n_y, n_x = found.scanner.grid.shape
    parts = []
    for i, k in product(range(found.scanner.settings.n_layers), repeat=2):
        whole = dense(found.matrices[min(i, k), max(i, k)]).reshape(
            -1, n_z, n_y * (1 + (i != k)), n_x
        )
        parts.append(whole[:, :, n_y if i > k else 0 :][:, :, :n_y])
    return np.concatenate(parts).reshape(-1, n_z * n_y * n_x)


@pytest.mark.parametrize(("n_layers", "n_planes"), [(2, 5), (3, 4)])
def test_forward_and_adjoint_equal_those_of_the_dense_matrix(
    n_layers: int, n_planes: int, rng: np.random.Generator
) -> None:
    found = response(n_layers, n_planes)
    A, matrix = LayeredProjector(found, on=cpu(2), dtype=np.float64), matrix_of(found)
    x, y = rng.random(A.in_shape), rng.random(A.out_shape)
    # Rows are in single precision.
    np.testing.assert_allclose(A(x), matrix @ x.ravel(), rtol=1e-7)
    np.testing.assert_allclose(A.T(y).ravel(), matrix.T @ y, rtol=1e-7)
    assert np.vdot(A(x), y) == pytest.approx(np.vdot(x, A.T(y)), rel=FLOAT64)


def test_bits_do_not_depend_on_the_threads(rng: np.random.Generator) -> None:
    one, three = (LayeredProjector(response(), on=cpu(n)) for n in (1, 3))
    x = rng.random(one.in_shape, np.float32)
    y = one(x)
    np.testing.assert_array_equal(three(x), y)
    np.testing.assert_array_equal(three.T(y), one.T(y))


def test_subsets_use_families_of_all_layers_and_sum_to_the_whole(rng: np.random.Generator) -> None:
    A = LayeredProjector(response(), on=cpu(1), dtype=np.float64)
    x = rng.random(A.in_shape)
    y, total, lines = A(x), np.zeros(A.in_shape), []
    n = len(A.offsets) // 4
    for k in range(3):
        members, part = A.members(k, 3), A.subset(k, 3)
        np.testing.assert_allclose(part(x), A.subset_values(y, k, 3), rtol=FLOAT64)
        total += part.T(A.lines(y, members))
        ones = part.T(np.ones(part.out_shape))
        for axis in range(3):
            np.testing.assert_allclose(np.flip(ones, axis), ones, rtol=FLOAT64_SUMS)
        assert {m % n for m in members} == {m for m in members if m < n}
        assert len(members) == 4 * len({m % n for m in members})
        lines.extend(members.tolist())
    assert sorted(lines) == list(range(len(A.orientations)))
    np.testing.assert_allclose(total, A.T(y), rtol=FLOAT64)


def test_osem_equals_the_dense_computation(rng: np.random.Generator) -> None:
    A = LayeredProjector(response(), on=cpu(1), dtype=np.float64)
    matrix, of = matrix_of(A.response), 2
    factors = rng.uniform(0.5, 1, A.out_shape)
    y = rng.poisson(1e3 * factors * A(rng.random(A.in_shape))).astype(float)
    y[: A.starts[7]] = 0  # orientations without counts are left out
    model = HistogramModel.of(A, np.full(A.out_shape, 0.01), y, factors)
    *_, last = solve(Osem(iterations=2, subsets=of), model, np.ones(A.in_shape))
    x = np.ones(A.in_shape).ravel()
    for k in [0, 1] * 2:
        rows = A.lines(np.arange(len(y)), A.members(k, of))
        part = matrix[rows]
        ratio = y[rows] / (part @ x + 0.01)
        x = x * (part.T @ ratio) / (part.T @ factors[rows])
    np.testing.assert_allclose(last.image.ravel(), x, rtol=1e-6)


def test_progress_covers_all_layers_and_can_stop_the_work() -> None:
    reported: list[tuple[int, int]] = []
    A = LayeredProjector(response(), on=cpu(1), on_progress=lambda *done: reported.append(done))
    A(np.ones(A.in_shape, np.float32))
    assert reported[-1] == (len(A.orientations),) * 2
    assert reported == sorted(reported)

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        LayeredProjector(response(), on=cpu(1), on_progress=stop).T(np.ones(A.out_shape, "f4"))


def test_gpu_gives_the_result_of_the_cpu(on_gpu: Backend, rng: np.random.Generator) -> None:
    on_device, on_host = (LayeredProjector(response(), on=on) for on in (on_gpu, cpu(1)))
    x = rng.random(on_device.in_shape, np.float32)
    np.testing.assert_allclose(on_device(x), on_host(x), rtol=1e-4)
    y = on_host(x)
    np.testing.assert_allclose(on_device.T(y), on_host.T(y), rtol=1e-4)
    model = HistogramModel.of(on_device, np.zeros((), np.float32), y)
    *_, last = solve(Osem(iterations=1, subsets=2), model, np.ones(on_device.in_shape, np.float32))
    assert np.isfinite(last.image).all()


def test_single_layer_uses_a_single_matrix() -> None:
    from engine.operators.matrix.layered import projector

    one = random_response(panels())
    assert isinstance(projector(one, on=cpu(1)), MatrixProjector)
    assert isinstance(projector(response(), on=cpu(1)), LayeredProjector)
