"""Tests of prompts before tracing: excluded events, and the same order on every device."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from engine.core.backend import Backend, cpu, cuda
from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.geometry.order import ray_order
from engine.geometry.ring import RingScanner, RingSettings
from engine.modalities.listmode_pet.model import SORT_BYTES, prepare
from tests.emulator import EmulatedGpu

ON = cpu(2)
RING = RingScanner(
    RingSettings(
        name="tiny",
        n_rings=6,
        n_crystals_per_ring=32,
        radius_mm=60,
        ring_pitch_mm=5,
        max_ring_difference=5,
        n_tangential=24,
        gap_places=(3, 20),
        fov_mm=(60, 30),
    )
)


@pytest.fixture
def scan(rng: np.random.Generator) -> ListMode:
    """Return events with every column; some are delayed, in gaps or on dead lines."""
    n = 4000
    return ListMode(
        RING,
        RING.lors(rng.integers(0, RING.n_lors, n)),
        delayed=rng.random(n) < 0.2,
        tof_bins=rng.integers(0, 9, n).astype(np.int16),
        time_ms=np.arange(n, dtype=np.uint32),
        additive=rng.random(n, np.float32),
        factors=np.where(rng.random(n) < 0.1, 0, rng.random(n)).astype(np.float32),
        background=rng.random(n, np.float32),
    )


def assert_same(found: ListMode, reference: ListMode) -> None:
    """Assert that all columns are equal, on the host."""
    for field in fields(ListMode):
        actual, expected = getattr(found, field.name), getattr(reference, field.name)
        if isinstance(expected, np.ndarray):
            assert type(actual) is np.ndarray
            np.testing.assert_array_equal(actual, expected, err_msg=field.name)
        else:
            assert actual is expected


def test_only_prompts_on_live_lines_stay(scan: ListMode) -> None:
    prepared = prepare(scan, on=ON)

    retained = ~scan.delayed & RING.in_coincidence(scan.crystals) & (scan.factors > 0)
    assert sorted(prepared.data.time_ms) == np.flatnonzero(retained).tolist()
    assert prepared.n_dropped == np.count_nonzero(~scan.delayed) - np.count_nonzero(retained)
    assert prepared.data.delayed is None


def test_events_are_complete_and_ordered(scan: ListMode) -> None:
    data = prepare(scan, on=ON).data

    assert_same(data, scan.prompts.select(np.searchsorted(scan.prompts.time_ms, data.time_ms)))
    order = ray_order(RING.positions_mm, data.crystals)
    np.testing.assert_array_equal(order, np.arange(len(order)))


def test_gpu_prepares_the_same_events(scan: ListMode, device: Backend) -> None:
    found, expected = prepare(scan, on=device), prepare(scan, on=ON)

    assert found.n_dropped == expected.n_dropped
    assert_same(found.data, expected.data)


def test_events_that_do_not_fit_the_gpu_are_sorted(
    scan: ListMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.modalities.listmode_pet.model.CHECKED_AT_ONCE", 100)
    small = cuda(EmulatedGpu(memory_limit=SORT_BYTES * 1000))

    assert_same(prepare(scan, on=small).data, prepare(scan, on=ON).data)


def test_scan_with_only_gap_events_is_refused(scan: ListMode) -> None:
    gaps = scan.select(~RING.in_coincidence(scan.crystals))

    with pytest.raises(DataError, match=r"none of the .* prompts in the scan is on a usable line"):
        prepare(gaps, on=ON)
