"""Results have the type and the device of the argument, for every operator and for `solve`."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.core.arrays import accepted, as_supported, to_host
from engine.core.backend import Backend, cpu
from engine.core.errors import DataError, GeometryError
from engine.operators.algebra import Diagonal
from engine.operators.rays import RayProjector
from engine.recon.algorithms import Cgls, Mlem, Sirt
from engine.recon.algorithms.driver import solve
from engine.recon.model import LinearModel, ListModeModel
from tests.engine.operators.ray_oracles import GRID
from tests.engine.operators.small_operators import KINDS, TOF, cone, inputs, rays, timed_rays


class Standard:
    """An array of a library that follows the array standard but is not NumPy."""

    device = "cpu"

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.shape = values.shape

    def __array_namespace__(self) -> Any:
        return SimpleNamespace(from_dlpack=lambda given: Standard(np.from_dlpack(given)))

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the values were copied instead of shared")


class OnGpu:
    """An array that states its CUDA device and fails if the host requests its values."""

    def __init__(self, values: Any, kind: int = 2) -> None:
        self.values, self.shape, self.kind = values, values.shape, kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        assert options.get("dl_device") in (None, (self.kind, 0)), "the host requests the values"
        # NumPy replaces CuPy if there is no GPU, and has no streams.
        of_gpu = {} if isinstance(self.values, np.ndarray) else {"stream": stream}
        return self.values.__dlpack__(**of_gpu)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the host requests the values")

    cpu = get = numpy = tolist = __array__


@pytest.mark.parametrize("kind", KINDS)
def test_results_have_the_array_type_of_the_argument(kind: str) -> None:
    A = KINDS[kind](cpu(1))
    ((x, y),) = inputs(A, 1)
    calls = [(lambda v: A @ v, x), (lambda v: A.T @ v, y), (A.forward, x), (A.adjoint, y)]
    for call, values in calls:
        expected, found = call(values), call(Standard(values))
        assert type(expected) is np.ndarray
        assert type(found) is Standard
        assert found.values.dtype == expected.dtype
        np.testing.assert_array_equal(found.values, expected)


@pytest.mark.parametrize("kind", ["rays", "cone beam", "stored response"])
def test_results_are_on_the_device_of_the_argument(kind: str, on_gpu: Backend) -> None:
    A = KINDS[kind](on_gpu)
    ((x, y),) = inputs(A, 1)
    for call, values in ((A.__matmul__, x), (A.T.__matmul__, y), (A.forward, x), (A.adjoint, y)):
        on_device = on_gpu.to_device(values)
        assert type(call(values)) is np.ndarray
        assert type(call(on_device)) is type(on_device)
        # GPU sums are atomic additions in float32.
        np.testing.assert_allclose(to_host(call(on_device)), call(values), rtol=1e-5, atol=1e-4)


def test_host_values_are_shared_without_a_copy() -> None:
    values = np.arange(6.0)
    found, back = accepted(Standard(values))
    assert np.shares_memory(found, values)
    assert np.shares_memory(back(found).values, values)
    fixed = values.copy()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(back(fixed).values, fixed)


@pytest.mark.parametrize("kind", [2, 13], ids=["device", "managed"])
def test_host_never_reads_values_on_a_gpu(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    on_device = np.arange(3.0)
    imported: list[OnGpu] = []

    def from_dlpack(values: OnGpu) -> np.ndarray:
        imported.append(values)
        values.__dlpack__(stream=1)
        return on_device

    # CuPy imports the values. Without a GPU, a replacement stores them.
    library = ModuleType("cupy")
    library.from_dlpack = from_dlpack
    monkeypatch.setitem(sys.modules, "cupy", library)
    values = OnGpu(on_device, kind)

    assert as_supported(values) is on_device
    assert imported == [values]


@pytest.mark.gpu
def test_host_never_reads_values_on_a_real_gpu() -> None:
    from engine.core.backend import cuda

    on = cuda()
    A = Diagonal(on.to_device(np.array([2.0, 3.0], np.float32)))
    found = A @ OnGpu(on.to_device(np.ones(2, np.float32)))
    assert type(found) is type(on.to_device(np.ones(1)))
    assert to_host(found).tolist() == [2.0, 3.0]


def test_gpu_array_needs_an_operator_on_a_gpu(on_gpu: Backend) -> None:
    A = cone(cpu(1))
    on_device = on_gpu.to_device(np.ones(A.in_shape, np.float32))
    for call in (A.__matmul__, A.forward, A.__call__):
        with pytest.raises(DataError, match="works on the CPU, but the array is on a GPU"):
            call(on_device)


def test_other_devices_and_missing_values_are_explained() -> None:
    A = Diagonal(np.ones(3))
    with pytest.raises(DataError, match="type 8, expected the host"):
        A @ OnGpu(np.ones(3), kind=8)
    with pytest.raises(DataError, match="mask"):
        A @ np.ma.masked_array(np.ones(3), [0, 1, 0])
    with pytest.raises(DataError, match="complex"):
        A @ np.ones(3, complex)


def test_dask_arrays_stay_lazy() -> None:
    array = pytest.importorskip("dask.array", reason="Dask's arrays are not installed")
    lazy = array.ones(3).map_blocks(_never, dtype=float)
    with pytest.raises(DataError, match="array is lazy"):
        Diagonal(np.ones(3)) @ lazy
    with pytest.raises(DataError, match="array is lazy"):
        next(solve(Sirt(iterations=1), LinearModel(Diagonal(np.ones(3)), np.ones(3)), lazy))


def _never(block: np.ndarray) -> np.ndarray:
    raise AssertionError("the values were computed")


def test_labelled_arrays_are_refused() -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    with pytest.raises(DataError, match=r"pass array.values"):
        Diagonal(np.ones(3)) @ xarray.DataArray(np.ones(3), dims="x")


def test_solving_gives_images_of_the_initial_type() -> None:
    A = cone(cpu(1))
    ((_, y),) = inputs(A, 1)
    start = np.zeros(A.in_shape, np.float32)
    for algorithm in (Sirt(iterations=3, subsets=3), Cgls(iterations=3)):
        own = [step.image for step in solve(algorithm, LinearModel(A, y), start)]
        found = [
            step.image for step in solve(algorithm, LinearModel(A, Standard(y)), Standard(start))
        ]
        assert {type(each) for each in found} == {Standard}
        for actual, expected in zip(found, own, strict=True):
            np.testing.assert_array_equal(actual.values, expected)


def test_solving_list_mode_gives_images_of_the_initial_type() -> None:
    A = RayProjector(timed_rays(), GRID, on=cpu(1), tof=TOF)
    background, ones = np.full(A.out_shape, 0.1, np.float32), np.ones(GRID.shape, np.float32)
    sensitivity = A.T @ np.ones(A.out_shape, np.float32) + ones
    own = ListModeModel(A, background, sensitivity)
    other = ListModeModel(A, Standard(background), Standard(sensitivity))
    algorithm = Mlem(iterations=3)
    *_, expected = (step.image for step in solve(algorithm, own, ones))
    images = [step.image for step in solve(algorithm, other, Standard(ones))]
    np.testing.assert_array_equal(images[-1].values, expected)
    # An algorithm reuses its memory, but a library may rely on its arrays.
    assert not np.array_equal(images[0].values, images[-1].values)


def test_projector_of_selected_events_equals_its_rows() -> None:
    A = RayProjector(timed_rays(), GRID, on=cpu(1), tof=TOF)
    ((x, y),) = inputs(A, 1)
    whole, n = A @ x, len(y)
    mask = y > 0.5
    for events in (slice(3, 40, 2), mask, np.array([5, 1, 1, -1]), [7], Standard(np.array([2, 4]))):
        selection = events.values if isinstance(events, Standard) else events
        rows = np.arange(n)[selection]
        part = A[events]
        np.testing.assert_array_equal(part @ x, whole[rows])
        chosen = np.zeros(n, np.float32)
        np.add.at(chosen, rows, y[rows])
        # float32 sums in another order.
        np.testing.assert_allclose(part.T @ y[rows], A.T @ chosen, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([480], "do not fit its 480 rows"),
        (np.ones(59, bool), "mask with 480 values"),
        (3, "0 axes"),
        ([0.5], "float64"),
        (np.zeros((2, 2), int), "2 axes"),
    ],
)
def test_wrong_event_selection_is_refused(rows: object, text: str) -> None:
    A = RayProjector(rays(), GRID, on=cpu(1))
    with pytest.raises(GeometryError, match=text):
        A[rows]
    with pytest.raises(TypeError, match="not iterable"):
        iter(A)


@pytest.mark.parametrize("rows", [slice(None), slice(2, 7)], ids=["all rows", "some rows"])
@pytest.mark.parametrize("kind", ["cone beam", "helix", "parallel beam", "voxel-driven cone beam"])
def test_patch_is_a_block_of_the_matrix(kind: str, rows: slice) -> None:
    A = KINDS[kind](cpu(1))
    ((x, y),) = inputs(A, 1)
    n_z = A.grid.shape[0]
    rows = slice(None) if kind == "parallel beam" else rows
    box, columns = (slice(1, n_z - 1), slice(2, 6), slice(0, 4)), slice(1, 8)
    part = A.patch(box, rows=rows, columns=columns)
    inside, masked = np.zeros_like(x), np.zeros_like(y)
    inside[box], masked[:, rows, columns] = x[box], y[:, rows, columns]
    # A small part can use other kernels: float32 sums in another order.
    expected = (A @ inside)[:, rows, columns]
    np.testing.assert_allclose(part @ x[box], expected, rtol=0, atol=1e-5 * expected.max())
    expected = (A.T @ masked)[box]
    found = part.T @ y[:, rows, columns]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * expected.max())


def test_line_integrals_have_double_precision() -> None:
    A, B = cone(cpu(1)), cone(cpu(1), dtype="float64")
    ((x, y),) = inputs(A, 1)
    assert ((B @ x).dtype, (B.T @ y).dtype, (A @ x.astype(float)).dtype) == (float, float, "f4")
    # Single precision, sums of a few voxels.
    np.testing.assert_allclose(A @ x, B @ x, rtol=1e-5)
    # Double precision.
    assert np.isclose(np.vdot(B @ x, y), np.vdot(x, B.T @ y), rtol=1e-13, atol=0)
    assert B.subset(0, 2).dtype == B.dtype
    with pytest.raises(GeometryError, match='adjoint is "voxel"; use float32'):
        cone(cpu(1), dtype="float64", adjoint="voxel")
    with pytest.raises(GeometryError, match="choose float32 or float64"):
        cone(cpu(1), dtype="float16")


def test_engine_imports_no_array_library() -> None:
    code = (
        "import sys, numpy as np, engine\n"
        "from engine.operators.algebra import Diagonal\n"
        "Diagonal(np.ones(2)) @ np.ones(2)\n"
        "print(sorted({'torch', 'jax', 'cil', 'deepinv', 'dask', 'xarray'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
