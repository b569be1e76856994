"""The EM loop on the device gives the images of the CPU, in chunks and from graphs, too."""

from contextlib import contextmanager

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import DeviceError, DeviceMemoryError, NumericalError
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.rays import device_em
from engine.kernels.rays import event_stream as stream
from engine.kernels.variants import RayVariant
from engine.operators.rays import RayProjector, Rays
from engine.recon.algorithms import Mlem, Osem
from engine.recon.algorithms.driver import solve
from engine.recon.model import ListModeModel
from engine.recon.postprocess import Median
from tests.emulator import EmulatedGpu

GRID = ImageGrid((6, 8, 10), (4.0, 4.0, 4.0))
TOF = TofBins(fwhm_ps=200, bin_ps=150, n_bins=7)
N = 1200
MANY = 40_000
"""Number of events that exceed `TIGHT_BYTES`; tables and images fit."""
TIGHT_BYTES = 2**18 + 30 * GRID.n_voxels
FASTEST = RayVariant("thread", sums="fixed")
"""The variant that takes the CPU the least time for many events."""


def scan(rng, n=N):
    """Return events of a toy scanner, with TOF bins and some background."""
    points = rng.normal(size=(2 * n, 3))
    points *= 60 / np.linalg.norm(points, axis=1, keepdims=True)
    points[1::2] = -points[::2] + rng.uniform(-15, 15, (n, 3))
    ends = np.arange(2 * n, dtype=np.int32).reshape(-1, 2)
    bins = rng.integers(0, TOF.n_bins, n).astype(np.int16)
    return Rays(points, ends, bins), rng.uniform(0, 0.5, n).astype(np.float32)


def model_of(events, on, *, reproducible=True, **options):
    rays, background = events
    A = RayProjector(rays, GRID, on=on, tof=TOF, reproducible=reproducible, **options)
    sensitivity = np.full(GRID.shape, 30.0, np.float32)
    sensitivity[0] = 0  # a plane without sensitivity
    return ListModeModel(A, background, sensitivity)


def start():
    return np.ones(GRID.shape, np.float32)


def images(model, algorithm, **options):
    return [step.image.copy() for step in solve(algorithm, model, start(), **options)]


def loop_of(events, on, *, chunk=None, n_subsets=3, **options):
    model = model_of(events, on, **options)
    return model.A.em_loop(start(), model.background, model.sensitivity, n_subsets, chunk=chunk)


def result(loop, n_subsets=3):
    for update in range(2 * n_subsets):
        loop.update(update % n_subsets)
    return loop.snapshot()()


@contextmanager
def at_most(gpu, n_bytes):
    """Leave only this much free memory, on a real or emulated GPU."""
    gpu.release()
    if hasattr(gpu, "memory_limit"):
        before, gpu.memory_limit = gpu.memory_limit, gpu.memory.used_bytes + n_bytes
        try:
            yield
        finally:
            gpu.memory_limit = before
    else:
        pool = gpu.xp.get_default_memory_pool()
        allocated = allocate_reusable(pool, gpu)
        pool.set_limit(size=pool.total_bytes() + n_bytes)
        try:
            yield
        finally:
            pool.set_limit(size=0)
            del allocated


def allocate_reusable(pool, gpu):
    """Allocate the memory that a pool could reuse, because the limit does not apply to it."""
    allocated, size = [], 1 << 22
    pool.set_limit(size=max(pool.total_bytes(), 1))
    while size >= 512:
        try:
            allocated.append(gpu.empty((size,), np.uint8))
        except DeviceMemoryError:
            size //= 2
    return allocated


@pytest.mark.parametrize("algorithm", [Mlem(iterations=3), Osem(iterations=2, subsets=4)])
def test_every_image_has_the_bits_of_the_cpu(rng, on_gpu, algorithm):
    events = scan(rng)
    on_host, on_device = (images(model_of(events, on), algorithm) for on in (cpu(2), on_gpu))
    for expected, actual in zip(on_host, on_device, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_float_images_equal_those_of_the_cpu(rng, on_gpu):
    events, algorithm = scan(rng), Osem(iterations=2, subsets=3)
    on_host, on_device = (
        images(model_of(events, on, reproducible=False), algorithm)[-1] for on in (cpu(2), on_gpu)
    )
    assert np.abs(on_device - on_host).max() < 5e-5 * on_host.max()


def test_likelihood_and_rows_without_counts_equal_those_of_the_cpu(rng, on_gpu):
    rays, background = scan(rng)
    events = (rays, np.where(np.arange(N) % 3 == 0, 0, background).astype(np.float32))
    on_host, on_device = (
        [
            (step.log_likelihood, step.n_skipped)
            for step in solve(Osem(iterations=2, subsets=2), model_of(events, on), start())
        ]
        for on in (cpu(2), on_gpu)
    )
    assert [skipped for _, skipped in on_device] == [skipped for _, skipped in on_host]
    assert on_device[1][1] > 0
    assert [value for value, _ in on_device if value] == pytest.approx(
        [value for value, _ in on_host if value], rel=1e-6
    )


def test_likelihood_has_the_same_bits_for_any_requests_in_between(rng, on_gpu):
    events, algorithm = scan(rng), Osem(iterations=2, subsets=4)
    expected = [step.log_likelihood for step in solve(algorithm, model_of(events, on_gpu), start())]
    message = []
    for step in solve(algorithm, model_of(events, on_gpu), start()):
        if step.subset in (1, 3):
            step.so_far()
        message.append(step.log_likelihood)
    assert message == expected


def test_mlem_preserves_the_counts(rng, on_gpu):
    rays, _ = scan(rng)
    A = RayProjector(rays, GRID, on=on_gpu, tof=TOF)
    seen = int((on_gpu.to_host(A(start())) > 0).sum())
    s = np.full(GRID.shape, 30.0, np.float32)
    for step in solve(Mlem(iterations=3), ListModeModel(A, np.zeros(N, "f4"), s), start()):
        assert np.sum(s * step.image, dtype="f8") == pytest.approx(seen, rel=1e-5)


@pytest.mark.parametrize("chunk", [64, 150, 10_000])
@pytest.mark.parametrize("mapping", ["thread", "warp", "block"])
def test_chunks_and_mappings_give_the_bits_of_the_whole(rng, on_gpu, chunk, mapping):
    events = scan(rng)
    whole = result(loop_of(events, on_gpu))
    variant = RayVariant(mapping, sums="fixed", block=64)
    loop = loop_of(events, on_gpu, chunk=chunk, variant=variant)
    np.testing.assert_array_equal(result(loop), whole)
    assert loop.rows_per_chunk == min(chunk, N // 3)


@pytest.mark.parametrize("n_chunks", [1, 2, 3, 4, 5])
def test_buffer_is_refilled_only_after_its_kernels_are_done(rng, n_chunks):
    events = scan(rng)
    whole = result(loop_of(events, cuda(EmulatedGpu())))
    loop = loop_of(events, cuda(EmulatedGpu(late=True)), chunk=-(-N // 3 // n_chunks))
    np.testing.assert_array_equal(result(loop), whole)


def test_float_chunks_are_close_to_the_whole(rng, on_gpu):
    events = scan(rng)
    whole = result(loop_of(events, on_gpu, reproducible=False))
    chunked = result(loop_of(events, on_gpu, reproducible=False, chunk=100))
    assert np.abs(chunked - whole).max() < 5e-5 * whole.max()


def test_replayed_graph_equals_the_first_launches(rng, on_gpu, monkeypatch):
    events = scan(rng)
    replayed = loop_of(events, on_gpu)
    again = result(replayed)
    assert set(replayed._graphs) == {0, 1, 2}
    monkeypatch.setattr(device_em, "GRAPH_BELOW", 0)
    launched = loop_of(events, on_gpu)
    np.testing.assert_array_equal(result(launched), again)
    assert not launched._graphs
    assert launched.figures() == replayed.figures()


def test_chunks_are_halved_until_they_fit_the_memory(rng, on_gpu, monkeypatch):
    monkeypatch.setattr(stream, "SMALLEST_CHUNK", 16)
    monkeypatch.setattr(device_em, "SMALLEST_CHUNK", 16)
    # as if another program used memory after it was measured
    monkeypatch.setattr(device_em, "fitting_chunk", lambda *_: None)
    events = scan(rng, MANY)
    model = model_of(events, on_gpu, variant=FASTEST)
    expected = result(model.A.em_loop(start(), model.background, model.sensitivity, 3))
    # the model already contains the crystal positions, which all loops need
    tight = model_of(events, on_gpu, variant=FASTEST)
    with at_most(on_gpu.gpu, TIGHT_BYTES):
        loop = tight.A.em_loop(start(), tight.background, tight.sensitivity, 3)
        assert 16 <= loop.rows_per_chunk < MANY // 3
        np.testing.assert_array_equal(result(loop), expected)


def test_events_that_do_not_fit_are_sent_in_chunks(rng, on_gpu, monkeypatch):
    monkeypatch.setattr(stream, "SMALLEST_CHUNK", 16)
    events = scan(rng, MANY)
    expected = result(loop_of(events, on_gpu, variant=FASTEST))
    tight = model_of(events, on_gpu, variant=FASTEST)
    with at_most(on_gpu.gpu, TIGHT_BYTES):
        loop = tight.A.em_loop(start(), tight.background, tight.sensitivity, 3)
        assert loop.rows_per_chunk < MANY // 3
        np.testing.assert_array_equal(result(loop), expected)


def test_images_that_do_not_fit_give_one_sentence(rng, on_gpu):
    model = model_of(scan(rng), on_gpu)
    with (
        at_most(on_gpu.gpu, 1000),
        pytest.raises(DeviceMemoryError, match="memory"),
    ):
        model.A.em_loop(start(), model.background, model.sensitivity, 1)


def test_filters_between_iterations_run_on_the_device(rng, on_gpu):
    events, algorithm = scan(rng), Osem(iterations=2, subsets=2)

    def smooth(image):
        return Median().apply(image, GRID.voxel_mm)

    on_host, on_device = (
        images(model_of(events, on), algorithm, between=smooth)[-1] for on in (cpu(2), on_gpu)
    )
    np.testing.assert_allclose(on_device, on_host, rtol=1e-6)


def test_invalid_image_is_reported(rng, on_gpu):
    model = model_of(scan(rng), on_gpu)
    with pytest.raises(NumericalError, match="iteration 1, subset 2"):
        images(model, Osem(iterations=1, subsets=2), between=lambda image: image + np.nan)


def test_too_small_sensitivity_is_reported(rng, on_gpu):
    model = model_of(scan(rng), on_gpu)
    model.sensitivity[3] = 1e-45
    with pytest.raises(NumericalError, match="infinite or NaN"):
        images(model, Mlem(iterations=2))


def test_outdated_image_is_refused(rng, on_gpu):
    loop = loop_of(scan(rng), on_gpu)
    old = loop.snapshot()
    loop.update(0)
    with pytest.raises(RuntimeError, match="overwritten"):
        old()


def test_run_can_be_cancelled_between_updates(rng, on_gpu):
    class StopError(Exception): ...

    done = []

    def stop(rows, total):
        done.append(rows)
        if len(done) == 3:
            raise StopError

    model = model_of(scan(rng), on_gpu, on_progress=stop)
    with pytest.raises(StopError):
        images(model, Osem(iterations=5, subsets=2))
    assert len(done) == 3
    on_gpu.gpu.wait()  # no error is left that would appear later


def test_failing_driver_is_a_device_error(rng):
    on = cuda(EmulatedGpu(fail_at_launch=12))
    with pytest.raises(DeviceError, match="launch failure"):
        images(model_of(scan(rng), on), Osem(iterations=5, subsets=2))
