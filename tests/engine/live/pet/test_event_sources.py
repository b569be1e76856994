"""Tests of sources of live events: replay, messages, ZeroMQ, and the buffer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import numpy as np
import pytest

from engine.core.errors import DataError, SettingsError
from engine.data.listmode import ListMode
from engine.geometry.crystal_map import CrystalMap
from engine.io import write_listmode
from engine.live.core.frame import Ended, Noticed, Resumed
from engine.live.core.message import ScanEnd, message_of_end
from engine.live.core.zeromq import opened
from engine.live.pet.event_arrivals import EventArrivals
from engine.live.pet.event_batch import EventArrival, EventBatch, head_of, joined
from engine.live.pet.event_message import message_of_events, message_of_head, read_event_message
from engine.live.pet.event_playing import played_events
from engine.live.pet.event_sending import send_events
from engine.live.pet.sources.event_replay import EventReplaySource
from engine.live.pet.sources.event_stream import EventStreamSource
from tests.engine.live.ct.live_scans import free_address, opened_here
from tests.engine.live.pet.running_events import Scanner, batches_of, ring, scan


def events_of(arrivals: list[EventArrival]) -> list[EventBatch]:
    return [each for each in arrivals if isinstance(each, EventBatch)]


def assert_same_events(arrivals: list[EventArrival], data: ListMode) -> None:
    actual = joined([batch.events for batch in events_of(arrivals)])
    for column in ("crystals", "delayed", "tof_bins", "time_ms"):
        np.testing.assert_array_equal(getattr(actual, column), getattr(data, column))


def test_replay_gives_every_event_once_in_time_order(tmp_path: Path) -> None:
    write_listmode(scan(), tmp_path / "scan.h5")
    source = EventReplaySource(tmp_path / "scan.h5", rate=None)
    with EventArrivals(source) as arrivals:
        received = list(arrivals)
    assert_same_events(received, scan())
    spans = [batch.span_s for batch in events_of(received)]
    assert all(until - since < 0.1 for since, until in spans)
    assert source.head is not None
    assert source.head.n_events == 0
    assert isinstance(received[-1], Ended)


def test_replay_in_real_time_takes_as_long_as_the_scan(tmp_path: Path) -> None:
    write_listmode(scan(500, 0.4), tmp_path / "scan.h5")
    started_s = monotonic()
    with EventArrivals(EventReplaySource(tmp_path / "scan.h5", rate=1.0)) as arrivals:
        received = events_of(list(arrivals))
    assert received[-1].arrived_s - started_s >= 0.4


def test_events_without_times_cannot_be_replayed() -> None:
    with pytest.raises(DataError, match="has no event times"):
        next(played_events(replace(scan(), time_ms=None)))


def test_unordered_events_are_replayed_in_time_order() -> None:
    turned = scan().select(slice(None, None, -1))
    assert_same_events(
        list(batches_of(turned)), turned.select(np.argsort(turned.time_ms, kind="stable"))
    )


def test_messages_restore_their_contents() -> None:
    head = read_event_message(message_of_head(head_of(scan())), None, 0.0)
    assert isinstance(head, ListMode)
    assert head.scanner.fingerprint() == ring().fingerprint()
    some = scan().select(slice(100, 300))
    batch = read_event_message(message_of_events(some, 100), head, 7.0)
    assert isinstance(batch, EventBatch)
    assert (batch.first, batch.arrived_s) == (100, 7.0)
    assert_same_events([batch], some)
    assert read_event_message(message_of_end(6), head, 0.0) == ScanEnd(6)
    assert read_event_message(message_of_events(some, 0), None, 0.0) is None


def test_scan_with_a_crystal_map_cannot_be_announced() -> None:
    where = ring()
    keys = np.stack([np.arange(where.n_crystals), *np.zeros((2, where.n_crystals), int)], 1)
    crystals = CrystalMap(
        "Map", keys, where.positions_mm, fov_radius_mm=40, voxel_mm=(2, 2, 2), fov_mm=(80, 20)
    )
    with pytest.raises(SettingsError, match="crystal map cannot be sent"):
        message_of_head(replace(head_of(scan()), scanner=crystals))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda e: replace(e, crystals=e.crystals + 999),
            "the column 'crystals' of the events contains 1",
        ),
        (lambda e: replace(e, crystals=e.crystals - 999), "expected 0 to 255"),
        (
            lambda e: replace(e, tof_bins=e.tof_bins + np.int16(7)),
            "the column 'tof_bin' of the events",
        ),
        (lambda e: replace(e, time_ms=e.time_ms[::-1]), "is earlier than the event before it"),
        (lambda e: replace(e, delayed=None), "the start message announced"),
    ],
)
def test_events_outside_the_scanner_are_refused(change, sentence) -> None:  # type: ignore[no-untyped-def]
    head = head_of(scan())
    with pytest.raises(DataError, match=sentence):
        read_event_message(message_of_events(change(scan()), 0), head, 0.0)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([b"{}"], "the message has 1 parts"),
        ([b"no json", b""], "not valid JSON"),
        ([b'{"frame": 1}', b""], "'announce' is"),
        (
            [b'{"isocenter": {"announce": "list mode"}}', b"kind = 7"],
            "^Scanner of the stream: .* Check the sending program",
        ),
        ([b'{"isocenter": {"announce": "list mode"}}', b"\xff"], "the scanner description cannot"),
        (
            [b'{"isocenter": {"announce": "events", "first": 0, "n": 0}}', b""],
            "expected an integer",
        ),
        (
            [
                b'{"isocenter": {"announce": "events", "first": 0, "n": 9, "columns": '
                b'["crystals", "time_ms", "delayed", "tof_bin"]}}',
                b"12",
            ],
            "2 bytes of events, but the 9 events in its header need 135",
        ),
    ],
)
def test_malformed_event_message_is_refused(parts: list[bytes], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_event_message(parts, head_of(scan()), 0.0)


def test_stream_delivers_the_sent_events() -> None:
    address = free_address()
    sent: list[int] = []
    sender = Thread(
        target=lambda: sent.append(
            send_events(scan(), opened_here(address), rate=None, stop=Event())
        )
    )
    sender.start()
    with EventArrivals(EventStreamSource(address)) as arrivals:
        received = list(arrivals)
    sender.join()
    assert sent == [scan().n_events]
    assert_same_events(received, scan())
    assert sum(batch.lost for batch in events_of(received)) == 0
    assert f"after {scan().n_events:,} events" in str(received[-1])


def test_stream_reports_missing_events_and_new_scans() -> None:
    import zmq

    address, data = free_address(), scan()
    some = data.select(slice(0, 50))
    with (
        opened(zmq.PUSH, opened_here(address), {}) as socket,
        EventArrivals(EventStreamSource(address)) as arrivals,
    ):
        for message in (
            message_of_events(some, 0),  # events without an announced scan
            message_of_head(head_of(data)),
            message_of_events(some, 100),
            [b"{}", b""],
            message_of_events(some, 200),
            message_of_events(some, 0),
            message_of_end(150),
        ):
            socket.send_multipart(message)
        received = list(arrivals)
    assert [(batch.first, batch.lost) for batch in events_of(received)] == [
        (100, 100),
        (200, 50),
        (0, 0),
    ]
    assert [each.is_new_scan for each in received if isinstance(each, Resumed)] == [True]
    text = "\n".join(each.text for each in received if isinstance(each, Noticed))
    assert "before their scanner was announced" in text
    assert "message refused: in the header, 'announce' is" in text


def test_slow_consumer_loses_the_oldest_events_without_blocking() -> None:
    batches = batches_of(scan())
    most = 3 * max(batch.n_bytes for batch in batches)
    source = Scanner(batches, can_wait=False)
    with EventArrivals(source, max_bytes=most) as arrivals:
        arrivals._thread.join(10)
        received = events_of(list(arrivals))
        assert arrivals.arrived == scan().n_events
        assert (
            arrivals.dropped
            == received[0].lost
            == scan().n_events - sum(batch.events.n_events for batch in received)
        )
    assert [batch.first for batch in received] == [
        batch.first for batch in batches[-len(received) :]
    ]
    assert sum(batch.n_bytes for batch in received) <= most


def test_source_that_can_wait_loses_nothing() -> None:
    batches = batches_of(scan())
    with EventArrivals(Scanner(batches), max_bytes=batches[0].n_bytes) as arrivals:
        received = list(arrivals)
        assert arrivals.dropped == 0
    assert_same_events(received, scan())


def test_error_of_a_source_arrives_after_its_events() -> None:
    with EventArrivals(Scanner([*batches_of(scan()), DataError("broken.")])) as arrivals:
        received = [arrivals.take() for _ in batches_of(scan())]
        assert all(isinstance(each, EventBatch) for each in received)
        with pytest.raises(DataError, match="broken"):
            arrivals.take()
