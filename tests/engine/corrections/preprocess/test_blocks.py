"""Steps receive every view or row once, and files release memory after each block."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.preprocess import blocks
from engine.corrections.preprocess.blocks import block_bytes, in_blocks
from engine.data.storage.columns import ColumnStorage

SHAPE = (50, 6, 8)


class Counted(ColumnStorage):
    """A storage that counts releases of memory."""

    n_releases = 0

    def release_pages(self) -> None:
        self.n_releases += 1


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Use blocks of at most three views or two rows."""
    monkeypatch.setattr(blocks, "VIEWS_BYTES", 3 * 4 * 6 * 8)
    monkeypatch.setattr(blocks, "ROWS_BYTES", 2 * 4 * 50 * 8)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(("axis", "keep_order"), [(0, 1), (0, 2), (0, 7), (1, 1)])
def test_every_part_comes_once_and_results_are_in_order(threads, axis, keep_order):
    found = in_blocks(
        lambda part: part, np.zeros(SHAPE), on=cpu(threads), axis=axis, keep_order=keep_order
    )
    starts, stops = [part.start for part in found], [part.stop for part in found]
    assert starts == [0, *stops[:-1]]
    assert stops[-1] == SHAPE[axis]
    assert all(start % keep_order == 0 for start in starts)


def test_blocks_are_not_larger_than_memory_needs_state():
    found = in_blocks(lambda part: part.stop - part.start, np.zeros(SHAPE), on=cpu(2))
    assert max(found) * 4 * 6 * 8 <= block_bytes(SHAPE)
    found = in_blocks(lambda part: part.stop - part.start, np.zeros(SHAPE), on=cpu(2), axis=1)
    assert max(found) * 4 * 50 * 8 <= block_bytes(SHAPE)


def test_files_release_memory_after_each_block():
    storage = Counted()
    in_blocks(lambda _: None, np.zeros(SHAPE), on=cpu(1), storage=storage)
    assert storage.n_releases == 17


def test_scan_without_views_has_no_blocks():
    assert in_blocks(lambda part: part, np.zeros((0, 6, 8)), on=cpu(2)) == []
