"""Tests of the store of events for a live image."""

from __future__ import annotations

import numpy as np
import pytest

from engine.live.pet.event_store import BYTES_PER_EVENT, PART_EVENTS, EventStore
from tests.engine.live.pet.running_events import batches_of, scan


def filled(newest_s: float | None, most: int = 2**30) -> EventStore:
    store = EventStore(newest_s, most)
    for batch in batches_of(scan()):
        delayed = batch.events.delayed
        store.add(batch.events, ~delayed)  # type: ignore[operator]
    return store


def test_subsets_contain_every_prompt_exactly_once() -> None:
    store = filled(None)
    times = [store.every(k, 7).crystals for k in range(7)]  # type: ignore[union-attr]
    joined = np.concatenate(times)
    expected = scan().prompts.crystals
    assert store.n_usable == len(expected) == len(joined)
    found, there = (np.sort(lines[:, 0] * 1000 + lines[:, 1]) for lines in (joined, expected))
    np.testing.assert_array_equal(found, there)
    np.testing.assert_array_equal(times[2], scan().select(slice(2, None, 7)).prompts.crystals)


def test_subset_count_continues_across_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.live.pet.event_store.PART_EVENTS", 50)
    some = filled(None).every(2, 7)
    expected = scan().select(slice(2, None, 7)).prompts.crystals
    np.testing.assert_array_equal(some.crystals, expected)  # type: ignore[union-attr]


def test_only_the_newest_seconds_stay() -> None:
    data = scan()
    store = filled(1.0)
    last = int(data.time_ms[-1])  # type: ignore[index]
    newest = data.select(data.time_ms > last - 1000)  # type: ignore[operator]
    assert store.n_events == newest.n_events
    assert store.n_usable == newest.n_prompts
    assert store.n_delayed == newest.n_delayed
    np.testing.assert_array_equal(store.all().time_ms, newest.time_ms)  # type: ignore[union-attr]
    assert store.span_s == (float(newest.time_ms[0]) / 1e3, last / 1e3)  # type: ignore[index]


def test_dropped_events_are_counted() -> None:
    store, n_dropped = EventStore(0.5, 2**30), 0
    for batch in batches_of(scan()):
        n_dropped += store.add(batch.events, ~batch.events.delayed)[0]  # type: ignore[operator]
    assert n_dropped == scan().n_prompts - store.n_usable


def test_growing_store_ends_at_its_memory_limit() -> None:
    # Below the size of one event, the minimum size applies
    store = EventStore(None, BYTES_PER_EVENT * 10)
    some = scan()
    retained = 0
    while not store.left_out:
        retained += store.add(some, np.ones(some.n_events, bool))[1]
    assert store.n_events == retained * some.n_events <= PART_EVENTS
    assert store.left_out == some.n_events


def test_delayeds_are_thinned_evenly_with_their_weight() -> None:
    store = filled(None)
    found, weight = store.delayeds(100)
    assert found is not None
    assert found.n_events <= 101
    assert found.delayed is not None
    assert found.delayed.all()
    assert weight * found.n_events == store.n_delayed == scan().n_delayed
