"""Needs in words, and what is refused, where only the least and the most are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import DeviceMemoryError, ResourceError
from engine.geometry.grid import ImageGrid
from engine.modalities.requirements import GIB, GpuRequirements, Requirements, refuse_if_too_large

GRID = ImageGrid((4, 4, 4), (1.0, 1.0, 1.0))
LEAST = Requirements(1 * GIB, 4 * GIB, {"reconstruct": 10.0})
MOST = Requirements(8 * GIB, 4 * GIB, {"reconstruct": 90.0}, least=LEAST)


def test_the_most_is_told_as_such():
    assert LEAST.describe() == "needs 1.0 GiB, about 0:10, 4.0 GiB free"
    assert MOST.describe() == "needs up to 8.0 GiB, up to about 1:30, 4.0 GiB free"
    on_gpu = replace(MOST, gpu=GpuRequirements(GIB, 2 * GIB, 3 * GIB))
    assert on_gpu.describe() == (
        "needs up to 8.0 GiB (4.0 GiB free) and up to 2.0 GiB of GPU memory (3.0 GiB free), "
        "up to about 1:30"
    )


def test_a_slower_computer_takes_longer_at_least_and_at_most():
    slower = MOST.times(3.0)
    assert (slower.seconds, slower.least.seconds) == (270.0, 30.0)
    assert replace(slower, stages=MOST.stages, least=LEAST) == MOST
    assert LEAST.times(3.0) == replace(LEAST, stages={"reconstruct": 30.0})


def test_only_what_is_surely_too_large_is_refused():
    assert not MOST.fits
    refuse_if_too_large(MOST, GRID)
    with pytest.raises(ResourceError, match=r"needs 5\.0 GiB of memory, 4\.0 GiB are free"):
        refuse_if_too_large(replace(MOST, least=replace(LEAST, memory_bytes=5 * GIB)), GRID)
    with pytest.raises(ResourceError, match=r"needs 8\.0 GiB"):
        refuse_if_too_large(replace(MOST, least=None), GRID)
    small = replace(LEAST, gpu=GpuRequirements(4 * GIB, 4 * GIB, 3 * GIB))
    with pytest.raises(DeviceMemoryError, match=r"4\.0 GiB of GPU memory"):
        refuse_if_too_large(replace(MOST, least=small), GRID)
