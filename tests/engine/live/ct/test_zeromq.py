"""Sockets of senders: a receiver that goes holds nobody up."""

from __future__ import annotations

import zmq

from engine.live.core.zeromq import sent


class _JustLeft(zmq.Socket):
    """A socket whose receiver goes after it was asked: ready once, then nobody is there."""

    def poll(self, *_args, **_named) -> int:
        return zmq.POLLOUT


def test_a_receiver_that_goes_after_the_question_does_not_hold_the_sender():
    with zmq.Context() as context, _JustLeft(context, zmq.PUSH) as socket:
        socket.setsockopt(zmq.IMMEDIATE, 1)
        socket.bind("inproc://nobody")
        assert not sent(socket, [b"frame"], 1)


def test_a_message_is_taken_whole_by_who_is_there():
    with (
        zmq.Context() as context,
        context.socket(zmq.PUSH) as sender,
        context.socket(zmq.PULL) as receiver,
    ):
        sender.bind("inproc://frames")
        receiver.connect("inproc://frames")
        assert sent(sender, [b"frame", b"values"], 1000)
        assert receiver.recv_multipart() == [b"frame", b"values"]
