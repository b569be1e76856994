import numpy as np
import pytest

from engine.kernels.blocks import pad, run_blocks, sum_blocks


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n_rows", [0, 1, 255, 5000])
def test_every_row_is_worked_on_once(threads, n_rows):
    seen = np.zeros(n_rows, int)

    def work(_: int, start: int, stop: int) -> None:
        seen[start:stop] += 1

    run_blocks(work, n_rows, threads)

    assert (seen == 1).all()


def test_sums_of_all_threads_are_added_and_cropped():
    def work(sums: np.ndarray, start: int, stop: int) -> None:
        sums += stop - start

    total = sum_blocks(work, 5000, (2, 3, 4), dtype=np.int64, threads=3)

    assert total.shape == (2, 3, 4)
    assert (total == 5000).all()


def test_padding_adds_a_border_of_zeros():
    padded = pad(np.ones((2, 3, 4)), np.float32)

    assert padded.shape == (4, 5, 6)
    assert padded.sum() == 24


def test_tick_tells_the_end():
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


def test_a_fault_in_a_thread_is_raised():
    def work(_: int, start: int, stop: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_blocks(work, 1000, 2)
