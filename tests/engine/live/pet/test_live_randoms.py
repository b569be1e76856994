"""The randoms of a live image: those of its own frame, by the delayeds that came in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.live.pet import live_corrections
from engine.live.pet.event_store import EventStore
from engine.live.pet.live_corrections import LiveCorrections
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from tests.engine.live.pet.running_events import ring, scan


def test_randoms_grow_with_the_delayeds_of_the_frame() -> None:
    """All lines together expect as many randoms as delayeds came, whenever rates were estimated."""
    data = replace(scan(n=80_000, randoms=0.5), tof_bins=None)
    n_estimated = data.n_delayed
    assert n_estimated >= live_corrections.LEAST_DELAYEDS
    store = EventStore(None, 1 << 30)
    corrections = LiveCorrections(
        data.select(slice(0, 0)), ListModeProtocol(time_of_flight=False), on=cpu(2)
    )
    events, usable = corrections.prepared(data)
    store.add(events, usable)
    corrections.estimate_randoms(store)
    corrections.estimate_randoms(store, wait=True)
    scanner = ring()
    lines = scanner.lors(np.arange(scanner.n_lors))
    lines = lines[scanner.in_coincidence(lines)].astype(np.int32)
    every_line = replace(events.select(slice(0, 0)), crystals=lines, delayed=None, time_ms=None)
    for n_delayed in (n_estimated, 3 * n_estimated, n_estimated // 4):
        found = corrections.background(every_line, n_delayed)
        assert found is not None
        found = found * corrections.factors(lines)  # they are divided by the factors of the lines
        assert found.sum(dtype=float) == pytest.approx(n_delayed, rel=2e-3)  # of the rates' fit
    corrections.close()
