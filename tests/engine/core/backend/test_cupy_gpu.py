"""Tests of the GPU backend with CuPy: transfers, order of work, and error messages.

They are marked `gpu` and run on a real GPU, or on the software GPU of tests/emulator/card, which
runs queued work immediately, late, copies first, or in random order.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest
import scipy.ndimage

from engine.core.backend import cuda
from engine.core.backend.cupy_gpu import CupyGpu
from engine.core.backend.driver import cards
from engine.core.backend.filters import ndimage_of
from engine.core.backend.gpu import Gpu
from engine.core.errors import DeviceError, DeviceMemoryError
from tests.emulator.card.installing import current
from tests.emulator.card.work import ORDERS

pytestmark = pytest.mark.gpu

TEXT = """
extern "C" __constant__ float factor[4];
extern "C" __global__ void scaled(float* values, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * by + factor[i % 4];
}
extern "C" __global__ void read(unsigned long long picture, float* values, int n_columns) {
  values[threadIdx.x] = tex2D<float>(picture, threadIdx.x % n_columns + 0.5f,
                                     threadIdx.x / n_columns + 0.5f);
}
extern "C" __global__ void read_all(const unsigned long long* pictures, float* values, int n) {
  values[blockIdx.x * n + threadIdx.x] =
      tex2D<float>(pictures[blockIdx.x], threadIdx.x + 0.5f, 0.5f);
}
"""
N = 37


@pytest.fixture(scope="module")
def gpu() -> Gpu:
    return cuda().gpu


@pytest.fixture(params=ORDERS)
def order(request):
    """Run the software GPU in each order; a real GPU has one order."""
    card = current()
    if card is None:
        if request.param != ORDERS[0]:
            pytest.skip("a real card has an order of its own")
        yield request.param
        return
    card.work.finish_all()
    before, card.work.order = card.work.order, request.param
    card.faults.clear()
    yield request.param
    card.work.finish_all()
    card.work.order = before
    assert card.faults == []


@pytest.fixture
def values(rng):
    return rng.random(N).astype(np.float32)


@pytest.fixture
def scaled(gpu):
    module = gpu.load(TEXT, ())
    gpu.upload(np.arange(16, dtype=np.uint8) * 0, out=module.constant("factor"))
    return module.function("scaled")


def test_uploaded_array_downloads_unchanged(gpu, order, values):
    for each in (values, values[::3], np.float64(3).reshape(()), values.reshape(1, 37, 1)):
        assert np.array_equal(gpu.download(gpu.upload(each)), each)
    there = gpu.empty((N,), np.float32)
    assert gpu.upload(values, out=there) is there
    assert np.array_equal(gpu.download(there), values)
    gpu.zero(there)
    assert not gpu.download(there).any()


def test_host_array_may_change_after_upload(gpu, order, values):
    given = values.copy()
    there = gpu.upload(given)
    given[...] = -1
    assert np.array_equal(gpu.download(there), values)


def test_device_copies_succeed_and_refuse_other_shapes(gpu, order, values):
    there, other = gpu.upload(values), gpu.empty((N,), np.float32)
    gpu.copy(there, other)
    assert np.array_equal(gpu.download(other), values)
    with pytest.raises(ValueError, match="cannot be copied to an array"):
        gpu.copy(there, other[1:])
    with pytest.raises(ValueError, match="not contiguous"):
        gpu.copy(gpu.empty((4, 4), np.float32)[:, 0], gpu.empty((4,), np.float32))


def test_kernels_run_after_their_inputs(gpu, order, values, scaled):
    there = gpu.upload(values)
    scaled(1, 64, there, np.int32(N), np.float32(3))
    scaled((2, 1, 1), (32, 1, 1), there, np.int32(N), np.float32(0.5))
    scaled(0, 64, there, np.int32(N), np.float32(0))
    assert np.array_equal(gpu.download(there), values * np.float32(3) * np.float32(0.5))


def test_constants_are_set_in_order(gpu, order, values, scaled):
    factor = gpu.load(TEXT, ()).constant("factor")
    assert (factor.nbytes, factor.dtype) == (16, np.uint8)
    there = gpu.upload(np.zeros(N, np.float32))
    for value in (1, 2, 4):
        gpu.upload(np.full(4, value, np.float32).view(np.uint8), out=factor)
        scaled(1, 64, there, np.int32(N), np.float32(1))
    assert (gpu.download(there) == 7).all()


def test_concurrent_copies_and_kernels_wait_for_each_other(gpu, order, values, scaled):
    """With a ring of one buffer, a part is not written before the last one was read."""
    source = gpu.pinned(np.stack([values, 2 * values, 3 * values]))
    buffer, out = gpu.empty((N,), np.float32), gpu.empty((3, N), np.float32)
    read = gpu.stamp()
    for i, part in enumerate(source):
        with gpu.copying():
            gpu.wait_for(read)
            gpu.upload(part, out=buffer)
            here = gpu.stamp()
        gpu.wait_for(here)
        scaled(1, 64, buffer, np.int32(N), np.float32(2))
        gpu.copy(buffer, out[i])
        read = gpu.stamp()
    assert np.array_equal(gpu.download(out), 2 * source)
    assert read.seconds_since(here) >= 0
    with pytest.raises(TypeError, match="expected a timestamp"):
        gpu.wait_for(object())


def test_graph_repeats_the_recorded_work(gpu, order, values, scaled):
    there, start = gpu.empty((N,), np.float32), gpu.upload(values)

    def work() -> None:
        gpu.copy(start, there)
        scaled(1, 64, there, np.int32(N), np.float32(2))
        gpu.copy(there, start)

    graph = gpu.record(work)
    assert np.array_equal(gpu.download(start), values)
    for _ in range(3):
        graph.launch()
    gpu.wait()
    assert np.array_equal(gpu.download(start), 8 * values)


def test_unrecordable_work_is_reported(gpu, values):
    there = gpu.upload(values)
    with pytest.raises(DeviceError):
        gpu.record(lambda: gpu.wait())
    with pytest.raises(ZeroDivisionError):
        gpu.record(lambda: 1 // 0)
    assert np.array_equal(gpu.download(there), values)


@pytest.mark.parametrize("kind", ["array", "layered", "list", "pitched"])
def test_textures_hold_the_uploaded_values(gpu, order, rng, kind):
    pictures = rng.random((3, 5, 33)).astype(np.float32)
    texture = gpu.texture(kind, (4, 5, 33))
    texture.update(gpu.upload(pictures), first=1)
    if kind in ("list", "pitched"):
        out = gpu.empty((4, 33), np.float32)
        gpu.load(TEXT, ()).function("read_all")(4, 33, texture.argument, out, np.int32(33))
        rows = gpu.download(out)
        assert not rows[0].any()
        assert np.array_equal(rows[1:], pictures[:, 0])
    if kind == "pitched":
        assert texture.memory.shape == (4, 5, 33)
        assert np.array_equal(gpu.download(gpu.xp.ascontiguousarray(texture.memory[1:])), pictures)
    del texture
    gc.collect()


def test_driver_and_cupy_report_the_same_gpu(gpu):
    card = cards()[gpu.facts.number]
    assert card.n_multiprocessors == gpu.facts.n_multiprocessors > 0
    assert card.compute_capability == gpu.facts.compute_capability


def test_pooled_memory_counts_as_free(gpu):
    gpu.release()
    before = gpu.free_bytes()
    there = gpu.empty((1 << 22,), np.uint8)  # a driver allocates at least twice 1 << 20 bytes
    assert gpu.free_bytes() == before - there.nbytes
    del there
    assert gpu.free_bytes() == before
    pool = gpu.xp.get_default_memory_pool()
    pool.set_limit(size=1 << 21)
    try:
        there = gpu.empty((1 << 20,), np.uint8)
        assert gpu.free_bytes() == there.nbytes
        with pytest.raises(DeviceMemoryError, match="out of memory"):
            gpu.empty((1 << 22,), np.uint8)
    finally:
        pool.set_limit(size=0)


def test_full_gpu_memory_is_reported_and_work_continues(gpu, values):
    with pytest.raises(DeviceMemoryError, match="out of memory"):
        gpu.empty((1 << 50,), np.uint8)
    with pytest.raises(DeviceMemoryError, match="out of memory"):
        gpu.texture("array", (16000, 16000, 16000))
    assert np.array_equal(gpu.download(gpu.upload(values)), values)


def test_kernels_report_their_resources(gpu, scaled):
    takes = scaled.resources(64)
    assert takes.registers > 0
    assert 0 < takes.occupancy <= 1
    with pytest.raises(DeviceError, match="kernel scaled"):
        scaled(1, 4096, gpu.empty((N,), np.float32), np.int32(N), np.float32(1))


def test_gpu_reports_its_properties(gpu):
    facts = gpu.facts
    assert facts.compute_capability >= 50
    assert facts.memory_bytes > 0
    assert facts.peak_bytes_per_s > 0
    assert facts.n_multiprocessors > 0


def test_missing_wait_is_detected(gpu, order, values, scaled, monkeypatch):
    """Show that these tests detect errors: one buffer without waits gives wrong values."""
    card = current()
    if card is None or order != "copies first":
        pytest.skip("a real card may hide it; of the software card's orders this one shows it")
    monkeypatch.setattr(type(gpu), "wait_for", lambda self, stamp: None)
    source = gpu.pinned(np.stack([values, 2 * values, 3 * values]))
    buffer, out = gpu.empty((N,), np.float32), gpu.empty((3, N), np.float32)
    for i, part in enumerate(source):
        with gpu.copying():
            gpu.upload(part, out=buffer)
        scaled(1, 64, buffer, np.int32(N), np.float32(2))
        gpu.copy(buffer, out[i])
    assert not np.array_equal(gpu.download(out), 2 * source)


def test_other_gpu_and_missing_library_are_reported(gpu):
    with pytest.raises(DeviceError, match="starting the GPU"):
        CupyGpu(number=1 << 10)
    with pytest.raises(DeviceError, match="a CUDA library is missing"), gpu.faults("counting"):
        raise ImportError("libcufft.so")
    with pytest.raises(KeyError), gpu.faults("counting"):
        raise KeyError("ours")


def test_cupy_sums_filters_and_sorting_are_correct(gpu, order, rng):
    """The engine calls these functions of CuPy in addition to its own kernels."""
    values = rng.random((6, 40)).astype(np.float32)
    xp, there = gpu.xp, gpu.upload(values)
    ndimage = ndimage_of(there)
    for name, found, expected, part in (
        ("sum", xp.sum(there, dtype=np.float64), values.sum(dtype=np.float64), 1e-12),
        ("median", xp.median(there), np.median(values), 0),
        ("largest", xp.max(xp.abs(there), keepdims=True), values.max(keepdims=True), 0),
        ("order", xp.argsort(there[:, 3], kind="stable"), np.argsort(values[:, 3]), 0),
        ("spectra", xp.fft.irfft(xp.fft.rfft(there, 64), 64)[:, :40], values, 1e-6),
        ("square", xp.vdot(there.ravel(), there.ravel()), (values * values).sum(), 1e-5),
        (
            "smooth",
            ndimage.gaussian_filter(there, 1.5),
            scipy.ndimage.gaussian_filter(values, 1.5),
            1e-5,
        ),
    ):
        assert gpu.download(found) == pytest.approx(expected, rel=part, abs=part), name


def test_subnormal_numbers_are_preserved(gpu, scaled):
    """CuPy's kernels flush them to 0; ours have the bits of the CPU."""
    small = np.float32([1e-45, 1e-40, -1e-41, 1.2e-38])
    there = gpu.upload(small)
    scaled(1, 64, there, np.int32(4), np.float32(0.5))
    assert np.array_equal(gpu.download(there), small * np.float32(0.5))
