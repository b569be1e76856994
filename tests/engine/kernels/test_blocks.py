from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from threading import Barrier, Event, current_thread
from time import sleep

import numpy as np
import pytest

from engine.core.backend.processor import lent, lent_pool
from engine.kernels import blocks
from engine.kernels.blocks import Bordered, contiguous, copy_planes, pad, run_blocks, sum_blocks


@pytest.mark.parametrize("in_turn", [True, False])
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n_rows", [0, 1, 255, 5000])
def test_every_row_is_processed_once(threads, n_rows, in_turn):
    n_processed = np.zeros(n_rows, int)

    def work(_: int, start: int, stop: int) -> None:
        n_processed[start:stop] += 1

    run_blocks(work, n_rows, threads, in_turn=in_turn)

    assert (n_processed == 1).all()


def test_free_thread_takes_the_blocks_of_a_busy_one():
    """The first block ends last, so the other thread must process all other blocks."""
    others = Barrier(2, timeout=10)
    by = {}

    def work(thread: int, start: int, _: int) -> None:
        by[start] = thread
        if start in (0, 5):
            others.wait()

    run_blocks(work, 6, 2, rows=1, in_turn=False)

    assert len({by[start] for start in range(1, 6)}) == 1 and by[0] != by[5]


def test_sums_of_all_threads_are_added_and_cropped():
    def work(sums: np.ndarray, start: int, stop: int) -> None:
        sums += stop - start

    total = sum_blocks(work, 5000, Bordered((2, 3, 4), np.int64), threads=3)

    assert total.shape == (2, 3, 4)
    assert (total == 5000).all()


def test_padding_adds_a_border_of_zeros():
    padded = pad(np.ones((2, 3, 4)), np.float32)

    assert padded.shape == (4, 5, 6)
    assert padded.sum() == 24


def test_tick_reports_the_end():
    calls = []

    run_blocks(
        lambda _, start, stop: None, 1000, 2, lambda done, total: calls.append((done, total))
    )

    assert calls[-1] == (1000, 1000)


def test_tick_stops_the_work():
    class StoppedError(Exception): ...

    def stop(done: int, total: int) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        run_blocks(lambda _, start, stop: None, 1000, 2, stop)


def test_error_in_a_thread_is_raised():
    def work(_: int, start: int, stop: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_blocks(work, 1000, 2)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("max_single", [0, 1 << 18])
@pytest.mark.parametrize("axes", [*permutations(range(3))])
def test_planes_are_copied_for_any_memory_order(rng, monkeypatch, axes, max_single, threads):
    monkeypatch.setattr(blocks, "_COPIED_ALONE", max_single)
    values = rng.random((5, 9, 7)).transpose(axes)
    copy = contiguous(values, threads)
    assert copy.flags.c_contiguous and copy.dtype == np.float32
    np.testing.assert_array_equal(copy, values.astype(np.float32))
    out = np.full((11, 11, 11), np.nan, np.float32).transpose(2, 1, 0)
    part = out[tuple(slice(1, 1 + n) for n in values.shape)]
    copy_planes(values, part, threads)
    np.testing.assert_array_equal(part, copy)
    assert np.isnan(out).sum() == out.size - values.size


def test_planes_preserve_the_fastest_axes_of_both_arrays(monkeypatch):
    monkeypatch.setattr(blocks, "_COPIED_ALONE", 0)
    n_planes, run_all = [], blocks.run_blocks

    def recording(work, n, threads, **more):
        n_planes.append(n)
        run_all(work, n, threads, **more)

    monkeypatch.setattr(blocks, "run_blocks", recording)
    # In memory [y, x, z], expected [z, y, x]: both arrays have planes along y.
    contiguous(np.zeros((4, 5, 6), np.float32).transpose(2, 0, 1), 2)
    # Columns of views, but rows are expected.
    contiguous(np.zeros((3, 8, 7), np.float32).transpose(0, 2, 1), 2)
    assert n_planes == [4, 3]


def test_contiguous_array_is_not_copied():
    values = np.zeros((2, 3), np.float32)
    assert contiguous(values, 2) is values
    assert contiguous(values.astype(np.float64), 2).dtype == np.float32


def test_lent_threads_are_reused_and_those_of_nested_calls_are_new():
    # Compare the threads themselves, because the system reuses the identifiers of ended threads.
    used, nested = [], []

    def work(_: int, start: int, stop: int) -> None:
        used.append(current_thread())
        run_blocks(lambda *_: nested.append(current_thread()), 2, 2, rows=1)

    with ThreadPoolExecutor(2) as pool, lent(pool):
        for _ in range(20):
            run_blocks(work, 4, 2, rows=1)
        own = set(pool._threads)
    run_blocks(work, 4, 2, rows=1)

    assert set(used[:80]) <= own and not own & set(nested[:160])
    assert lent_pool() is None


def test_error_is_raised_after_all_lent_threads_have_stopped():
    at_work = []

    def work(_: int, start: int, stop: int) -> None:
        at_work.append(start)
        try:
            if start == 0:
                raise ValueError("first")
            sleep(0.05)
        finally:
            at_work.remove(start)

    with ThreadPoolExecutor(2) as pool, lent(pool):
        with pytest.raises(ValueError, match="first"):
            run_blocks(work, 2, 2, rows=1)
        assert not at_work
        run_blocks(lambda *_: at_work.append(1), 2, 2, rows=1)  # the threads still work
    assert at_work == [1, 1]


def test_lent_threads_have_stopped_if_no_new_thread_can_start():
    begun, at_work = Event(), []

    class Exhausted(ThreadPoolExecutor):
        def submit(self, *args):
            if begun.is_set():
                raise RuntimeError("can't start new thread")
            future = super().submit(*args)
            assert begun.wait(60)
            return future

    def work(_: int, start: int, stop: int) -> None:
        at_work.append(start)
        begun.set()
        sleep(0.05)
        at_work.remove(start)

    with Exhausted(2) as pool, lent(pool):
        with pytest.raises(RuntimeError, match="new thread"):
            run_blocks(work, 40, 2, rows=1)
        assert not at_work
