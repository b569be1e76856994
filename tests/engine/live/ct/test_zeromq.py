"""Tests of the sockets of senders: disconnecting receivers, ports, and addresses."""

from __future__ import annotations

import pytest
import zmq

from engine.core.errors import SettingsError
from engine.live.core.zeromq import check_network, opened, sent


class _JustLeft(zmq.Socket):
    """A socket with a receiver that disconnects after the first poll."""

    def poll(self, *_args, **_named) -> int:
        return zmq.POLLOUT


def test_receiver_that_leaves_after_the_poll_does_not_block_the_sender():
    with zmq.Context() as context, _JustLeft(context, zmq.PUSH) as socket:
        socket.setsockopt(zmq.IMMEDIATE, 1)
        socket.bind("inproc://nobody")
        assert not sent(socket, [b"frame"], 1)


def test_present_receiver_gets_complete_messages():
    with (
        zmq.Context() as context,
        context.socket(zmq.PUSH) as sender,
        context.socket(zmq.PULL) as receiver,
    ):
        sender.bind("inproc://frames")
        receiver.connect("inproc://frames")
        assert sent(sender, [b"frame", b"values"], 1000)
        assert receiver.recv_multipart() == [b"frame", b"values"]


@pytest.mark.parametrize(("network", "host"), [(False, "127.0.0.1"), (True, "0.0.0.0")])
def test_port_is_opened_to_the_network_only_on_request(network: bool, host: str) -> None:
    with opened(zmq.PULL, "tcp://*:*", {}, network=network) as socket:
        assert socket.getsockopt_string(zmq.LAST_ENDPOINT).startswith(f"tcp://{host}:")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("tcp://10.1.2.3:9667", True),
        ("ipc://*", True),
        ("tcp://0.0.0.0:*", False),
        ("tcp://eth0:*", False),
        ("/data/scan.h5", True),
    ],
)
def test_unsuitable_address_is_refused(address: str, network: bool) -> None:
    with pytest.raises(SettingsError, match="computers"):
        check_network(address, network)


@pytest.mark.parametrize("address", ["tcp://*:9667", "tcp://127.0.0.1:*", "tcp://detector:9667"])
def test_usual_address_needs_no_request(address: str) -> None:
    check_network(address, network=False)
