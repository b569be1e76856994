"""Tests of large copies through page-locked memory, in every order of execution."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.core.backend import cupy_gpu, cupy_ring
from engine.core.backend.cupy_ring import PinnedRing
from tests.emulator.card.installing import current
from tests.engine.core.backend.test_cupy_gpu import TEXT, gpu, order  # noqa: F401

pytestmark = pytest.mark.gpu
SHAPE = (23, 7, 11)


@pytest.fixture
def ring(gpu, monkeypatch):  # noqa: F811
    """Return a ring of small buffers, which an array uses several times."""
    monkeypatch.setattr(cupy_ring, "PIECE_BYTES", 324)
    monkeypatch.setattr(cupy_gpu, "MIN_BYTES", 1000)
    monkeypatch.setattr(gpu, "_ring", PinnedRing())
    yield gpu._ring
    gpu._ring.forget()


@pytest.fixture
def values(rng):
    return rng.random(SHAPE).astype(np.float32)


def test_large_array_is_copied_piece_by_piece(gpu, order, ring, values):  # noqa: F811
    given = values.copy()
    there = gpu.upload(given)
    given[...] = -1  # the array may change after the copy is queued
    assert len(ring._pieces) == cupy_ring.N_PIECES
    assert np.array_equal(gpu.download(there), values)
    out = np.full((30, 7, 11), -1, np.float32)
    assert gpu.download(there[2:], out[4:25]).base is out
    assert np.array_equal(out[4:25], values[2:])
    assert (out[:4] == -1).all() and (out[25:] == -1).all()
    ints = np.arange(400, dtype=np.int64)
    assert np.array_equal(gpu.download(gpu.upload(ints)), ints)


def test_small_strided_or_page_locked_arrays_bypass_the_ring(gpu, order, ring, values):  # noqa: F811
    locked = gpu.pinned(values)
    there = gpu.upload(locked)
    assert np.array_equal(gpu.download(there[:, ::2]), values[:, ::2])
    assert np.array_equal(gpu.download(there[0, 0]), values[0, 0])
    out = np.zeros((23, 7, 22), np.float32)
    gpu.download(there, out[:, :, ::2])
    assert np.array_equal(out[:, :, ::2], values)
    assert not ring._pieces


def test_copies_keep_their_order_among_kernels(gpu, order, ring, values):  # noqa: F811
    module = gpu.load(TEXT, ())
    gpu.upload(np.zeros(16, np.uint8), out=module.constant("factor"))
    scaled, n = module.function("scaled"), values.size
    buffer, downloads = gpu.empty(SHAPE, np.float32), []
    for by in (2.0, 3.0):
        gpu.upload(values, buffer)
        scaled(-(-n // 64), 64, buffer, np.int32(n), np.float32(by))
        stamp = gpu.stamp()
        with gpu.copying(to_host=True):
            gpu.wait_for(stamp)
            downloads.append(gpu.download(buffer))
    assert np.array_equal(downloads[0], 2 * values)
    assert np.array_equal(downloads[1], 3 * values)


def test_reusing_a_piece_too_early_is_detected(gpu, ring, values, monkeypatch):  # noqa: F811
    card = current()
    if card is None:
        pytest.skip("a real GPU may be right by luck")
    before, card.work.order = card.work.order, "late"
    monkeypatch.setattr(cupy_ring._Piece, "wait", lambda piece: None)
    try:
        assert not np.array_equal(gpu.download(gpu.upload(values)), values)
    finally:
        card.work.finish_all()
        card.work.order = before


class SlowThreads(ThreadPoolExecutor):
    """Threads that start late, like on a busy host."""

    def submit(self, function, /, *args, **options):
        def late():
            time.sleep(0.01)
            return function(*args, **options)

        return super().submit(late)


def test_piece_is_not_reused_before_a_busy_host_has_emptied_it(gpu, order, ring, values):  # noqa: F811
    ring._threads = SlowThreads(4)
    there = gpu.upload(values)
    assert values.nbytes > 2 * cupy_ring.N_PIECES * cupy_ring.PIECE_BYTES
    assert np.array_equal(gpu.download(there), values)
