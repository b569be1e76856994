"""Tests of transfers of CT parts to and from a GPU: concurrent with kernels, and ordered.

The emulated GPU copies at once and runs kernels as late as possible. The software GPU, on which
CuPy runs, also runs kernels before copies; a missing wait is visible there.
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
WAYS = ("forward", "adjoint", "gathered", "back", "fdk")


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
    """The emulated card, and the software card in each of its orders; a real one has its own."""
    if request.param not in ORDERS:
        reverse = request.param == "reversed"
        yield cuda(EmulatedGpu(exact_textures=True, late=True, reverse=reverse))
    elif current() is None and request.param != ORDERS[0]:
        pytest.skip("a real card has an order of its own")
    else:
        with working(request.param):
            yield cuda()


def result(way, on, rng, *, streams=True):
    """Return the result of a projection method for arrays of the host."""
    grid = GRID if way != "adjoint" else replace(GRID, shape=(5, 7, 6))
    A = XrayTransform(SCAN, grid, on=on, streams=streams)
    x, y = rng.random(grid.shape, np.float32), rng.random(A.out_shape, np.float32)
    if way == "forward":
        return on.to_host(A(x))
    if way in ("adjoint", "gathered"):
        return on.to_host(A.T(y))
    settings = FilterSettings()
    plan = planned(y, SCAN, settings)
    values = y if way == "back" else FilteredChunks(y, plan, settings, on=on)
    return on.to_host(A.back_project(values, weighting="fdk"))


def wanted(way):
    return result(way, cpu(2), np.random.default_rng(7))


def of_largest(found, want):
    return np.abs(np.asarray(found) - want).max() / np.abs(want).max()


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_parts_transferred_during_the_work_equal_the_whole(on, way, streams):
    found = result(way, on, np.random.default_rng(7), streams=streams)
    assert of_largest(found, wanted(way)) < (1e-5 if isinstance(on.gpu, EmulatedGpu) else 5e-3)


@pytest.mark.parametrize("late_copies", [False, True])
@pytest.mark.parametrize("way", ["forward", "gathered", "fdk"])
def test_waits_hold_if_the_host_is_far_ahead(monkeypatch, way, late_copies):
    """The host never waits for kernels here, so only the waits of streams keep the order."""
    monkeypatch.setattr("engine.operators.xray.parts.PartProgress.step", lambda pace, n: None)
    on = cuda(EmulatedGpu(exact_textures=True, late=True, late_copies=late_copies))
    assert of_largest(result(way, on, np.random.default_rng(7)), wanted(way)) < 1e-5


def leave_out(gpu, monkeypatch, which):
    """Drop the waits of one stream for another: of uploads, downloads, or kernels."""
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
    ("which", "way"),
    [("coming", "gathered"), ("coming", "fdk"), ("leaving", "forward"), ("leaving", "back")],
)
def test_omitted_wait_is_detected(monkeypatch, which, way):
    gpu = EmulatedGpu(exact_textures=True, late=True)
    # uninitialised memory holds no numbers
    empty = gpu.empty

    def unwritten(shape, dtype):
        found = empty(shape, dtype)
        found[...] = np.nan if np.dtype(dtype).kind == "f" else 0
        return found

    monkeypatch.setattr(gpu, "empty", unwritten)
    monkeypatch.setattr("engine.operators.xray.parts.PartProgress.step", lambda pace, n: None)
    leave_out(gpu, monkeypatch, which)
    found = result(way, cuda(gpu), np.random.default_rng(7))
    assert not of_largest(found, wanted(way)) < 1e-3


@pytest.mark.gpu
@pytest.mark.parametrize("way", ["gathered", "fdk"])
def test_kernels_that_do_not_wait_for_uploads_are_detected(monkeypatch, way):
    if current() is None:
        pytest.skip("a real card may be right by luck")
    from engine.core.backend import cupy_gpu, cupy_ring

    # through the ring: other copies poll their completion, which completes them
    monkeypatch.setattr(cupy_gpu, "MIN_BYTES", 100)
    monkeypatch.setattr(cupy_ring, "PIECE_BYTES", 1 << 14)
    on = cuda()
    monkeypatch.setattr(on.gpu, "_ring", cupy_ring.PinnedRing())
    with working("late"):
        leave_out(on.gpu, monkeypatch, "kernels")
        found = result(way, on, np.random.default_rng(7))
    assert not of_largest(found, wanted(way)) < 2e-2


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
