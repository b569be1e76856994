"""Slices that a GPU computes from changing views, compared with those of the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import Backend, cpu
from engine.core.errors import ResourceError
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.plane import orthogonal
from engine.operators.xray.device_slice_sums import DeviceSliceSums
from engine.operators.xray.slice_sums import SliceSums

SHAPE, N_SLOTS = (6, 9), 5
BLENDED = 2**-8
"""Tolerance of textures, which interpolate with 8 bits."""
PLANES = orthogonal((6, 7), 1.5)


@pytest.fixture
def scan():
    return circular_cone(
        circle(8), source_axis_mm=60, source_detector_mm=90, shape=SHAPE, pixel_mm=2.0
    )


def expect_same(pair, slots, geometry, gains, **more) -> None:
    found, expected = (each.values(slots, geometry, gains, **more) for each in pair)
    largest = max(float(np.abs(each).max()) for each in expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=BLENDED * largest)


def test_slices_of_replaced_moved_and_weighted_views_equal_those_of_the_cpu(
    on_gpu: Backend, scan, rng
) -> None:
    on = cpu(2)
    pair = (
        DeviceSliceSums(N_SLOTS, SHAPE, PLANES, on=on_gpu),
        SliceSums(N_SLOTS, SHAPE, PLANES, on=on),
    )
    views = rng.random((8, *SHAPE), np.float32)
    for sums in pair:
        for slot in range(4):
            sums.put(slot, views[slot])
    expect_same(pair, range(4), scan.select(slice(0, 4)), np.ones(4))
    for sums in pair:  # one view is removed, another one uses its slot, and one has weight 0
        sums.take_out([1])
        sums.put(1, views[6])
        sums.put(4, views[4])
    remaining = scan.select(np.array([0, 2, 3, 4, 6]))
    gains = np.array([1.0, 0.5, 0.0, 2.0, 1.5])
    expect_same(pair, [0, 2, 3, 4, 1], remaining, gains, level=0.3)
    turned = [plane.turned((1.0, 1.0, 0.2), 0.5) for plane in PLANES]
    for planes in (turned, orthogonal((4, 5), 2.0, (1.0, 0.0, -1.0))):
        for sums in pair:
            sums.place(planes)
        expect_same(pair, [0, 2, 4], scan.select(np.array([0, 2, 4])), np.ones(3))
    np.testing.assert_allclose(pair[0].binned([1, 4], 2), pair[1].binned([1, 4], 2), rtol=1e-6)


def test_cpu_is_refused() -> None:
    with pytest.raises(ResourceError, match="is not a GPU"):
        DeviceSliceSums(N_SLOTS, SHAPE, PLANES, on=cpu(1))
