"""Tests of resource estimates of a run: sums checked by hand, refusals with numbers."""

from __future__ import annotations

import pytest

from engine.core import backend
from engine.core.backend.devices import DeviceInfo, cpu_device, device_of
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import (
    GPU_BYTES_PER_EVENT,
    GPU_CHUNK,
    GPU_IMAGES,
    estimate,
)
from engine.modalities.requirements import GPU_SAFETY, Requirements, refuse_if_too_large
from engine.modalities.studies import Study
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.emulator import EmulatedGpu

GIB = 2**30
GRID = ImageGrid((100, 200, 200), (2.0, 2.0, 2.0))
CHUNKS = 2 * GPU_CHUNK * GPU_BYTES_PER_EVENT


RING = RingSettings(
    name="Tiny ring", n_rings=6, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=6,
    max_ring_difference=5, n_tangential=24, voxel_mm=(6, 6, 6), fov_mm=(96, 36),
)  # fmt: skip


@pytest.fixture(scope="module")
def small_scan(tmp_path_factory):
    """Return a few events of a tiny ring."""
    scan = tmp_path_factory.mktemp("scan") / "small.h5"
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    ring = RingScanner(RING)
    write_listmode(
        simulate_listmode(phantom, ring, n_prompts=5000, seed=7, attenuation=False), scan
    )
    return scan


def gpu(free_gib: float) -> DeviceInfo:
    return DeviceInfo("cuda", "Test GPU", 24 * GIB, round(free_gib * GIB), threads=2)


def requirements(n_events=10_000_000, free_gib=20.0, **protocol) -> Requirements:
    return estimate(ListModeProtocol.model_validate(protocol), GRID, n_events, on=gpu(free_gib))


@pytest.mark.parametrize(("reproducible", "accumulator"), [(False, 4), (True, 8)])
def test_images_on_the_gpu_are_counted(reproducible, accumulator):
    found = requirements(reproducible=reproducible).gpu
    assert found.images_bytes == int(
        GPU_SAFETY * (GRID.n_voxels * (4 * GPU_IMAGES + accumulator) + CHUNKS)
    )


def test_images_and_events_on_the_gpu_are_added():
    n = 10_000_000
    images = requirements(0).gpu.images_bytes - GPU_SAFETY * CHUNKS
    whole = images + GPU_SAFETY * n * GPU_BYTES_PER_EVENT
    assert requirements(n).gpu.whole_bytes == pytest.approx(whole, abs=4)


def test_few_events_take_at_most_two_chunks():
    found = requirements(GPU_CHUNK).gpu
    assert found.whole_bytes == found.images_bytes


def test_events_that_do_not_fit_are_streamed():
    roomy, tight = requirements(free_gib=1.0), requirements(free_gib=0.2)
    assert not roomy.gpu.streams
    assert tight.gpu.streams
    assert tight.fits
    assert "Streamed through the remaining GPU memory: the events." in tight.describe()
    assert "stream" not in roomy.describe().lower()
    refuse_if_too_large(tight, GRID)


def test_images_that_do_not_fit_are_refused_with_numbers():
    small = requirements(free_gib=0.1)
    assert not small.fits
    with pytest.raises(
        DeviceMemoryError, match=r"needs at least 131 MiB of GPU memory, but only 102 MiB are free"
    ):
        refuse_if_too_large(small, GRID)


def test_host_memory_is_checked_before_gpu_memory():
    with pytest.raises(ResourceError) as fault:
        refuse_if_too_large(
            Requirements(8 * GIB, 4 * GIB, {}, requirements(free_gib=0.1).gpu), GRID
        )
    assert not isinstance(fault.value, DeviceMemoryError)
    assert "needs 8.0 GiB of memory, but only 4.0 GiB are free" in str(fault.value)


def test_each_device_has_one_line():
    on_gpu = requirements(free_gib=20.0)
    line = on_gpu.describe()
    assert f"GPU memory needed: {on_gpu.gpu.whole_bytes / 2**20:.0f} MiB, " in line
    assert "available: 20.0 GiB." in line
    assert f"Estimated time: {on_gpu.time.removeprefix('about ')}." in line
    on_cpu = estimate(ListModeProtocol(), GRID, 10_000_000, on=cpu_device(2))
    assert on_cpu.gpu is None
    assert "GPU" not in on_cpu.describe()
    assert "\n" not in line + on_cpu.describe()


def test_time_is_proportional_to_the_remaining_updates():
    whole, half, none = (
        estimate(ListModeProtocol(), GRID, 10_000_000, on=cpu_device(2), left=left).seconds
        for left in (1.0, 0.5, 0.0)
    )
    assert whole > half > none > 0
    assert whole - half == pytest.approx(half - none)


def test_twice_the_threads_halve_the_tracing_time():
    seconds = [
        estimate(ListModeProtocol(), GRID, 10_000_000, on=cpu_device(n)).seconds for n in (1, 2, 4)
    ]
    assert seconds[0] - seconds[1] == pytest.approx(2 * (seconds[1] - seconds[2]))


@pytest.mark.slow
@pytest.mark.parametrize("reproducible", [False, True])
@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_run_takes_no_more_memory_for_its_voxels_than_stated(
    small_scan, reproducible, method, tmp_path, monkeypatch
):
    peaks, message = [], []
    for voxel_mm in (4.0, 2.0):
        # a new folder, so no cached sensitivity
        monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / f"{voxel_mm}"))
        protocol = ListModeProtocol.model_validate(
            {
                "reproducible": reproducible,
                "grid": {"voxel_mm": (voxel_mm,) * 3},
                "sensitivity": {"method": method, "error_percent": 20},
                "algorithm": {"kind": "osem", "iterations": 1, "subsets": 2},
                "finishing": [{"kind": "median"}, {"kind": "gaussian"}],
            }
        )
        gpu = EmulatedGpu()
        *_, last = run(Study(data=small_scan, protocol=protocol), on=backend.cuda(gpu))
        peaks.append(gpu.memory.reserved_bytes)
        device = device_of(backend.cuda(EmulatedGpu()))
        n_lors = RingScanner(RING).n_lors
        message.append(estimate(protocol, last.volume.grid, 5000, on=device, n_lors=n_lors).gpu)
    measured = peaks[1] - peaks[0]
    assert 0 < measured <= message[1].images_bytes - message[0].images_bytes
    assert peaks[1] <= message[1].images_bytes
