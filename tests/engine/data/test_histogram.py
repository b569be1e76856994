"""Tests of events counted by line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.core.errors import GeometryError
from engine.data.histogram import Histogram, histogrammed
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings
from tests.engine.geometry.panels import panels


def listmode(rng: np.random.Generator, **changes: Any) -> ListMode:
    """Return 300 events between any crystals; a third of them are delayed."""
    scanner = panels(**changes)
    crystals = rng.integers(scanner.n_crystals, size=(300, 2)).astype(np.int32)
    return ListMode(scanner, crystals, delayed=np.arange(300) % 3 == 0, duration_s=2.0)


def test_every_event_between_the_panels_counts_once(rng: np.random.Generator) -> None:
    events = listmode(rng)
    found = histogrammed(events)
    joined = events.scanner.in_coincidence(events.crystals)
    assert 0 < joined.sum() < 300
    for counts, kind in ((found.prompts, ~events.delayed), (found.delayeds, events.delayed)):
        numbers = events.scanner.numbers(events.crystals[joined & kind])
        np.testing.assert_array_equal(counts, np.bincount(numbers, minlength=len(counts)))
    n_left_out = np.count_nonzero(~joined & ~events.delayed)
    assert any(f"{n_left_out} prompts do not connect" in note for note in found.notes)


def test_crystal_order_does_not_change_counts(rng: np.random.Generator) -> None:
    events = listmode(rng)
    other = ListMode(events.scanner, events.crystals[:, ::-1], events.delayed)
    np.testing.assert_array_equal(histogrammed(events).prompts, histogrammed(other).prompts)


def test_chunk_size_does_not_change_counts(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = listmode(rng)
    whole = histogrammed(events).prompts
    monkeypatch.setattr("engine.data.histogram.CHUNK", 7)
    np.testing.assert_array_equal(histogrammed(events).prompts, whole)


def test_layers_are_merged(rng: np.random.Generator) -> None:
    events = listmode(rng, n_layers=2)
    found = histogrammed(events, merge_layers=True)
    assert found.scanner.settings.n_layers == 1
    panel, place = np.divmod(events.crystals, 2 * 15)
    front = ListMode(panels(), (panel * 15 + place % 15).astype(np.int32), events.delayed)
    np.testing.assert_array_equal(found.prompts, histogrammed(front).prompts)
    assert any("2 crystal layers are combined" in note for note in found.notes)


def test_merged_layers_weight_efficiency_by_absorption(rng: np.random.Generator) -> None:
    """With one live layer, the efficiency is the fraction of photons absorbed in this layer."""
    events = listmode(rng, n_layers=3)
    s = events.scanner.settings
    deep = np.exp(-s.attenuation_per_mm * s.thickness_mm * np.arange(4) / 3)
    for alive in range(3):
        efficiencies = np.zeros((2, 3, 15), np.float32)
        efficiencies[1, alive] = 1
        given = replace(events, efficiencies=efficiencies.ravel())
        found = histogrammed(given, merge_layers=True).efficiencies
        assert found is not None
        expected = (deep[alive] - deep[alive + 1]) / (1 - deep[3])
        np.testing.assert_allclose(found.reshape(2, 15), [[0] * 15, [expected] * 15], rtol=1e-6)
        assert found.dtype == np.float32


def test_ring_scanner_has_no_histogram() -> None:
    ring = RingScanner(
        RingSettings(
            name="ring", n_rings=2, n_crystals_per_ring=16, radius_mm=40, ring_pitch_mm=5,
            max_ring_difference=1, n_tangential=8, fov_mm=(40, 10),
        )
    )  # fmt: skip
    with pytest.raises(GeometryError, match=r"'ring' does not have two panels"):
        histogrammed(ListMode(ring, np.zeros((0, 2), np.int32)))


def test_wrong_number_of_lines_is_refused() -> None:
    with pytest.raises(GeometryError, match=r"'delayeds' has 7 values, .* 225 lines of response"):
        Histogram(panels(), np.zeros(225, np.float32), np.zeros(7, np.float32))
