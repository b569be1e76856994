"""Tests of frames over ZeroMQ from other processes, with independent senders and ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from engine.core.errors import DataError, ResourceError, SettingsError
from engine.data.projections import Projections
from engine.io import save_projections
from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Arrival, Ended, Frame, FrameKind, Resumed, SourceLost, Waiting
from engine.live.core.message import (
    message_of,
    message_of_end,
    message_of_geometry,
    read_message,
)
from engine.live.ct.playing import Played, played
from engine.live.ct.sending import Sending, send
from engine.live.ct.sequence import Sequence
from engine.live.ct.sources.stream import StreamSource
from tests.engine.live.ct import independent_sender
from tests.engine.live.ct.live_scans import (
    assert_frames_of,
    collected,
    frames_of,
    free_address,
    opened_here,
    scan,
    texts_of,
    until,
)

FRAME = message_of(Played(FrameKind.PROJECTION, 7, 0.5, np.arange(60, dtype=np.uint16)[None]))


@contextmanager
def sender(address: str, first: int, last: int, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start an independent sender; kill it at the end."""
    words = [sys.executable, independent_sender.__file__, address, str(first), str(last), *more]
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def is_projection(index: int) -> object:
    def is_wanted(arrival: Arrival) -> bool:
        is_frame = isinstance(arrival, Frame) and arrival.kind == FrameKind.PROJECTION
        return is_frame and arrival.index == index

    return is_wanted


def test_killed_sender_reconnects_and_starts_a_new_scan() -> None:
    address = free_address()
    actual: list[Arrival] = []
    with sender(address, 0, 5, "bad") as first:
        source, second = StreamSource(address), None
        try:
            for arrival in until(source, lambda each: is_second(each, actual)):
                actual.append(arrival)
                if is_projection(4)(arrival) and second is None:
                    first.kill()
                if isinstance(arrival, SourceLost) and second is None:
                    second = sender(address, 0, 5)
                    second.__enter__()
        finally:
            if second is not None:
                second.__exit__(None, None, None)
    assert isinstance(actual[0], Waiting)
    text = texts_of(actual)
    assert "the message has 3 parts, expected two" in text
    assert "the message header is not valid JSON" in text
    assert "119 bytes of values, but its header describes 6 x 10 values of type uint16" in text
    assert "the sender has disconnected. Frames continue when it returns" in text
    assert "a sender is connected again" in text
    assert "the scan starts again because projection 0 follows projection 4" in text
    assert [each.index for each in frames_of(actual)] == [0, 1, 2, 3, 4] * 2
    for each in frames_of(actual):
        assert (each.values == 1 + each.index).all()
        assert each.angle_rad is None
    assert [int(each.values[0, 0]) for each in frames_of(actual, FrameKind.FLAT)] == [1000, 1000]
    assert source.geometry is None


def is_second(arrival: Arrival, got: list[Arrival]) -> bool:
    """Return True for the last projection after the sender returned."""
    has_resumed = any(isinstance(each, Resumed) for each in got)
    return has_resumed and bool(is_projection(4)(arrival))


def test_scan_sent_by_the_command_arrives_complete(tmp_path: Path) -> None:
    data, address = scan(), free_address()
    save_projections(data, tmp_path / "scan.h5")
    words = [sys.executable, "-m", "app", "live", "send", str(tmp_path / "scan.h5")]
    words += ["--to", opened_here(address), "--rate", "500"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    source = StreamSource(address)
    arrivals = collected(source)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 0, output
    assert "24 projections sent" in output
    assert_frames_of(arrivals, data)
    assert isinstance(arrivals[-1], Ended)
    assert "after 24 projections. 24 were received" in arrivals[-1].text
    assert_same_geometry(source, data)


@pytest.mark.slow
def test_publisher_waits_for_the_first_receiver_and_survives_a_lost_one() -> None:
    # Long enough for the process of the second receiver to start
    data, address, stop = scan(1600), free_address(), Event()
    messages: list[str] = []
    how = Sending(opened_here(address), rate=400, to_all=True)
    sending = Thread(
        target=send, args=(data, how), kwargs={"stop": stop, "on_event": messages.append}
    )
    sending.start()
    try:
        first = list(until(StreamSource(address, subscribe=True), is_projection(20)))
        source = StreamSource(address, subscribe=True)
        second = collected(source)
    finally:
        stop.set()
        sending.join(20)
    assert frames_of(first)[0].index == 0, "the publisher did not wait for the first subscriber"
    assert isinstance(second[-1], Ended)
    assert frames_of(second)[0].index > 20, "the scan stopped without a receiver"
    assert frames_of(second)[-1].index == 1599
    assert_same_geometry(source, data)
    assert sum("a receiver has connected" in each for each in messages) == 2
    assert sum("a receiver has disconnected" in each for each in messages) >= 1


def test_pushing_sender_waits_for_a_late_receiver_and_for_the_next_one() -> None:
    data, address, stop = scan(200), free_address(), Event()
    how = Sending(opened_here(address), rate=400)
    sending = Thread(target=send, args=(data, how), kwargs={"stop": stop})
    sending.start()
    try:
        first = list(until(StreamSource(address), is_projection(2)))
        source = StreamSource(address)
        rest = collected(source)
    finally:
        stop.set()
        sending.join(20)
    assert [each.index for each in frames_of(first)] == [0, 1, 2]
    assert isinstance(rest[-1], Ended)
    numbers = [each.index for each in frames_of(rest)]
    assert numbers == list(range(numbers[0], 200)), "frames were lost after the receiver connected"


def test_stopped_sender_reports_the_end_of_the_scan() -> None:
    address, stop = free_address(), Event()
    how = Sending(opened_here(address), rate=100)
    sending = Thread(target=send, args=(scan(5000, 2, 2), how), kwargs={"stop": stop})
    sending.start()
    with Arrivals(StreamSource(address)) as arrivals:
        for arrival in arrivals:
            if is_projection(3)(arrival):
                stop.set()
        sending.join(20)
    assert isinstance(arrival, Ended)
    assert not sending.is_alive()


def test_missing_numbers_are_counted_and_late_ones_start_no_scan() -> None:
    sequence = Sequence("scan")
    values = np.ones((2, 2))
    actual = [
        each
        for index in (4, 5, 8, 7, 9, 80, 16, 17)
        for each in sequence.followed(Frame(FrameKind.PROJECTION, index, None, values, 0.0))
    ]
    assert [each.lost for each in frames_of(actual)] == [0, 0, 2, 0, 0, 70, 0, 0]
    assert (
        texts_of(actual)
        == "scan: the scan starts again because projection 16 follows projection 80."
    )


def test_invalid_or_used_addresses_are_refused() -> None:
    address = free_address()
    with pytest.raises(SettingsError, match="Expected tcp://host:port"):
        collected(StreamSource("tcp://nonsense"))
    stop = Event()
    with Arrivals(StreamSource(opened_here(address))) as arrivals:
        assert isinstance(arrivals.take(10), Waiting)
        with pytest.raises(ResourceError, match="Choose another port"):
            list(StreamSource(opened_here(address)).frames(stop))


def assert_same_geometry(source: StreamSource, data: Projections) -> None:
    assert source.geometry is not None
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        np.testing.assert_array_equal(getattr(source.geometry, name), getattr(data.geometry, name))
    assert (source.geometry.beam, source.geometry.shape) == ("cone", data.geometry.shape)


def changed(**changes: object) -> list[bytes]:
    """Return a valid message with changed header values; None removes a key."""
    header = {**json.loads(bytes(FRAME[0])), **changes}
    stored = {key: value for key, value in header.items() if value is not None}
    return [json.dumps(stored).encode(), bytes(FRAME[1])]


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        (FRAME[:1], "has 1 parts, expected two"),
        ([b"[" * 9000, b""], "not valid JSON"),
        ([b"[1]", b""], "expected a JSON object"),
        ([b" " * 70_000, b""], "has 70,000 bytes, but at most"),
        (
            changed(shape=[1, 61]),
            "120 bytes of values, but its header describes 1 x 61 values of type",
        ),
        (changed(shape=[60]), "expected a list of 2 integers"),
        (changed(shape=[-1, -60]), "'shape' is -1, expected an integer from 1"),
        (changed(shape=[True, 60]), "'shape' is True"),
        (changed(shape=[10**9, 10**9]), "expected an integer from 1 to 65,536"),
        (changed(shape=None), "'shape' is None"),
        (changed(type="object"), "'type' is 'object'"),
        (changed(type="u2,u2"), "'type' is 'u2,u2'"),
        (changed(type="no such"), "'type' is 'no such'"),
        (changed(type=7), "'type' is '7'"),
        (changed(frame=-1), "'frame' is -1"),
        (changed(frame="7"), "'frame' is 7, expected an integer"),
        (changed(image_attributes={"scan_index": 3}), "'scan_index' is 3"),
        (changed(image_attributes=[]), "'scan_index' is None"),
        (changed(isocenter={"angle_rad": "0.5"}), "'angle_rad' is 0.5, expected a number"),
        ([FRAME[0].replace(b"0.5", b"NaN"), FRAME[1]], "'angle_rad' is nan"),
        (changed(isocenter={"announce": "geometry"}), "expected a list of 3 integers"),
        (changed(isocenter={"announce": "geometry"}, shape=[5, 4, 3]), "four vectors"),
        (changed(isocenter={"announce": "end"}), "'sent' is None"),
    ],
)
def test_malformed_message_is_refused_with_one_sentence(parts: list[bytes], match: str) -> None:
    with pytest.raises(DataError, match=match):
        read_message(parts, 0.0)


def test_messages_are_restored_in_either_byte_order() -> None:
    data = scan()
    for each in played(data):
        back = read_message([bytes(part) for part in message_of(each)], 1.5)
        assert isinstance(back, Frame)
        assert (back.kind, back.index, back.angle_rad) == (each.kind, each.index, each.angle_rad)
        np.testing.assert_array_equal(back.values, each.values)
        assert b"isocenter" not in bytes(message_of(each, is_bare=True)[0])
    big = np.arange(60, dtype=">u2").reshape(1, 60)
    back = read_message([changed(type=">u2")[0], big.tobytes()], 0.0)
    assert isinstance(back, Frame)
    np.testing.assert_array_equal(back.values, big)
    geometry = read_message([bytes(p) for p in message_of_geometry(data.geometry)], 0.0)
    np.testing.assert_array_equal(geometry.source_mm, data.geometry.source_mm)
    assert read_message([bytes(p) for p in message_of_end(5)], 0.0).sent == 5
