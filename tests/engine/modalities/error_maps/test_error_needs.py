"""Tests of the resource estimate of an error map."""

from __future__ import annotations

import pytest

from engine.core.backend import Backend, cpu, cuda
from engine.core.backend.devices import device_of
from engine.modalities.error_maps import needs as error_needs
from engine.modalities.error_maps.needs import batch_of, gpu_replicate_bytes
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import estimate
from tests.emulator import EmulatedGpu
from tests.engine.modalities.ring_sinogram_pet.timed_decays import RING

MIB = 2**20


def needs_of(n: int | None, on: Backend | None = None, kind: str = "osem"):
    protocol = ListModeProtocol(error_replicates=n, algorithm={"kind": kind, "iterations": 2})
    grid = protocol.grid.grid_for(RING)
    return grid, estimate(protocol, grid, 10_000, on=device_of(on or cpu(1)), n_lors=RING.n_lors)


def test_replicates_cost_less_than_separate_runs():
    (_, without_map), (_, more) = needs_of(None), needs_of(20)

    assert "errors" not in without_map.stages
    assert 0 < more.stages["errors"] < 10 * without_map.stages["reconstruct"]


def test_memory_grows_with_the_replicates():
    (grid, without_map), (_, eight), (_, twenty) = needs_of(None), needs_of(8), needs_of(20)

    of_one = (eight.memory_bytes - without_map.memory_bytes) / 8
    assert of_one > 2 * 4 * grid.n_voxels
    assert twenty.memory_bytes - without_map.memory_bytes == pytest.approx(20 * of_one, rel=0.01)


def test_little_memory_divides_the_replicates(monkeypatch):
    monkeypatch.setattr(error_needs, "free_memory", lambda: 2 * 17 * 32 * 1_000)

    assert batch_of(20, 1_000) == 16
    assert batch_of(200, 1_000_000) == error_needs.LANES


@pytest.mark.parametrize("n", [1, 2, 7, 20, 32, 33, 64, 65, 200])
@pytest.mark.parametrize("fitting", [0, 1, 3, 6, 31, 100])
def test_gpu_batches_are_even_and_fit(n, fitting):
    free = 2 * fitting * gpu_replicate_bytes(1_000)
    most = max(min(fitting, 32) // 2 * 2, 2)

    batch = batch_of(n, 1_000, free)

    assert batch == n or batch % 2 == 0
    assert batch <= most
    assert -(-n // batch) == -(-n // most), "the number of batches must be minimal"
    assert batch - 2 < n / -(-n // batch), "batches must have similar sizes"


def test_gpu_replicates_are_counted_in_its_memory():
    on = cuda(EmulatedGpu())
    (grid, without_map), (_, eight), (_, many) = (needs_of(n, on) for n in (None, 8, 200))

    of_eight, of_many = (x.gpu.whole_bytes - without_map.gpu.whole_bytes for x in (eight, many))
    assert of_eight == pytest.approx(1.2 * 8 * gpu_replicate_bytes(grid.n_voxels), abs=8)
    assert of_many == pytest.approx(1.2 * 30 * gpu_replicate_bytes(grid.n_voxels), abs=30)
    least = eight.gpu.images_bytes - without_map.gpu.images_bytes
    assert least == pytest.approx(1.2 * 2 * gpu_replicate_bytes(grid.n_voxels), abs=2)
    # A batch needs its images; the finished images need their deviations.
    assert eight.memory_bytes - without_map.memory_bytes == 8 * (4 + 5) * grid.n_voxels
    assert 0 < eight.stages["errors"] < 8 * without_map.stages["reconstruct"]


def test_map_replicates_need_no_extra_gpu_memory():
    on = cuda(EmulatedGpu())
    (_, without_map), (_, more) = (needs_of(n, on, kind="map") for n in (None, 8))

    assert more.gpu == without_map.gpu
