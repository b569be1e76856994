"""Tests of the randoms of a live image, which come from the delayeds of its own frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.data.listmode import ListMode
from engine.live.pet import live_corrections
from engine.live.pet.event_store import EventStore
from engine.live.pet.live_corrections import LiveCorrections
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from tests.engine.live.pet.running_events import ring, scan


def total_randoms(data: ListMode, *, timed: bool, n_delayed: Sequence[int]) -> list[float]:
    """Return the expected randoms summed over all lines, for frames with `n_delayed` delayeds."""
    store = EventStore(None, 1 << 30)
    corrections = LiveCorrections(
        data.select(slice(0, 0)), ListModeProtocol(time_of_flight=timed), on=cpu(2)
    )
    events, usable = corrections.prepared(data)
    store.add(events, usable)
    corrections.estimate_randoms(store)
    corrections.estimate_randoms(store, wait=True)
    scanner = ring()
    lines = scanner.lors(np.arange(scanner.n_lors))
    lines = lines[scanner.in_coincidence(lines)].astype(np.int32)
    bins = np.zeros(len(lines), np.int16) if timed else None
    every_line = replace(
        events.select(slice(0, 0)), crystals=lines, delayed=None, time_ms=None, tof_bins=bins
    )
    found = []
    for n in n_delayed:
        expected = corrections.background(every_line, n)
        assert expected is not None
        # randoms are divided by the line factors
        found.append(float((expected * corrections.factors(lines)).sum(dtype=float)))
    corrections.close()
    return found


def test_randoms_are_proportional_to_the_delayeds_of_the_frame() -> None:
    """The randoms of all lines equal the delayeds, for any time of the rate estimate."""
    data = replace(scan(n=80_000, randoms=0.5), tof_bins=None)
    assert data.n_delayed >= live_corrections.MIN_DELAYEDS
    expected = [data.n_delayed, 3 * data.n_delayed, data.n_delayed // 4]
    found = total_randoms(data, timed=False, n_delayed=expected)
    assert found == pytest.approx(expected, rel=2e-3)  # accuracy of the rate fit


def test_time_bin_has_its_share_of_the_randoms() -> None:
    """With TOF, each of the n bins of a line has 1 / n of its randoms."""
    data, tof = scan(n=80_000, randoms=0.5), ring().tof
    assert tof is not None
    (found,) = total_randoms(data, timed=True, n_delayed=[data.n_delayed])
    assert found == pytest.approx(data.n_delayed / tof.n_bins, rel=2e-3)  # accuracy of the rate fit


def test_thinned_delayeds_give_the_same_randoms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sample of the delayeds gives the randoms of all of them."""
    data = replace(scan(n=80_000, randoms=0.5), tof_bins=None)
    monkeypatch.setattr(live_corrections, "MAX_DELAYEDS", data.n_delayed // 4)
    (found,) = total_randoms(data, timed=False, n_delayed=[data.n_delayed])
    assert found == pytest.approx(data.n_delayed, rel=2e-3)  # accuracy of the rate fit
