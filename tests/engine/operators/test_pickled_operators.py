"""Operators that were pickled and loaded, here and in other processes."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from engine.core.backend import Backend, best, cpu
from engine.core.errors import ResourceError
from engine.data.storage.columns import Scratch
from engine.geometry.orbits import circle, circular_cone
from engine.operators.rays import RayProjector, Rays
from engine.operators.xray.slabs import SlabbedXrayTransform
from engine.operators.xray.transform import XrayTransform
from tests.dask_workers import cluster
from tests.engine.operators.ray_oracles import GRID
from tests.engine.operators.small_operators import KINDS, VOLUME, cone, inputs, rays, results, slabs

SOME = ("rays with time of flight", "reproducible rays", "stored response", "cone beam")


@pytest.mark.parametrize("kind", KINDS)
def test_loaded_operator_has_the_bits_of_the_original(kind: str) -> None:
    A = KINDS[kind](cpu(2))
    ((x, y),) = inputs(A, 1)
    before = results(A, x, y)  # fills caches that the pickle must not contain

    B = pickle.loads(pickle.dumps(A))

    assert (type(B), B.in_shape, B.out_shape, repr(B)) == (
        type(A),
        A.in_shape,
        A.out_shape,
        repr(A),
    )
    assert results(B, x, y) == before


@pytest.mark.parametrize("kind", KINDS)
def test_cloudpickle_and_deepcopy_give_the_same_bits(kind: str) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    A = KINDS[kind](cpu(1))
    ((x, y),) = inputs(A, 1)

    for B in (cloudpickle.loads(cloudpickle.dumps(A)), copy.deepcopy(A)):
        assert B is not A
        assert results(B, x, y) == results(A, x, y)


@pytest.mark.parametrize("kind", SOME)
def test_pickle_contains_only_the_definition(kind: str) -> None:
    A = KINDS[kind](cpu(2))
    before = len(pickle.dumps(A))

    results(A, *inputs(A, 1)[0])
    A.subset(0, 2)

    # Caches and subsets add nothing to the pickle.
    assert len(pickle.dumps(A)) == before


def test_pickle_of_rays_is_as_large_as_its_columns() -> None:
    n = 100_000
    ends = np.random.default_rng(1).integers(0, 50, (n, 2)).astype(np.int32)
    points = np.random.default_rng(2).random((50, 3))
    A = RayProjector(Rays(points, ends), GRID, on=cpu(2))
    assert len(pickle.dumps(A)) < 1.01 * ends.nbytes


def test_shallow_copy_shares_the_rows() -> None:
    A = RayProjector(rays(), GRID, on=cpu(1))
    assert copy.copy(A)._tracer is A._tracer


def test_device_is_selected_again_on_loading(on_gpu: Backend) -> None:
    A = XrayTransform(cone(cpu(1)).geometry, VOLUME, on=on_gpu)
    assert pickle.loads(pickle.dumps(A)).on.name == best().name
    assert pickle.loads(pickle.dumps(cone(cpu(3)))).on.threads == 3
    # A copy in the same process has its arrays on the same device.
    assert copy.deepcopy(A).on is on_gpu


def test_slabs_in_files_cannot_be_pickled(tmp_path) -> None:
    parts, geometry = slabs(cpu(1)).parts, cone(cpu(1)).geometry
    scratch = Scratch(tmp_path)
    A = SlabbedXrayTransform(geometry, VOLUME, parts, on=cpu(1), storage=scratch)
    with pytest.raises(ResourceError, match="create it again in the other process"):
        pickle.dumps(A)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="workers on Windows load the tests again")
def test_worker_processes_give_the_same_bits() -> None:
    operators = {kind: KINDS[kind](cpu(1)) for kind in SOME}
    calls = [(A, *inputs(A, 1)[0]) for A in operators.values()]
    # The worker is not forked, so it starts without our kernels and arrays.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(results, *zip(*calls, strict=True)))
    assert found == [results(*each) for each in calls]


@pytest.mark.slow
def test_joblib_gives_the_same_bits() -> None:
    joblib = pytest.importorskip("joblib")
    A = circular()
    given = inputs(A, 4)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(results)(A, *each) for each in given)
    assert found == [results(A, *each) for each in given]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask warns about its own code
def test_dask_workers_give_the_same_bits() -> None:
    distributed = pytest.importorskip("distributed")
    with cluster(1, processes=True) as dask_cluster, distributed.Client(dask_cluster) as client:
        for kind in SOME:
            A = KINDS[kind](cpu(1))
            ((x, y),) = inputs(A, 1)
            assert client.submit(results, A, x, y).result() == results(A, x, y)
            assert client.submit(lambda A, x: A @ x, A, x).result().tobytes() == (A @ x).tobytes()


def circular() -> XrayTransform:
    scan = circular_cone(
        circle(6), source_axis_mm=60.0, source_detector_mm=90.0, shape=(10, 9), pixel_mm=2.0
    )
    return XrayTransform(scan, VOLUME, on=cpu(1))
