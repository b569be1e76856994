"""Needs of an error map, stated before the run."""

from __future__ import annotations

import pytest

from engine.core.backend import cpu
from engine.core.backend.devices import device_of
from engine.modalities import error_needs
from engine.modalities.error_needs import batch_of
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import estimate
from tests.engine.modalities.ring_sinogram_pet.timed_decays import RING

MIB = 2**20


def needs_of(n: int | None):
    protocol = ListModeProtocol(error_replicates=n, algorithm={"kind": "osem", "iterations": 2})
    grid = protocol.grid.grid_for(RING)
    return grid, estimate(protocol, grid, 10_000, on=device_of(cpu(1)), n_lors=RING.n_lors)


def test_replicates_cost_less_than_runs_of_their_own():
    (_, plain), (_, more) = needs_of(None), needs_of(20)

    assert "errors" not in plain.stages
    assert 0 < more.stages["errors"] < 10 * plain.stages["reconstruct"]


def test_memory_grows_with_the_replicates():
    (grid, plain), (_, eight), (_, twenty) = needs_of(None), needs_of(8), needs_of(20)

    of_one = (eight.memory_bytes - plain.memory_bytes) / 8
    assert of_one > 2 * 4 * grid.n_voxels
    assert twenty.memory_bytes - plain.memory_bytes == pytest.approx(20 * of_one, rel=0.01)


def test_little_memory_divides_the_replicates(monkeypatch):
    monkeypatch.setattr(error_needs, "free_memory", lambda: 2 * 17 * 32 * 1_000)

    assert batch_of(20, 1_000) == 16
    assert batch_of(200, 1_000_000) == error_needs.LANES
