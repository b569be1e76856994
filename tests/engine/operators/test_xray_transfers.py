"""Transfers of CT parts to and from a GPU: concurrent with kernels, and in order.

The emulated GPU copies at once and runs kernels as late as possible. The software GPU below CuPy
also runs kernels before copies, so a missing wait becomes visible.
"""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import DataError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.operators.xray import device as xray_device
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.filtered_chunks import FilteredChunks
from engine.recon.filtering.projections import filtered, planned
from engine.recon.filtering.settings import FilterSettings
from tests.emulator import EmulatedGpu
from tests.emulator.card.installing import current
from tests.emulator.card.work import ORDERS

GRID = ImageGrid((26, 7, 6), (1.5, 1.4, 1.3), (0.5, 1.0, -1.0))
SCAN = circular_cone(
    circle(8), source_axis_mm=60.0, source_detector_mm=90.0, shape=(32, 9), pixel_mm=2.0
)
METHODS = ("forward", "adjoint", "gathered", "back", "fdk")


@pytest.fixture(autouse=True)
def in_four_chunks(monkeypatch):
    monkeypatch.setattr(xray_device, "CHUNKS_ARRIVING", 4)
    monkeypatch.setattr(xray_device, "MIN_CHUNK_VIEWS", 1)
    monkeypatch.setattr(xray_device, "MIN_CHUNK_BYTES", 0)


@contextmanager
def working(order):
    """Set the order of queued work of the software GPU, if there is one."""
    card = current()
    if card is None:
        yield
        return
    before, card.work.order = card.work.order, order
    try:
        yield
    finally:
        card.work.finish_all()
        card.work.order = before


CARDS = [pytest.param(order, marks=pytest.mark.gpu) for order in ORDERS]


@pytest.fixture(params=["emulated", "reversed", *CARDS])
def on(request):
    """Return the emulated GPU, the software GPU in each of its orders, or a real GPU."""
    if request.param not in ORDERS:
        reverse = request.param == "reversed"
        yield cuda(EmulatedGpu(exact_textures=True, late=True, reverse=reverse))
    elif current() is None and request.param != ORDERS[0]:
        pytest.skip("a real GPU has its own order")
    else:
        with working(request.param):
            yield cuda()


def result(method, on, rng, *, streams=True):
    """Return the result of a projection method for arrays of the host."""
    grid = GRID if method != "adjoint" else replace(GRID, shape=(5, 7, 6))
    A = XrayTransform(SCAN, grid, on=on, streams=streams)
    x, y = rng.random(grid.shape, np.float32), rng.random(A.out_shape, np.float32)
    if method == "forward":
        return on.to_host(A(x))
    if method in ("adjoint", "gathered"):
        return on.to_host(A.T(y))
    settings = FilterSettings()
    plan = planned(y, SCAN, settings)
    values = y if method == "back" else FilteredChunks(y, plan, settings, on=on)
    return on.to_host(A.back_project(values, weighting="fdk"))


def expected(method):
    return result(method, cpu(2), np.random.default_rng(7))


def of_largest(found, want):
    return np.abs(np.asarray(found) - want).max() / np.abs(want).max()


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_parts_transferred_during_the_work_equal_the_whole(on, method, streams):
    found = result(method, on, np.random.default_rng(7), streams=streams)
    assert of_largest(found, expected(method)) < (1e-5 if isinstance(on.gpu, EmulatedGpu) else 5e-3)


@pytest.mark.parametrize("late_copies", [False, True])
@pytest.mark.parametrize("method", ["forward", "gathered", "fdk"])
def test_waits_hold_if_the_host_is_far_ahead(monkeypatch, method, late_copies):
    """The host never waits for kernels here, so only the waits between streams ensure the order."""
    monkeypatch.setattr("engine.operators.xray.parts.PartProgress.step", lambda pace, n: None)
    on = cuda(EmulatedGpu(exact_textures=True, late=True, late_copies=late_copies))
    assert of_largest(result(method, on, np.random.default_rng(7)), expected(method)) < 1e-5


def omit_waits(gpu, monkeypatch, which):
    """Omit the waits of one stream for another: of uploads, downloads, or kernels."""
    retained, real_copying, stream = gpu.wait_for, gpu.copying, ["kernels"]

    @contextmanager
    def copying(*, to_host=False):
        with real_copying(to_host=to_host):
            stream.append("leaving" if to_host else "coming")
            try:
                yield
            finally:
                stream.pop()

    monkeypatch.setattr(gpu, "copying", copying)
    monkeypatch.setattr(gpu, "wait_for", lambda at: None if stream[-1] == which else retained(at))


@pytest.mark.parametrize(
    ("which", "method"),
    [("coming", "gathered"), ("coming", "fdk"), ("leaving", "forward"), ("leaving", "back")],
)
def test_omitted_wait_is_detected(monkeypatch, which, method):
    gpu = EmulatedGpu(exact_textures=True, late=True)
    # Uninitialised memory contains NaN.
    empty = gpu.empty

    def unwritten(shape, dtype):
        found = empty(shape, dtype)
        found[...] = np.nan if np.dtype(dtype).kind == "f" else 0
        return found

    monkeypatch.setattr(gpu, "empty", unwritten)
    monkeypatch.setattr("engine.operators.xray.parts.PartProgress.step", lambda pace, n: None)
    omit_waits(gpu, monkeypatch, which)
    found = result(method, cuda(gpu), np.random.default_rng(7))
    assert not of_largest(found, expected(method)) < 1e-3


@pytest.mark.gpu
@pytest.mark.parametrize("method", ["gathered", "fdk"])
def test_kernels_that_do_not_wait_for_uploads_are_detected(monkeypatch, method):
    if current() is None:
        pytest.skip("a real GPU may be right by chance")
    from engine.core.backend import cupy_gpu, cupy_ring

    # Use the ring: other copies poll for their completion, which completes them.
    monkeypatch.setattr(cupy_gpu, "MIN_BYTES", 100)
    monkeypatch.setattr(cupy_ring, "PIECE_BYTES", 1 << 14)
    on = cuda()
    monkeypatch.setattr(on.gpu, "_ring", cupy_ring.PinnedRing())
    with working("late"):
        omit_waits(on.gpu, monkeypatch, "kernels")
        found = result(method, on, np.random.default_rng(7))
    assert not of_largest(found, expected(method)) < 2e-2


def test_slabs_prepare_their_views_again_and_count_bad_values_once(on, monkeypatch, rng):
    data = rng.random((8, 32, 9), np.float32)
    settings = FilterSettings()
    plan = planned(data, SCAN, settings)
    expected = XrayTransform(SCAN, GRID, on=cpu(2)).back_project(
        filtered(data, plan, settings, on=cpu(2)), weighting="fdk"
    )
    monkeypatch.setattr(xray_device, "USABLE", 12_000 / on.gpu.free_bytes())
    A = XrayTransform(SCAN, GRID, on=on, streams=True)
    chunks = FilteredChunks(data, plan, settings, on=on)
    assert of_largest(A.back_project(chunks, weighting="fdk"), expected) < 5e-3
    chunks.check()

    data[3, 4, 5] = np.inf
    chunks = FilteredChunks(data, plan, settings, on=on)
    A.back_project(chunks, weighting="fdk")
    with pytest.raises(DataError, match="1 of 2304 line integrals"):
        chunks.check()
    with pytest.raises(DataError, match="1 of 2304 line integrals"):
        fdk(data, SCAN, GRID, on=on)


def test_stop_leaves_no_copy_pending(on, rng):
    def stop(done, of):
        raise KeyboardInterrupt

    y = rng.random((8, 32, 9), np.float32)
    A = XrayTransform(SCAN, GRID, on=on, streams=True, on_progress=stop)
    with pytest.raises(KeyboardInterrupt):
        A.T(y)
    again = XrayTransform(SCAN, GRID, on=on, streams=True).T(y)
    assert of_largest(again, XrayTransform(SCAN, GRID, on=cpu(2)).T(y)) < 1e-5
