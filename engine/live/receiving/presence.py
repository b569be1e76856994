"""Detect from the connections of a socket if senders disconnect or reconnect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import zmq


Failure = Literal["closed", "mechanism", "key", "protocol"]
"""Why a connection failed: the sender closed it before it was accepted; only one of the two has
keys; its key is not allowed; or it broke the protocol of ZeroMQ."""


class Presence:
    """Counts the senders of a socket, after `watch`.

    Attributes
    ----------
    has_left : True if all senders have disconnected
    failed : number of connections that failed, by reason
    """

    def __init__(self) -> None:
        self._monitor: zmq.Socket[bytes] | None = None
        self._n_senders = 0
        self.failed: Counter[Failure] = Counter()
        self._is_failing = False
        self.has_left = False

    def watch(self, socket: zmq.Socket[bytes]) -> None:
        """Count the senders of a socket that is not open yet.

        Parameters
        ----------
        socket
            receiving socket; earlier connections are not counted
        """
        import zmq

        self._monitor = socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED | _failures()
        )

    def changes(self) -> Iterator[bool]:
        """Yield changes since the last call: True if the last sender disconnected, else False."""
        import zmq
        from zmq.utils.monitor import recv_monitor_message

        # The monitor counts connections of all senders at this address
        while self._monitor is not None and self._monitor.poll(0):
            message = recv_monitor_message(self._monitor)
            happened = message["event"]
            if happened == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._n_senders += 1
                if self.has_left:
                    self.has_left = False
                    yield False
            elif happened != zmq.EVENT_DISCONNECTED:
                if not self._is_failing:
                    self.failed[_reason_of(happened, message["value"])] += 1
                self._is_failing = True
            elif self._is_failing:
                self._is_failing = False  # a failed connection, not a sender
            elif self._n_senders:
                self._n_senders -= 1
                if not self._n_senders:
                    self.has_left = True
                    yield True


def _reason_of(happened: int, detail: int) -> Failure:
    import zmq

    if happened == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        return "closed"
    if happened == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
        return "key"
    # The greeting states if a program uses keys. Keys that do not fit fail at the next step.
    reasons: dict[int, Failure] = {
        zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: "mechanism",
        zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC: "key",
        zmq.PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE: "key",
    }
    return reasons.get(detail, "protocol")


def _failures() -> int:
    import zmq

    no_detail, no_protocol = (
        zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL,
        zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL,
    )
    return no_detail | no_protocol | zmq.EVENT_HANDSHAKE_FAILED_AUTH
