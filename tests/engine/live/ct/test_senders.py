"""Tests of the rule of one sender per scan: messages of others are refused, counted and named.

Rogue messages, listed before the code was written. Each arrives from a second connection within a
valid stream of 12 projections:

- another geometry; the same geometry; the end of the scan;
- projection 0 again, projections 5 to 7 again, the next projection, one far ahead, a dark, a flat;
- another size; another type; a header that is not JSON, is too long, or has a wrong token;
- one part, three parts, an empty message;
- garbage or an end before the detector's first message;
- 20 senders at once; a stranger that copies everything but the token;
- from the detector itself: a repeated number, a restart, a restart with a new token.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import Queue
from threading import Event, Lock, Thread
from types import SimpleNamespace

import numpy as np
import pytest
import zmq

from engine.live.core.frame import Ended, Frame, FrameKind, Noticed, Resumed
from engine.live.core.message import message_of, message_of_end, message_of_geometry
from engine.live.core.senders import Origin, Senders, _is_this_computer, is_named, with_token
from engine.live.ct.playing import Played
from engine.live.ct.recorded import recorded_projections
from engine.live.ct.recording import Recording
from engine.live.ct.sources.stream import StreamSource
from engine.live.pet.event_message import message_of_events, message_of_head
from engine.live.pet.sources.event_stream import EventStreamSource
from engine.live.receiving.child import Child
from engine.live.receiving.process import Receiving, _reader
from engine.live.receiving.wire import Stream
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.records import RecordingFile
from tests.engine.live.ct.running_scan import cone
from tests.engine.live.pet.running_events import scan

GEOMETRY, OTHER = cone(12), cone(12, turn=np.pi)
N = 12


def projection(k: int, value: int, kind: FrameKind = FrameKind.PROJECTION, shape=(32, 48)):
    return message_of(Played(kind, k, None, np.full(shape, value, np.uint16)))


def raw(header: object, data: bytes = b"") -> list[bytes]:
    return [json.dumps(header).encode(), data]


ROGUE: dict[str, list[list[object]]] = {
    "another geometry": [message_of_geometry(OTHER)],
    "the same geometry": [message_of_geometry(GEOMETRY)],
    "the end": [message_of_end(3)],
    "projection 0": [projection(0, 9)],
    "projections 5 to 7": [projection(k, 9) for k in (5, 6, 7)],
    "the next projection": [projection(8, 9)],
    "a projection far ahead": [projection(4000, 9)],
    "a dark": [projection(0, 9, FrameKind.DARK)],
    "a flat": [projection(0, 9, FrameKind.FLAT)],
    "another size": [projection(8, 9, shape=(3, 3))],
    "no JSON": [[b"{", b""]],
    "a long header": [[b" " * 70_000, b""]],
    "a wrong token": [raw({"isocenter": {"token": 5}})],
    "an empty token": [raw({"isocenter": {"token": ""}})],
    "one part": [[b"{}"]],
    "three parts": [[b"{}", b"", b""]],
    "nothing": [[b""]],
    "a copy with a token": [with_token(projection(8, 9), "other")],
}


class InThread(Child):
    """The receiving process as a thread, which starts faster and runs the same code."""

    def __init__(self, given: dict[str, object], name: str) -> None:
        (command, self._commands), (self._reports, report) = os.pipe(), os.pipe()
        self._ends = [os.fdopen(command, "rb"), os.fdopen(report, "wb")]
        self._process = SimpleNamespace(
            stdin=os.fdopen(self._commands, "wb"),
            stdout=os.fdopen(self._reports, "rb"),
            wait=lambda _=None: self._run.join(),
        )
        self._memory, self._reads, self._items = None, Queue(8), deque()
        self._stop, self._lock, self.reported_s = Event(), Lock(), time.monotonic()
        received = Receiving(Stream(**given["stream"]), given, _reader(given), *self._ends)
        self._run = Thread(target=received.run)
        self._thread = Thread(target=self._listen)
        self._run.start()
        self._thread.start()

    def end(self, *, at_once: bool = False) -> None:
        self._stop.set()
        self._process.stdin.close()
        self._run.join()
        self._ends[1].close()
        self._thread.join()
        self._ends[0].close()
        self._process.stdout.close()


@pytest.fixture(autouse=True)
def in_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.live.receiving.receiver.Child", InThread)


class Listening:
    """A source on a free port, and all its arrivals."""

    def __init__(self, kind: type = StreamSource) -> None:
        self.context, self.stop, self.arrivals = zmq.Context(), Event(), []
        self.senders: list[zmq.Socket] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.source = source = kind(f"tcp://*:{self.port}")
        run: Callable[[Event], Iterator[object]] = (
            source.frames if hasattr(source, "frames") else source.batches
        )
        self._thread = Thread(
            target=lambda: [self.arrivals.append(each) for each in run(self.stop)]
        )
        self._thread.start()
        until_s = time.monotonic() + 20
        while not self.arrivals and time.monotonic() < until_s:  # the receiving process starts
            time.sleep(0.01)

    def sender(self) -> zmq.Socket:
        push = self.context.socket(zmq.PUSH)
        push.connect(f"tcp://127.0.0.1:{self.port}")
        self.senders.append(push)  # an unreferenced socket closes
        return push

    def end(self) -> None:
        self._thread.join(10)
        self.stop.set()
        self._thread.join(10)
        self.context.destroy(0)

    @property
    def texts(self) -> str:
        return "\n".join(each.text for each in self.arrivals if hasattr(each, "text"))

    @property
    def projections(self) -> list[tuple[int, int]]:
        return [
            (each.index, int(each.values[0, 0]))
            for each in self.arrivals
            if isinstance(each, Frame) and each.kind == FrameKind.PROJECTION
        ]


@pytest.fixture
def line() -> Iterator[Listening]:
    listening = Listening()
    yield listening
    listening.stop.set()
    listening.end()


def send(to: zmq.Socket, messages: list, token: str = "") -> None:
    for each in messages:
        to.send_multipart(with_token(each, token) if token else each, copy=True)
    time.sleep(0.05)  # otherwise the order of two connections is random


TRUE = [(k, 100 + k) for k in range(N)]


@pytest.mark.parametrize("token", ["", "detector"])
@pytest.mark.parametrize("name", ROGUE)
def test_messages_of_a_stranger_do_not_change_the_scan(
    line: Listening, name: str, token: str
) -> None:
    detector, rogue = line.sender(), line.sender()
    first = [message_of_geometry(GEOMETRY), *(projection(k, 100 + k) for k in range(8))]
    send(detector, first, token)
    send(rogue, ROGUE[name])
    send(detector, [*(projection(k, 100 + k) for k in range(8, N)), message_of_end(N)], token)
    line.end()
    assert line.projections == TRUE
    assert isinstance(line.arrivals[-1], Ended) and "refused" in line.texts
    is_read = name not in ("no JSON", "a long header", "a wrong token", "an empty token", "nothing")
    if is_read and name not in ("one part", "three parts"):
        assert "is not the sender of this scan" in line.texts
        one = "1 message of another sender was refused"
        many = "messages of other senders were refused"
        assert one in line.arrivals[-1].text or many in line.arrivals[-1].text


@pytest.mark.parametrize("name", ["no JSON", "the end", "one part", "a wrong token"])
def test_invalid_messages_before_the_detector_do_not_set_the_sender(
    line: Listening, name: str
) -> None:
    rogue, detector = line.sender(), line.sender()
    send(rogue, ROGUE[name])
    send(detector, [*(projection(k, 100 + k) for k in range(N)), message_of_end(N)])
    line.end()
    assert line.projections == TRUE


def test_twenty_strangers_are_named_and_counted(line: Listening) -> None:
    detector = line.sender()
    send(detector, [projection(0, 100)], "detector")
    for k in range(20):
        send(line.sender(), [projection(k, 9)])
    send(detector, [*(projection(k, 100 + k) for k in range(1, N)), message_of_end(N)], "detector")
    line.end()
    assert line.projections == TRUE
    assert line.texts.count("is not the sender of this scan") == 20
    assert "20 messages of other senders" in line.arrivals[-1].text


def test_sender_that_reconnects_with_its_token_continues(line: Listening) -> None:
    first = line.sender()
    send(first, [projection(k, 100 + k) for k in range(5)], "detector")
    first.close(500)
    time.sleep(0.2)
    rest = [*(projection(k, 100 + k) for k in range(5, N)), message_of_end(N)]
    send(line.sender(), rest, "detector")
    line.end()
    assert line.projections == TRUE
    assert not [each for each in line.arrivals if isinstance(each, Resumed) and each.is_new_scan]


def test_new_run_of_a_sender_starts_a_new_scan(line: Listening) -> None:
    first = line.sender()
    send(first, [projection(k, 1) for k in range(5)], "first")
    first.close(500)
    time.sleep(0.2)
    send(line.sender(), [*(projection(k, 2) for k in range(5, 8)), message_of_end(3)], "second")
    line.end()
    starts = [
        k for k, each in enumerate(line.arrivals) if isinstance(each, Resumed) and each.is_new_scan
    ]
    assert len(starts) == 1
    before = [each for each in line.arrivals[: starts[0]] if isinstance(each, Frame)]
    assert len(before) == 5 and len(line.projections) == 8


def test_repeated_number_is_refused_and_counted(line: Listening) -> None:
    again = [projection(k, 9) for k in (5, 6, 7)]
    numbers = [projection(k, 100 + k) for k in range(N)]
    send(line.sender(), [*numbers[:8], *again, *numbers[8:], message_of_end(N)])
    line.end()
    assert line.projections == TRUE
    assert "projection 5 was received before and is refused" in line.texts
    assert "3 projections with a repeated number were refused" in line.arrivals[-1].text


def test_events_of_a_stranger_are_refused() -> None:
    line = Listening(EventStreamSource)
    detector, rogue = line.sender(), line.sender()
    half = scan().n_events // 2
    send(detector, [message_of_head(scan()), message_of_events(scan().select(slice(0, half)), 0)])
    send(rogue, [message_of_events(scan(), 0), message_of_end(5)])
    send(detector, [message_of_events(scan().select(slice(half, None)), half), message_of_end(1)])
    line.end()
    batches = [each for each in line.arrivals if hasattr(each, "events")]
    assert [each.first for each in batches] == [0, half]
    assert sum(each.events.n_events for each in batches) == scan().n_events
    assert "2 messages of other senders were refused" in line.texts


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost:0:0:1", True),
        ("192.168.1.7", False),
        ("fe80::1%eth0", False),
        ("::ffff:10.0.0.1", False),
    ],
)
def test_only_loopback_counts_as_this_computer(host: str, is_here: bool) -> None:
    assert _is_this_computer(host) == is_here


@pytest.mark.parametrize("is_listening", [True, False])
@pytest.mark.parametrize("token", ["", "detector"])
def test_remote_sender_needs_a_token_if_this_computer_listens(
    monkeypatch: pytest.MonkeyPatch, token: str, is_listening: bool
) -> None:
    origin = Origin(token, 5, "192.168.1.7:5000", "192.168.1.7")
    monkeypatch.setattr("engine.live.core.senders._origin_of", lambda *_: origin)
    is_accepted, text = Senders(is_listening=is_listening).accepts([])
    assert is_accepted == (bool(token) or not is_listening)
    assert ("has no token" in text) == (not is_accepted)


def chosen_when(line: Listening, holds: Callable[[], bool], identity: str) -> None:
    """Choose a sender as soon as a condition holds."""
    until_s = time.monotonic() + 10
    while not holds() and time.monotonic() < until_s:
        time.sleep(0.01)
    assert holds(), line.texts
    line.source.use_sender(identity)
    time.sleep(0.3)  # the process reads the choice between two polls


@pytest.mark.parametrize("token", ["", "detector"])
def test_user_can_choose_the_true_sender_after_a_stranger(line: Listening, token: str) -> None:
    stranger, detector = line.sender(), line.sender()
    send(stranger, [message_of_geometry(OTHER), *(projection(k, 9) for k in range(4))])
    send(detector, [projection(0, 1)], token)
    chosen_when(line, lambda: bool(line.source.refused_senders), "x")
    (refused,) = line.source.refused_senders
    assert refused.identity == ("token:detector" if token else refused.name)
    assert f"To accept only it, use --sender {refused.identity}." in line.texts
    line.source.use_sender(refused.identity)
    time.sleep(0.3)
    send(stranger, [projection(4, 9), message_of_end(5)])
    send(detector, [*(projection(k, 100 + k) for k in range(4, N)), message_of_end(8)], token)
    line.end()
    starts = [
        k for k, each in enumerate(line.arrivals) if isinstance(each, Resumed) and each.is_new_scan
    ]
    assert len(starts) == 1 and line.arrivals[starts[0]].is_new_sender
    scans = [(each.scan, each.index) for each in line.arrivals if isinstance(each, Frame)]
    first = scans[0][0]
    assert [k for scan, k in scans if scan == first] == [0, 1, 2, 3]
    assert [k for scan, k in scans if scan != first] == list(range(4, N))
    assert "is not the one that you have chosen" in line.texts


def test_events_follow_the_users_choice_of_sender() -> None:
    line = Listening(EventStreamSource)
    stranger, scanner = line.sender(), line.sender()
    send(stranger, [message_of_head(scan()), message_of_events(scan(), 0)])
    send(scanner, [message_of_head(scan())], "scanner")
    chosen_when(line, lambda: bool(line.source.refused_senders), "token:scanner")
    assert not line.source.refused_senders
    send(stranger, [message_of_end(1)])
    messages = [message_of_head(scan()), message_of_events(scan(), 0), message_of_end(1)]
    send(scanner, messages, "scanner")
    line.end()
    kinds = [type(each).__name__ for each in line.arrivals if not isinstance(each, Noticed)]
    assert kinds == ["Waiting", "EventBatch", "Resumed", "EventBatch", "Ended"]


def test_repeated_events_are_refused_and_counted() -> None:
    line = Listening(EventStreamSource)
    half = scan().n_events // 2
    first, rest = scan().select(slice(0, half)), scan().select(slice(half, None))
    parts = [message_of_events(first, 0), message_of_events(rest, half)]
    again = message_of_events(rest, half)
    send(line.sender(), [message_of_head(scan()), *parts, again, again, message_of_end(1)])
    line.end()
    batches = [each for each in line.arrivals if hasattr(each, "events")]
    assert [each.first for each in batches] == [0, half]
    assert f"{2 * rest.n_events:,} events with repeated numbers were refused" in line.texts
    assert not [each for each in line.arrivals if isinstance(each, Resumed)]


def test_other_event_columns_start_a_new_scan() -> None:
    line = Listening(EventStreamSource)
    events = scan()
    without_options = replace(events, delayed=None, tof_bins=None)
    first = [message_of_head(events), message_of_events(events, 0)]
    send(
        line.sender(),
        [*first, message_of_head(without_options), message_of_events(without_options, 0)],
    )
    line.sender()
    time.sleep(0.2)
    line.stop.set()
    line.end()
    kinds = [type(each).__name__ for each in line.arrivals if not isinstance(each, Noticed)]
    assert kinds == ["Waiting", "EventBatch", "Resumed", "EventBatch"]


@pytest.mark.parametrize("kind", [StreamSource, EventStreamSource])
def test_consecutive_numbers_do_not_join_two_senders(kind: type) -> None:
    line = Listening(kind)
    half = scan().n_events // 2
    frames = [[projection(k, 100 + k) for k in (0, 1)], [projection(k, 9) for k in (2, 3)]]
    events = [
        [message_of_head(scan()), message_of_events(scan().select(rows), k)]
        for rows, k in ((slice(0, half), 0), (slice(half, None), half))
    ]
    both = frames if kind is StreamSource else events
    first = line.sender()
    send(first, both[0])
    first.close(500)
    time.sleep(0.3)
    send(line.sender(), [*both[1], message_of_end(4)])
    line.end()
    starts = [each for each in line.arrivals if isinstance(each, Resumed) and each.is_new_scan]
    assert [each.is_new_sender for each in starts] == [True]
    data = [each for each in line.arrivals if not hasattr(each, "text")]
    assert len(data) == (4 if kind is StreamSource else 2)
    if kind is StreamSource:
        assert len({each.scan for each in data}) == 2


@pytest.mark.parametrize(
    ("identity", "is_named_so"),
    [
        ("token:t", True),
        ("t", True),
        ("token:", False),
        ("key:", False),
        ("127.0.0.1", True),
        ("127.0.0.1:5", True),
        ("127.0.0.1:6", False),
        ("token:127.0.0.1", False),
        ("k" * 40, False),
    ],
)
def test_sender_is_identified_by_token_address_or_key(identity: str, is_named_so: bool) -> None:
    assert is_named(Origin("t", 3, "127.0.0.1:5", "127.0.0.1"), identity) == is_named_so


@pytest.mark.parametrize("token", ["127.0.0.1", "127.0.0.1:5", "k" * 40, "key:" + "k" * 40])
def test_token_cannot_pose_as_address_or_key(token: str) -> None:
    stranger = Origin(token, 3, "10.0.0.9:7", "10.0.0.9")
    assert not is_named(stranger, token)


def test_two_senders_at_the_chosen_address_do_not_alternate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origins = [Origin(token, 3, "127.0.0.1:5", "127.0.0.1") for token in ("a", "b", "a", "b")]
    monkeypatch.setattr("engine.live.core.senders._origin_of", lambda *_: origins.pop(0))
    monkeypatch.setattr("engine.live.core.senders._is_open", lambda _: True)
    senders, found = Senders(is_listening=True, required="127.0.0.1"), []
    while origins:
        is_accepted, _ = senders.accepts([])
        found.append(is_accepted)
        if is_accepted:
            senders.confirm()
    assert found == [True, False, True, False]


def test_chosen_sender_starts_its_own_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    recorder = LiveRecorder("frames", "stream", tmp_path / "scan.h5")
    sources: list[StreamSource] = []

    def recorded(address: str) -> Recording:
        sources.append(StreamSource(address))
        return Recording(sources[0], None, recorder)

    line = Listening(recorded)
    stranger, detector = line.sender(), line.sender()
    dark = projection(0, 5, FrameKind.DARK)
    send(stranger, [message_of_geometry(OTHER), dark, *(projection(k, 9) for k in range(4))])
    send(detector, [projection(0, 1)], "detector")
    line.source = sources[0]
    chosen_when(line, lambda: bool(sources[0].refused_senders), "token:detector")
    messages = [message_of_geometry(GEOMETRY), *(projection(k, 100 + k) for k in range(4, N))]
    send(detector, [*messages, message_of_end(8)], "detector")
    line.end()
    recorder.close()
    files = sorted(tmp_path.glob("*.isorec"), key=lambda path: path.stat().st_mtime_ns)
    scans = [recorded_projections(RecordingFile(path), tmp_path, None) for path in files]
    assert len(scans) == 2 and recorder.path in files
    by_path = dict(zip(files, scans, strict=True))
    true = by_path.pop(recorder.path)
    (other,) = by_path.values()
    assert (other.values == 9).all() and other.darks is not None
    assert [int(each[0, 0]) for each in true.values] == [100 + k for k in range(4, N)]
    assert true.darks is None
