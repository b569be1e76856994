"""Detect from the connections of a socket if senders go or return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zmq


class Presence:
    """Counts the senders of a socket.

    Parameters
    ----------
    socket : socket that receives

    Attributes
    ----------
    has_left : True if there was a sender, and there is none now
    """

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        import zmq

        self._monitor = socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
        )
        self._n_senders = 0
        self.has_left = False

    def changes(self) -> Iterator[bool]:
        """Yield the changes since the last call: True if the last sender has gone, else False."""
        import zmq
        from zmq.utils.monitor import recv_monitor_message

        # The monitor counts connections of all senders at this address
        while self._monitor.poll(0):
            happened = recv_monitor_message(self._monitor)["event"]
            if happened == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._n_senders += 1
                if self.has_left:
                    self.has_left = False
                    yield False
            elif self._n_senders:
                self._n_senders -= 1
                if not self._n_senders:
                    self.has_left = True
                    yield True
