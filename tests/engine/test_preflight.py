"""What a run will take: sums that can be done by hand, and refusals with numbers."""

from __future__ import annotations

import pytest

from engine.devices import DeviceInfo, cpu_device
from engine.errors import DeviceMemoryError, ResourceError
from engine.geometry.grid import ImageGrid
from engine.preflight import (
    GPU_BYTES_PER_EVENT,
    GPU_CHUNK,
    GPU_IMAGES,
    GPU_SAFETY,
    Needs,
    estimate,
    refuse_if_too_large,
)
from engine.protocol import Protocol

GIB = 2**30
GRID = ImageGrid((100, 200, 200), (2.0, 2.0, 2.0))
CHUNKS = 2 * GPU_CHUNK * GPU_BYTES_PER_EVENT


def gpu(free_gib: float) -> DeviceInfo:
    return DeviceInfo("cuda", "Test GPU", 24 * GIB, round(free_gib * GIB), threads=2)


def needs(n_events=10_000_000, free_gib=20.0, **protocol) -> Needs:
    return estimate(Protocol.model_validate(protocol), GRID, n_events, on=gpu(free_gib))


@pytest.mark.parametrize(("reproducible", "accumulator"), [(False, 4), (True, 8)])
def test_the_images_on_the_gpu_are_counted_one_by_one(reproducible, accumulator):
    found = needs(reproducible=reproducible).gpu
    assert found.images_bytes == int(
        GPU_SAFETY * (GRID.n_voxels * (4 * GPU_IMAGES + accumulator) + CHUNKS)
    )


def test_images_and_events_on_the_gpu_add_up():
    n = 10_000_000
    found = needs(n).gpu
    images = needs(0).gpu.images_bytes - GPU_SAFETY * CHUNKS
    whole = found.images_bytes + found.events_bytes
    assert whole == pytest.approx(images + GPU_SAFETY * n * GPU_BYTES_PER_EVENT, abs=4)


def test_few_events_take_no_more_than_two_chunks():
    assert needs(GPU_CHUNK).gpu.events_bytes == 0


def test_events_that_do_not_fit_are_streamed():
    roomy, tight = needs(free_gib=1.0), needs(free_gib=0.2)
    assert not roomy.gpu.streams
    assert tight.gpu.streams
    assert tight.fits
    assert "streams the events" in tight.describe()
    assert "stream" not in roomy.describe()
    refuse_if_too_large(tight, GRID)


def test_images_that_do_not_fit_are_refused_with_numbers():
    small = needs(free_gib=0.1)
    assert not small.fits
    with pytest.raises(
        DeviceMemoryError, match=r"need 131 MiB of GPU memory, 102 MiB are free"
    ):
        refuse_if_too_large(small, GRID)


def test_the_memory_of_the_machine_is_refused_first_and_is_no_fault_of_the_gpu():
    with pytest.raises(ResourceError) as fault:
        refuse_if_too_large(Needs(8 * GIB, 4 * GIB, 1.0, needs(free_gib=0.1).gpu), GRID)
    assert not isinstance(fault.value, DeviceMemoryError)
    assert "needs 8.0 GiB of memory, 4.0 GiB are free" in str(fault.value)


def test_one_line_for_each_device():
    on_gpu = needs(free_gib=20.0)
    line = on_gpu.describe()
    whole = on_gpu.gpu.images_bytes + on_gpu.gpu.events_bytes
    assert f"{whole / 2**20:.0f} MiB of GPU memory" in line
    assert "20.0 GiB free" in line
    assert on_gpu.time in line
    on_cpu = estimate(Protocol(), GRID, 10_000_000, on=cpu_device(2))
    assert on_cpu.gpu is None
    assert "GPU" not in on_cpu.describe()
    assert "\n" not in line + on_cpu.describe()


def test_time_goes_with_the_updates_left():
    whole, half, none = (
        estimate(Protocol(), GRID, 10_000_000, on=cpu_device(2), left=left).seconds
        for left in (1.0, 0.5, 0.0)
    )
    assert whole > half > none > 0
    assert whole - half == pytest.approx(half - none)


def test_twice_the_threads_take_half_the_time_of_tracing():
    seconds = [estimate(Protocol(), GRID, 10_000_000, on=cpu_device(n)).seconds for n in (1, 2, 4)]
    assert seconds[0] - seconds[1] == pytest.approx(2 * (seconds[1] - seconds[2]))
