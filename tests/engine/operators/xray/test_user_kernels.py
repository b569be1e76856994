"""Users' kernels in X-ray transforms: edits, geometries, patches, subsets, wrong calls."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from time import time_ns

import numpy as np
import pytest

import engine
from engine.core.backend import cpu, cuda
from engine.core.errors import (
    ArgumentError,
    DeviceError,
    EngineError,
    GeometryError,
    ResourceError,
    SettingsError,
)
from engine.operators.xray.user_kernel import UserKernel
from tests.emulator import EmulatedGpu

MAX_S = 2.0
"""Maximum processor time of an edit: compile and run again."""
TEXT = """
// sums of all views, times FACTOR
extern "C" __global__ void gathered(
    const float* values, const float* matrices, const int* sizes, float* out) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int k = blockIdx.z;
  if (i >= sizes[N_X] || j >= sizes[N_Y]) return;
  float sum = 0.0f;
  for (int view = 0; view < sizes[N_VIEWS]; ++view) {
    const Seen at = seen(matrices, sizes, view, i, j, k);
    sum += FACTOR * value_at(values, sizes, view, at) / (at.depth * at.depth);
  }
  out[(k * sizes[N_Y] + j) * sizes[N_X] + i] = sum;
}
"""


def gathered(values, matrices, sizes, out):
    """Add the nearest values of all views in loops."""
    middles = (np.array(sizes) - 1) / 2
    padded = np.pad(values, ((0, 0), (1, 2), (1, 2)))
    for k, j, i in np.ndindex(out.shape):
        point = np.array([i - middles[5], j - middles[4], k - middles[3], 1.0])
        for view, m in zip(padded, matrices, strict=True):
            a, b, tau = m @ point
            column, row = a / tau + middles[2], b / tau + middles[1]
            if not (-1 < column < sizes[2] and -1 < row < sizes[1]):
                continue
            c, r = int(np.floor(column)), int(np.floor(row))
            u, v = column - c, row - r
            four = view[r + 1 : r + 3, c + 1 : c + 3]
            value = np.array([1 - v, v]) @ four @ np.array([1 - u, u])
            out[k, j, i] += FACTOR * value / tau**2


FACTOR = 2.0
ORBIT = engine.circular_cone(
    np.arange(8) * 0.7, source_axis_mm=60, source_detector_mm=90, shape=(9, 11), pixel_mm=2
)
GRID = engine.ImageGrid((5, 7, 6), (2.0, 2.0, 2.0))
KERNEL = UserKernel(gathered, TEXT, constants={"FACTOR": FACTOR})
RNG = np.random.default_rng(3)
Y = RNG.random((8, 9, 11), np.float32)


def transform(on=None, **options):
    return engine.XrayTransform(ORBIT, GRID, on=on or cpu(1), **options)


def own(on=None, kernel=KERNEL):
    return transform(on).with_kernels(back=kernel, adjoint=0.9)


def ours(geometry=ORBIT, grid=GRID):
    A = engine.XrayTransform(geometry, grid, on=cpu(1))
    return FACTOR * A.back_project(Y[: geometry.n_views], weighting="fdk")


@pytest.mark.parametrize("where", ["cpu", "emulated"])
def test_own_back_projection_replaces_ours(where):
    on = cpu(1) if where == "cpu" else cuda(EmulatedGpu())
    A = own(on)
    np.testing.assert_allclose(A.T(Y), ours(), rtol=1e-4, atol=1e-5)
    x = RNG.random(GRID.shape, np.float32)
    np.testing.assert_allclose(A(x), transform()(x), rtol=1e-4, atol=1e-4)
    assert A.name == "XrayTransform with gathered"


def test_results_have_the_type_and_device_of_the_argument():
    gpu = EmulatedGpu()
    A = own(cuda(gpu))
    there = A.T(gpu.upload(Y))
    assert type(there) is not np.ndarray and type(A.T(Y)) is np.ndarray
    assert own().T(Y.tolist()).dtype == np.float32


def test_launch_bounds_can_be_constants():
    text = TEXT.replace("void gathered", "void __launch_bounds__(BLOCK_X * BLOCK_Y) gathered")
    A = own(cuda(EmulatedGpu()), UserKernel(gathered, text, constants={"FACTOR": FACTOR}))
    np.testing.assert_allclose(A.T(Y), ours(), rtol=1e-4, atol=1e-5)


def test_edited_file_takes_effect_at_the_next_call(tmp_path: Path):
    path = tmp_path / "own.cu"
    path.write_text(TEXT, "utf-8")
    A = own(cuda(EmulatedGpu()), UserKernel(gathered, path, constants={"FACTOR": 1.0}))
    first = A.T(Y)
    # No other run has compiled this text.
    edited = TEXT.replace("sum += FACTOR", f"/* {time_ns()} */ sum += 3.0f * FACTOR")
    path.write_text(edited, "utf-8")
    begin = used_seconds()
    second = A.T(Y)
    seconds = used_seconds() - begin
    np.testing.assert_allclose(second, 3 * first, rtol=1e-5)
    assert seconds < MAX_S


def used_seconds() -> float:
    """Return the processor time of this process and of its compilers."""
    return sum(os.times()[:4])


def test_compiler_error_names_the_line_of_the_file(tmp_path: Path):
    path = tmp_path / "own.cu"
    path.write_text(TEXT.replace("sum +=", "summe +="), "utf-8")
    with pytest.raises(DeviceError, match=r"own\.cu:11.*summe"):
        own(cuda(EmulatedGpu()), UserKernel(gathered, path, constants={"FACTOR": 1.0})).T(Y)


def test_other_geometry_needs_no_new_projector():
    gpu = EmulatedGpu()
    A = own(cuda(gpu))
    A.T(Y)
    compiled = len(gpu._modules)
    for n_views in (8, 5):
        geometry = ORBIT.select(slice(0, n_views)).rotated(0.2).shifted(columns=0.4)
        B = A.with_geometry(geometry)
        np.testing.assert_allclose(B.T(Y[:n_views]), ours(geometry), rtol=1e-4, atol=1e-5)
    assert len(gpu._modules) == compiled


def test_patch_and_subset_are_parts_of_the_whole():
    A = own(cuda(EmulatedGpu()))
    region = (slice(1, 4), slice(2, 7), slice(0, 3))
    np.testing.assert_allclose(A.patch(region).T(Y), A.T(Y)[region], rtol=1e-4)
    parts = [A.subset(k, 3) for k in range(3)]
    total = sum(part.T(Y[k::3]) for k, part in enumerate(parts))
    np.testing.assert_allclose(total, A.T(Y), rtol=1e-4)


def test_pickle_is_the_same_operator():
    A = pickle.loads(pickle.dumps(own()))
    assert np.array_equal(A.T(Y), own().T(Y)) and A.adjoint_rtol == 0.9


def test_algorithms_use_an_own_kernel():
    kernel = UserKernel(gathered, TEXT, constants={"FACTOR": 1.0})
    A = transform(adjoint="voxel").with_kernels(back=kernel, adjoint=0.9)
    truth = RNG.random(GRID.shape, np.float32)
    model = engine.LinearModel(A, transform()(truth))
    sirt = engine.algorithms.Sirt(iterations=20, subsets=1)
    steps = list(engine.algorithms.solve(sirt, model, np.zeros(GRID.shape, np.float32)))
    assert steps[-1].residual < 0.5 * steps[0].residual


def test_twin_gets_float64():
    A = transform(dtype="float64").with_kernels(back=KERNEL, adjoint=0.9)
    assert A.T(Y.astype(np.float64)).dtype == np.float64


def test_constants_change_without_a_new_text():
    A = own(cuda(EmulatedGpu()))
    B = A.with_constants("back", FACTOR=4.0, BLOCK_X=8)
    np.testing.assert_allclose(B.T(Y), 2 * A.T(Y), rtol=1e-5)
    assert B.kernel("back").all_constants["BLOCK_X"] == 8


@pytest.mark.slow
def test_twin_can_be_compiled_by_numba():
    from numba import njit

    @njit
    def counted(values, matrices, sizes, out):
        for view in range(values.shape[0]):
            out += values[view].sum() * matrices[view, 2, 3]

    text = TEXT.replace("gathered", "counted")
    kernel = UserKernel(counted, text, constants={"FACTOR": FACTOR})
    A = own(kernel=kernel)
    expected = (Y.sum(axis=(1, 2)) * kernel.tables(ORBIT, GRID)[0][:, 2, 3]).sum()
    np.testing.assert_allclose(A.T(Y), expected, rtol=1e-5)


def shaped(values, matrices, sizes, out):
    """Do nothing."""


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (
            lambda: UserKernel(shaped, TEXT),
            r"kernel shaped: the CUDA text does not contain it; define",
        ),
        (
            lambda: UserKernel(gathered, TEXT, reads=(lambda g, v: np.ones(1),)),
            r"has 4 arguments in the CUDA text, expected 5; use values",
        ),
        (lambda: UserKernel(gathered, Path("no.cu")), r"no\.cu: the CUDA text cannot be read"),
        (
            lambda: UserKernel(gathered, TEXT, constants={"BLOCK_X": 2048}),
            r"BLOCK_X = 2048.*at most 1024 threads",
        ),
        (lambda: UserKernel(gathered, TEXT, constants={"BLOCK_Y": 0}), r"whole numbers above 0"),
        (lambda: UserKernel(gathered, TEXT, constants={"a b": 1}), r"'a b'.* use a name of C\+\+"),
        (lambda: UserKernel(gathered, 3), r"text is 3, expected"),
        (lambda: transform().with_kernels(adjoint=0.1), r"give a kernel for forward, back or both"),
        (lambda: transform().with_kernels(back=KERNEL, adjoint=0.0), r'use "matched"'),
        (lambda: transform().with_kernels(back=KERNEL, adjoint="exact"), r'use "matched"'),
        (
            lambda: transform().with_kernels(back=KERNEL, adjoint=0.1, shape=(3, 3)),
            r"shape \(3, 3\) needs kernels for both directions",
        ),
        (lambda: own().kernel("forward"), r"no kernel of yours for 'forward'; choose from back"),
        (lambda: own().T(Y[:, :, 1:]), r"got an array of shape"),
        (lambda: engine.tune_kernel(own()), r"works on the CPU, and its twin has no variants"),
        (lambda: engine.check_operator(3), r"A is 3, expected"),
    ],
)
def test_wrong_call_gives_one_sentence(call, problem):
    with pytest.raises(EngineError, match=problem) as fault:
        call()
    assert isinstance(fault.value, SettingsError | GeometryError | ResourceError | ArgumentError)


def test_patch_of_another_shape_is_refused():
    A = transform().with_kernels(forward=KERNEL, back=KERNEL, adjoint=0.9, shape=(3, 7, 6))
    with pytest.raises(GeometryError, match=r"create the patch first"):
        A.patch((slice(0, 1), slice(0, 1), slice(0, 1)))


def test_adjoint_check_also_measures_our_operators():
    matched = engine.check_operator(transform())
    assert matched.adjoint_error < 1e-6 < matched.adjoint_rtol and matched.twin_error is None
    found = engine.check_operator(transform(cuda(EmulatedGpu())))
    assert found.twin_error is not None and found.twin_error < 1e-3
    assert "adjoint within" in str(found) and "difference from the CPU" in str(found)
