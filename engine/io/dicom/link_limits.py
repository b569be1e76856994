"""Limits on the answers of a DICOM node: length of a PDU, total size, and time.

pynetdicom stores all data of a node, waits as long as any byte arrives, and limits only the time
between two messages. The limits here end the connection, and remember the reason.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import TYPE_CHECKING

from engine.core.errors import ResourceError

if TYPE_CHECKING:
    from pynetdicom.events import Event

MAX_PDU_BYTES = 16_382
"""Maximum length of a data PDU, as stated in the association request (PS3.8, D.1)."""
MAX_CONTROL_BYTES = 65_536
"""Maximum length of other PDUs. An answer to 128 presentation contexts has 8 kB."""
HEAD_BYTES, DATA_PDU, KINDS = 6, 4, range(1, 8)
PIECE_BYTES = 4096
RESPONSE = 0x8000
"""Bit of the command field of a response (PS3.7, E.1)."""
PENDING = (0xFF00, 0xFF01)
"""Status of a response that others follow."""


class LinkLimits:
    """Watches one connection to a node.

    Parameters
    ----------
    name
        node, for the message
    seconds
        time for all answers together
    max_bytes
        maximum size of all answers together

    Attributes
    ----------
    fault : sentence on the limit that was exceeded; None if all were observed
    """

    def __init__(self, name: str, seconds: float, max_bytes: int) -> None:
        self.fault: str | None = None
        self._name, self._seconds, self._max_bytes = name, seconds, max_bytes
        self._n_bytes = 0
        self._link: socket.socket | None = None
        self._timer: Timer | None = None
        self._request: tuple[int | None, int | None] = None, None
        self._is_answered = False

    def attach(self, event: Event) -> None:
        """Watch the connection that has just been opened; a handler of `EVT_CONN_OPEN`."""
        link = event.assoc.dul.socket
        if link is None or link.socket is None:
            return
        self._link = link.socket
        # Every byte from the node passes through this method, first 6 bytes of each PDU, then the
        # rest of it.
        vars(link)["recv"] = self._received
        self.restart()

    def restart(self, seconds: float | None = None) -> None:
        """Start the clock again for the next request.

        Parameters
        ----------
        seconds
            time for this request; None for the same time as before
        """
        self.stop()
        self._seconds = self._seconds if seconds is None else seconds
        self._timer = Timer(self._seconds, self._out_of_time)
        self._timer.daemon = True
        self._timer.start()

    def note_request(self, event: Event) -> None:
        """Expect the response to a request; a handler of `EVT_DIMSE_SENT`."""
        command = event.message.command_set
        self._request = command.get("CommandField"), command.get("MessageID")
        self._is_answered = False

    def check_response(self, event: Event) -> None:
        """Refuse a message that does not answer the request; a handler of `EVT_DIMSE_RECV`.

        pynetdicom accepts the next message of a node as the response, even to another request.
        """
        command = event.message.command_set
        kind, request = self._request
        wanted = kind if kind is None else kind | RESPONSE, request
        found = command.get("CommandField"), command.get("MessageIDBeingRespondedTo")
        if found != wanted or self._is_answered:
            with suppress(ConnectionAbortedError):
                self._end(
                    f"{self._name}: the node sent a message that does not answer the last "
                    "request; check this node and the port number."
                )
        self._is_answered = command.get("Status") not in PENDING

    def wake(self, event: Event) -> None:
        """End the wait for a message on a closed connection; a handler of `EVT_CONN_CLOSE`.

        pynetdicom does so if the node closes it, but not after a message that cannot be decoded.
        """
        event.assoc.dimse.msg_queue.put((None, None))

    @contextmanager
    def catch_damage(self) -> Iterator[None]:
        """Turn errors in the threads of pynetdicom, about damaged messages, into a fault."""
        from pynetdicom.association import Association
        from pynetdicom.dul import DULServiceProvider

        before = threading.excepthook

        def caught(failed: threading.ExceptHookArgs) -> None:
            if not isinstance(failed.thread, Association | DULServiceProvider):
                before(failed)
                return
            thread = failed.thread
            association = thread.assoc if isinstance(thread, DULServiceProvider) else thread
            # The waiting thread would wait for the timeout, because no further message is read.
            association.dimse.msg_queue.put((None, None))
            with suppress(ConnectionAbortedError):
                self._end(
                    f"{self._name}: the node sent a damaged message; check this node and the port "
                    "number."
                )

        threading.excepthook = caught
        try:
            yield
        finally:
            threading.excepthook = before

    def stop(self) -> None:
        """Stop the clock."""
        if self._timer is not None:
            self._timer.cancel()

    def close(self) -> None:
        """Stop the clock and close the connection; pynetdicom leaves open one that was ended."""
        self.stop()
        if self._link is not None:
            with suppress(OSError):
                self._link.close()

    def refuse_exceeded(self) -> None:
        """Raise the sentence on a limit that was exceeded.

        Raises
        ------
        ResourceError
            states the limit
        """
        if self.fault is not None:
            raise ResourceError(self.fault)

    def _received(self, n_bytes: int) -> bytearray:
        """Return bytes of the node, fewer if the connection ends; see `AssociationSocket.recv`."""
        found = bytearray()
        while self._link is not None and len(found) < n_bytes:
            piece = self._link.recv(min(PIECE_BYTES, n_bytes - len(found)))
            if not piece:
                break
            self._n_bytes += len(piece)
            if self._n_bytes > self._max_bytes:
                self._end(
                    f"{self._name}: the response has more than {self._max_bytes:,} bytes, which "
                    "is too large; narrow the query, or check this node."
                )
            found += piece
        if n_bytes == HEAD_BYTES and len(found) == HEAD_BYTES:
            self._check(found)
        return found

    def _check(self, head: bytearray) -> None:
        """Refuse a PDU by its first bytes, before any memory is used for it."""
        kind, _, length = struct.unpack(">BBI", head)
        most = MAX_PDU_BYTES if kind == DATA_PDU else MAX_CONTROL_BYTES
        # Other kinds are not DICOM, such as the answer of a web server. pynetdicom reports them.
        if kind in KINDS and length > most:
            self._end(
                f"{self._name}: the node announces a message of {length:,} bytes, expected at most "
                f"{most:,} as agreed; check this node and the port number."
            )

    def _out_of_time(self) -> None:
        with suppress(ConnectionAbortedError):
            self._end(
                f"{self._name}: no complete response after {self._seconds:,.0f} s; check the load "
                "of this node, or narrow the query."
            )

    def _end(self, fault: str) -> None:
        """End the connection, so that all threads that wait for the node continue."""
        self.fault = self.fault or fault
        if self._link is not None:
            with suppress(OSError):
                self._link.shutdown(socket.SHUT_RDWR)
        raise ConnectionAbortedError(fault)
