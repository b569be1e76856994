"""Test that the receiver notices the departure of a sender that connected very early."""

from __future__ import annotations

import socket
import time

import zmq

from engine.live.core.zeromq import opened
from engine.live.receiving.presence import Presence


def test_departure_of_the_earliest_sender_is_detected() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    presence, context = Presence(), zmq.Context()
    early = context.socket(zmq.PUSH)
    early.setsockopt(zmq.RECONNECT_IVL, 1)
    early.setsockopt(zmq.IMMEDIATE, 1)
    early.connect(f"tcp://127.0.0.1:{port}")  # before the monitor starts
    with opened(zmq.PULL, f"tcp://*:{port}", {}, prepare=presence.watch):
        assert early.poll(20_000, zmq.POLLOUT)  # its connection is complete
        early.close(0)
        until_s, changes = time.monotonic() + 20, list(presence.changes())
        while not changes and time.monotonic() < until_s:
            time.sleep(0.005)
            changes = list(presence.changes())
    context.destroy(0)
    assert changes == [True]
