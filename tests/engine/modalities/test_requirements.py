"""Tests of the description of requirements, and of refusals if only bounds are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.core.backend.devices import DeviceInfo
from engine.core.backend.driver import NvidiaCard
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.geometry.grid import ImageGrid
from engine.modalities.requirements import (
    GIB,
    GpuRequirements,
    Requirements,
    card_rate,
    refuse_if_too_large,
)
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import estimate
from engine.protocols.study.assignments import with_settings

GRID = ImageGrid((4, 4, 4), (1.0, 1.0, 1.0))
SMALLEST_NEED = Requirements(1 * GIB, 4 * GIB, {"reconstruct": 10.0})
LARGEST_NEED = Requirements(8 * GIB, 4 * GIB, {"reconstruct": 90.0}, minimum=SMALLEST_NEED)


def card_of(n_multiprocessors):
    card = NvidiaCard(
        0, "a card", 8 * GIB, "", "", 90, (13, 0), n_multiprocessors=n_multiprocessors
    )
    return DeviceInfo("cuda", "a card", 8 * GIB, 8 * GIB, 2, card=card)


@pytest.mark.parametrize("algorithm", ["fdk", "sirt"])
def test_gpu_with_twice_the_multiprocessors_halves_the_ct_time(algorithm):
    protocol = with_settings(CtProtocol(), (f"algorithm.kind={algorithm}",))
    grid = ImageGrid((512, 512, 512), (1.0, 1.0, 1.0))
    small, large = (
        estimate(protocol, (720, 768, 1024), grid, on=card_of(n)).stages["reconstruct"]
        for n in (66, 132)
    )
    assert small == pytest.approx(2 * large)


def test_unknown_gpu_counts_as_a_small_one():
    assert card_rate(card_of(132), 2.0, 50.0) == 264.0
    assert card_rate(card_of(0), 2.0, 50.0) == 50.0
    assert card_rate(DeviceInfo("cuda", "a card", GIB, GIB, 2), 2.0, 50.0) == 50.0


def test_maximum_is_described_as_such():
    assert SMALLEST_NEED.describe() == (
        "Memory needed: 1.0 GiB, available: 4.0 GiB. Estimated time: 0:10."
    )
    assert LARGEST_NEED.describe() == (
        "Memory needed: up to 8.0 GiB, available: 4.0 GiB. Estimated time: up to 1:30."
    )
    on_gpu = replace(LARGEST_NEED, gpu=GpuRequirements(GIB, 2 * GIB, 3 * GIB))
    assert on_gpu.describe() == (
        "Memory needed: up to 8.0 GiB, available: 4.0 GiB. GPU memory needed: up to 2.0 GiB, "
        "available: 3.0 GiB. Estimated time: up to 1:30."
    )


def test_slower_computer_scales_minimum_and_maximum():
    slower = LARGEST_NEED.times(3.0)
    assert (slower.seconds, slower.minimum.seconds) == (270.0, 30.0)
    assert replace(slower, stages=LARGEST_NEED.stages, minimum=SMALLEST_NEED) == LARGEST_NEED
    assert SMALLEST_NEED.times(3.0) == replace(SMALLEST_NEED, stages={"reconstruct": 30.0})


def test_only_a_minimum_that_is_too_large_is_refused():
    assert not LARGEST_NEED.fits
    refuse_if_too_large(LARGEST_NEED, GRID)
    with pytest.raises(
        ResourceError, match=r"needs 5\.0 GiB of memory, but only 4\.0 GiB are free"
    ):
        refuse_if_too_large(
            replace(LARGEST_NEED, minimum=replace(SMALLEST_NEED, memory_bytes=5 * GIB)), GRID
        )
    with pytest.raises(ResourceError, match=r"needs 8\.0 GiB"):
        refuse_if_too_large(replace(LARGEST_NEED, minimum=None), GRID)
    small = replace(SMALLEST_NEED, gpu=GpuRequirements(4 * GIB, 4 * GIB, 3 * GIB))
    with pytest.raises(DeviceMemoryError, match=r"4\.0 GiB of GPU memory"):
        refuse_if_too_large(replace(LARGEST_NEED, minimum=small), GRID)
