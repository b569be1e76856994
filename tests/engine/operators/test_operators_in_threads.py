"""One operator in several threads gives the bits of a single thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.core.backend import Backend, cpu
from engine.core.profiling import Profiler
from engine.operators.rays import RayProjector
from tests.engine.operators.ray_oracles import GRID
from tests.engine.operators.small_operators import (
    KINDS,
    cone,
    inputs,
    rays,
    results,
    stored,
    timed_rays,
)

N_THREADS, N_INPUTS = 8, 5


@pytest.mark.parametrize(
    "n_calls", [40, pytest.param(1000, marks=pytest.mark.slow)], ids=["few", "thousand"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_calls_in_eight_threads_have_the_bits_of_one(kind: str, n_calls: int) -> None:
    A = KINDS[kind](cpu(1))
    given = inputs(A, N_INPUTS)
    single = [results(A, *each) for each in given]
    assert len(set(single)) == N_INPUTS

    with ThreadPoolExecutor(N_THREADS) as pool:
        # Half of the calls are forward, the other half adjoint.
        calls = range(n_calls // 2)
        found = list(pool.map(lambda i: results(A, *given[i % N_INPUTS]), calls))

    assert found == [single[i % N_INPUTS] for i in calls]


@pytest.mark.parametrize("kind", ["reproducible rays", "stored response", "thick cone beam"])
def test_operators_with_several_workers_can_be_shared(kind: str) -> None:
    A = KINDS[kind](cpu(2))
    given = inputs(A, N_INPUTS)
    single = [results(A, *each) for each in given]

    with ThreadPoolExecutor(N_THREADS) as pool:
        found = list(pool.map(lambda i: results(A, *given[i % N_INPUTS]), range(100)))

    assert found == [single[i % N_INPUTS] for i in range(100)]


def test_updates_in_threads_have_the_bits_of_one() -> None:
    A = RayProjector(rays(), GRID, on=cpu(1))
    images = [x for x, _ in inputs(A, N_INPUTS)]
    single = [A.em_numerator(x)[0].tobytes() for x in images]

    with ThreadPoolExecutor(N_THREADS) as pool:
        found = pool.map(lambda i: A.em_numerator(images[i % 5])[0].tobytes(), range(200))

    assert list(found) == [single[i % 5] for i in range(200)]


def test_threads_get_the_same_subsets() -> None:
    for A in (RayProjector(rays(), GRID, on=cpu(1)), cone(cpu(1))):
        with ThreadPoolExecutor(N_THREADS) as pool:
            found = list(pool.map(lambda _, A=A: A.subset(1, 3), range(64)))
        assert all(part is found[0] for part in found)


@pytest.mark.parametrize(
    "create",
    [
        lambda on: RayProjector(timed_rays(), GRID, on=on, reproducible=True),
        cone,
        lambda on: cone(on, adjoint="voxel"),
        stored,
    ],
    ids=["rays", "matched cone beam", "voxel-driven cone beam", "stored response"],
)
def test_threads_share_an_operator_on_a_gpu(on_gpu: Backend, create) -> None:
    A = create(on_gpu)

    def found_in(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
        return [on_gpu.to_host(each) for each in (A(x), A.T(y))]

    given = inputs(A, 3)
    single = [found_in(*each) for each in given]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: found_in(*given[i % 3]), range(24)))

    for i, each in enumerate(found):
        for values, expected in zip(each, single[i % 3], strict=True):
            # float32 atomic additions; their order also changes in a single thread.
            np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6 * expected.max())


def test_times_of_threads_add_up_and_stages_of_one_cannot_be_nested() -> None:
    profiler = Profiler(cpu(1))
    A = RayProjector(rays(), GRID, on=cpu(1), profiler=profiler)
    x = np.ones(A.in_shape, np.float32)

    with profiler.span("back"), ThreadPoolExecutor(4) as pool:
        # This thread has an open stage, which does not belong to the other threads.
        list(pool.map(lambda _: A(x), range(40)))
        with pytest.raises(RuntimeError, match="cannot begin"), profiler.span("forward"):
            pass

    forward = profiler.snapshot().stage("forward")
    assert forward is not None
    assert (forward.calls, forward.events) == (40, 40 * A.out_shape[0])
