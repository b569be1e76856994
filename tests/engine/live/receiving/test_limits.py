"""Tests of limits of messages: size, and number of waiting messages per connection.

Cases, listed before the code was written:

- unknown frame size: one gibibyte and two messages;
- small frames: the largest geometry still fits, and many frames can wait;
- large frames of eight bytes per pixel fit;
- for any frame size, a connection needs at most the memory of an unknown size;
- a frame of another size within the limit is received and reported as usual;
- a message beyond the limit: its connection closes, one sentence states the limit, and the next
  sender is received;
- strangers announce messages of a gibibyte: each connection closes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import zmq

from engine.geometry.orbits import circular_cone
from engine.live.core.frame import FrameKind, Noticed
from engine.live.core.message import MAX_BYTES, MAX_PIXELS, message_of, message_of_geometry
from engine.live.ct.playing import Played
from engine.live.ct.sources.stream import StreamSource
from engine.live.receiving.limits import EVENT_BYTES, max_message_bytes, max_waiting_messages
from tests.engine.live.receiving.test_receiving_process import Running, strangers

SHAPE = (32, 48)
SIZES = (1, 32, 256, 1024, 2048, 4096, 16_384, MAX_PIXELS)


class Knowing(Running):
    """A source with a known frame size."""

    def source_at(self, address: str) -> StreamSource:
        return StreamSource(address, frame_shape=SHAPE)


@pytest.fixture
def running() -> Iterator[Knowing]:
    source = Knowing()
    yield source
    source.end()


def test_default_limits_apply_before_the_scan() -> None:
    most = max_message_bytes("frames", None)
    # Less than two messages of the maximum size wait
    assert (most, max_waiting_messages(most)) == (2**27, 8)
    assert most >= 2 * 8192**2  # detectors of 67 million pixels
    assert max_message_bytes("events", None) == max_message_bytes("events", (8, 8)) == EVENT_BYTES


@pytest.mark.parametrize("shape", list(product(SIZES, SIZES)))
def test_connection_needs_no_more_memory_than_without_the_size(shape: tuple[int, int]) -> None:
    most = max_message_bytes("frames", shape)
    assert most * max_waiting_messages(most) <= MAX_BYTES * max_waiting_messages(MAX_BYTES)
    assert 2 <= max_waiting_messages(most) <= 64
    assert most >= min(MAX_BYTES, 8 * shape[0] * shape[1])


def test_small_frames_have_a_long_queue_and_the_largest_geometry_fits() -> None:
    geometry = circular_cone(
        np.linspace(0, 6, MAX_PIXELS),
        source_axis_mm=500, source_detector_mm=800, shape=(1, 1), pixel_mm=1,
    )  # fmt: skip
    assert message_of_geometry(geometry)[1].nbytes <= max_message_bytes("frames", (1, 1))
    most = [max_message_bytes("frames", (n, n)) for n in (256, 1024, 2048, 4096)]
    assert [max_waiting_messages(n_bytes) for n_bytes in most] == [64, 64, 32, 8]


def frame_of(shape: tuple[int, int], k: int = 0) -> list[object]:
    return message_of(Played(FrameKind.PROJECTION, k, None, np.full(shape, 7, np.uint16)))


def test_frame_of_another_size_is_received(running: Knowing) -> None:
    sender = running.sender()
    for k, shape in enumerate([SHAPE, (1024, 2048), SHAPE]):
        sender.send_multipart(frame_of(shape, k))
    running.until(lambda: [each.index for each in running.frames] == [0, 2])
    assert "projection 1 has 1024 x 2048 pixels" in running.texts


def test_message_beyond_the_limit_is_explained_once(running: Knowing) -> None:
    for _ in range(2):
        large = running.sender({zmq.LINGER: 0})
        large.send_multipart(frame_of((4096, 2048)))
        running.until(lambda: "has disconnected. Frames" in running.texts)
        large.close()
        running.until(lambda: "first message" in running.texts)
    running.sender().send_multipart(frame_of(SHAPE))
    running.until(lambda: len(running.frames) == 1)
    messages = [each for each in running.arrivals if isinstance(each, Noticed)]
    assert [each.text.partition(": ")[2] for each in messages] == [
        "a sender has disconnected before its first message was complete. A message has at most "
        "8,388,608 bytes for frames of 32 × 48 pixels. Check that the geometry fits the detector."
    ]


def test_too_large_frame_without_a_geometry_is_explained() -> None:
    unknown = Running()
    try:
        large = unknown.sender({zmq.LINGER: 0})
        large.send_multipart(frame_of((8192, 8193)))
        unknown.until(lambda: "has disconnected. Frames" in unknown.texts)
        large.close()
        unknown.until(lambda: "134,217,728 bytes until the geometry is known" in unknown.texts)
        assert "For larger frames, choose the geometry first." in unknown.texts
        unknown.sender().send_multipart(frame_of((8192, 8192)))
        unknown.until(lambda: len(unknown.frames) == 1)
    finally:
        unknown.end()


def test_announced_gibibyte_messages_reserve_no_memory(running: Knowing) -> None:
    before = running.child.memory_info().vms
    with strangers(running.port, 10, size=2**30):
        time.sleep(1)
        assert running.child.memory_info().vms - before < 2**28
        running.sender().send_multipart(frame_of(SHAPE))
        running.until(lambda: len(running.frames) == 1)
