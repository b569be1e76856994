"""Tests of the image of a live list-mode scan: its final state, updates and removed data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.io import write_listmode
from engine.jobs.reconstruction import reconstruct
from engine.live import pet
from engine.live.core.frame import Ended, Noticed, Resumed, SourceEvent
from engine.live.pet.event_batch import EventArrival, head_of
from engine.live.pet.session import LivePetSession
from engine.live.pet.settings import LivePetSettings
from engine.live.pet.updates import LivePetChoices, LivePetUpdate
from engine.modalities.studies import Study
from tests.engine.live.pet.running_events import (
    PROTOCOL,
    Scanner,
    batches_of,
    one_after_the_other,
    scan,
)


def followed(
    source: Scanner, mode: str = "growing", newest_s: float = 1.0
) -> tuple[LivePetUpdate, list[SourceEvent], LivePetSession]:
    settings = LivePetSettings(mode=mode, newest_s=newest_s)  # type: ignore[arg-type]
    events: list[SourceEvent] = []
    with LivePetSession(source, LivePetChoices(PROTOCOL, settings), on=cpu(2)) as session:
        while not (events and isinstance(events[-1], Ended)):
            event = session.take(20)
            assert event is not None
            if not isinstance(event, LivePetUpdate):
                events.append(event)
        return session.newest, events, session


def test_growing_image_ends_equal_to_the_ordinary_reconstruction(tmp_path: Path) -> None:
    update, _, session = followed(Scanner.of(scan()))
    retained = session.scan()
    np.testing.assert_array_equal(retained.crystals, scan().crystals)
    np.testing.assert_array_equal(retained.delayed, scan().delayed)
    assert retained.duration_s == scan().duration_s
    write_listmode(retained, tmp_path / "scan.h5")
    ordinary = reconstruct(Study(data=tmp_path / "scan.h5", protocol=PROTOCOL), on=cpu(2))
    assert update.image is not None
    assert update.statistics.image_events == scan().n_prompts
    difference = update.image.values - ordinary.values
    assert np.abs(difference).max() < 1e-4 * ordinary.values.max()


def test_sliding_image_contains_only_the_newest_seconds() -> None:
    moved = one_after_the_other(scan(20_000, x_mm=-15), scan(20_000, x_mm=15), 1.5)
    update, _, session = followed(Scanner.of(moved), "sliding")
    assert update.image is not None
    assert update.statistics.image_from_s >= 1.9
    across = update.image.values.sum(axis=(0, 1))
    left, right = across[: len(across) // 2].sum(), across[len(across) // 2 :].sum()
    assert right > 4 * left
    total = update.statistics.image_events
    assert total == pytest.approx(20_000 / 3, rel=0.05)
    with pytest.raises(DataError, match="sliding mode does not record it"):
        session.scan()


def test_new_scan_contains_nothing_of_the_last_one() -> None:
    arrivals: list[EventArrival] = [
        *batches_of(scan(x_mm=-15)),
        Resumed("scanner: the scan starts again.", is_new_scan=True),
        *batches_of(scan(seed=2, x_mm=15)),
    ]
    update, events, session = followed(Scanner(arrivals, head_of(scan())))
    assert sum(isinstance(each, Resumed) for each in events) == 1
    np.testing.assert_array_equal(session.scan().crystals, scan(seed=2, x_mm=15).crystals)
    alone, _, _ = followed(Scanner.of(scan(seed=2, x_mm=15)))
    assert update.image is not None and alone.image is not None
    np.testing.assert_allclose(update.image.values, alone.image.values, rtol=1e-3, atol=1e-6)
    assert update.statistics.image_events == scan(seed=2, x_mm=15).n_prompts


def test_statistics_count_measured_and_lost_events() -> None:
    batches = batches_of(scan())
    batches[3] = replace(batches[3], lost=77)
    update, _, _ = followed(Scanner(batches, head_of(scan())))
    figures = update.statistics
    assert figures.events == scan().n_events
    assert figures.dropped == 77
    newest = scan().select(scan().time_ms >= 2000)  # type: ignore[operator]
    assert figures.prompts_per_s == pytest.approx(newest.n_prompts, rel=0.02)
    assert figures.randoms_percent == pytest.approx(20, rel=0.2)
    assert update.blocks is not None
    assert update.blocks.sum() == pytest.approx(2 * newest.n_events, rel=0.02)
    assert update.state == ""


def test_corrections_unavailable_before_the_end_are_reported() -> None:
    head = replace(head_of(scan()), additive=np.empty(0, np.float32))
    _, events, _ = followed(Scanner(batches_of(scan()), head))
    notices = [each.text for each in events if isinstance(each, Noticed)]
    assert "Scatter needs the whole scan and is left out of the live reconstruction." in notices


def test_scan_without_a_usable_event_has_no_image() -> None:
    data = scan()
    nothing = replace(data, delayed=np.ones(data.n_events, bool))
    update, _, _ = followed(Scanner.of(nothing))
    assert update.image is None
    assert update.statistics.image_events == 0


def test_error_of_the_source_is_raised_to_the_consumer() -> None:
    arrivals: list[EventArrival | Exception] = [*batches_of(scan()), DataError("broken.")]
    with (
        LivePetSession(Scanner(arrivals), LivePetChoices(PROTOCOL), on=cpu(2)) as session,
        pytest.raises(DataError, match="broken"),
    ):
        while session.take(20) is not None:
            pass


def test_public_face_has_all_names_for_a_page() -> None:
    names = [name for name in dir(pet) if name[0].isupper()]
    assert {"LivePetSession", "EventReplaySource", "EventStreamSource", "Moved"} <= set(names)
    assert all(isinstance(getattr(pet, name), type) for name in names)
