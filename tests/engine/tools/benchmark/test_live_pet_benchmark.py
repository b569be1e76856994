"""Tests of the live PET benchmark: timed events and figures."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import SettingsError
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.live.core.frame import Ended
from engine.live.pet.event_batch import EventBatch
from engine.tools.benchmark.live import pet, pet_streams, suite
from engine.tools.benchmark.live.pet_streams import (
    ClockedScanner,
    Pools,
    changing,
    moments_of,
    steady,
)
from engine.tools.benchmark.live.pet_tables import live_pet as tables
from tests.engine.live.pet.running_events import scan


def pools() -> Pools:
    prompts = replace(scan().prompts, delayed=None)
    return Pools((prompts, prompts), replace(scan().delayeds, delayed=None), None)


def moments(monkeypatch: pytest.MonkeyPatch, seconds: float) -> list[ListMode]:
    monkeypatch.setattr(pet_streams, "PROMPTS_PER_S", 20_000.0)
    monkeypatch.setattr(pet_streams, "DELAYEDS_PER_S", 4000.0)
    given = pools()
    return list(moments_of(lambda _: given, steady, seconds))


def test_number_of_events_follows_the_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    scans = moments(monkeypatch, 2.0)
    assert len(scans) == 20
    assert sum(each.n_prompts for each in scans) == pytest.approx(40_000, abs=5 * 200)
    assert sum(each.n_delayed for each in scans) == pytest.approx(8000, abs=5 * 90)
    times = np.concatenate([each.time_ms for each in scans])  # type: ignore[misc]
    assert (np.diff(times.astype(int)) >= 0).all()
    assert times[-1] < 2000


def test_activity_changes_within_ten_minutes() -> None:
    rates = np.array([changing(at) for at in (0.0, 60.0, 300.0, 600.0)])
    assert (np.diff(rates[:, 1]) < 0).all()
    assert rates[1, 0] > 1.3 * rates[0, 0]
    assert rates.sum(axis=1).max() > 1.3 * rates.sum(axis=1).min()


def test_clocked_scanner_delivers_all_events_and_none_before_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scans = moments(monkeypatch, 0.3)
    scanner = ClockedScanner(scans)
    *batches, end = scanner.batches(Event())
    assert isinstance(end, Ended)
    due = [each.arrived_s - scanner.begun_s for each in batches if isinstance(each, EventBatch)]
    np.testing.assert_allclose(due, [0.1, 0.2, 0.3])
    assert scanner.head.n_events == 0


def test_image_distance_is_measured_within_the_object_only() -> None:
    grid = ImageGrid((2, 2, 2), (1, 1, 1))
    ordinary = Volume(np.array([[[10, 10], [1, 1]]] * 2, np.float32), grid, "counts/mm")
    image = replace(ordinary, values=ordinary.values + np.float32([[[1, -1], [9, 0]]] * 2))
    assert pet._away(image, ordinary) == pytest.approx(10)


def test_table_contains_every_figure() -> None:
    row = {
        "case": "growing", "events_per_s": 2e5, "grid": [128, 128, 128], "refresh_hz": 1.25,
        "behind_s": 1.5, "dropped": 7, "memory_mib": 64.0, "away_percent": None,
        "away_at_the_end_percent": 0.5,
    }  # fmt: skip
    jump = {"jump": "x", "planted_mm": 5.0, "planted_deg": 0.0, "said_after_s": None, "mm": None,
            "deg": None}  # fmt: skip
    still = {"seconds": 600.0, "events": 10, "false_alarms": 3}
    first, second = tables({"workload": "w", "rows": [row], "jumps": [jump], "still": still})
    assert first.rows == [
        ("growing", "200,000", "128 × 128 × 128", "1.25", "1.5", "7", "64", "-", "0.5")
    ]
    assert second.rows == [("x", "5", "0", "-", "-", "-")]
    assert "3 false alarms" in second.notes[0]
    bars = pet._bars([row], [jump], still)
    assert [bar.passed for bar in bars] == [True, True, True, False, False]


def test_pet_is_a_case_of_the_benchmark() -> None:
    with pytest.raises(SettingsError, match="memory, pet"):
        suite.collect(cpu(1), ["positron"], 1.0, print)
