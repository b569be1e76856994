"""Detect from the connections of a socket if senders disconnect or reconnect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zmq


class Presence:
    """Counts the senders of a socket, after `watch`.

    Attributes
    ----------
    has_left : True if all senders have disconnected
    n_failed : number of connections without a valid greeting or key
    n_closed : number of connections that the sender closed before it could be accepted
    """

    def __init__(self) -> None:
        self._monitor: zmq.Socket[bytes] | None = None
        self._n_senders = self.n_failed = self.n_closed = 0
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
            happened = recv_monitor_message(self._monitor)["event"]
            if happened == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._n_senders += 1
                if self.has_left:
                    self.has_left = False
                    yield False
            elif happened != zmq.EVENT_DISCONNECTED:
                if not self._is_failing:
                    is_closed = happened == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
                    self.n_closed += is_closed
                    self.n_failed += not is_closed
                self._is_failing = True
            elif self._is_failing:
                self._is_failing = False  # a failed connection, not a sender
            elif self._n_senders:
                self._n_senders -= 1
                if not self._n_senders:
                    self.has_left = True
                    yield True


def _failures() -> int:
    import zmq

    no_detail, no_protocol = (
        zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL,
        zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL,
    )
    return no_detail | no_protocol | zmq.EVENT_HANDSHAKE_FAILED_AUTH
