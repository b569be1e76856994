"""A proxy that forwards bytes from a sender, and cuts the first connection once."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class CutLine:
    """A proxy between a sender and a receiver of TCP.

    Parameters
    ----------
    sender : address of the sender
    cut_after : bytes of the first connection to forward [bytes]
    """

    def __init__(self, sender: str, cut_after: int) -> None:
        host, port = sender.removeprefix("tcp://").split(":")
        self._sender, self._left = (host, int(port)), cut_after
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.n_cut = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                try:
                    far = socket.create_connection(self._sender)
                except OSError:  # the sender is not there: the receiver tries again
                    near.close()
                    continue
                threading.Thread(target=self._pass, args=(near, far), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(far, near), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(4096):
                sink.sendall(data)
        self._close(source, sink)

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        """Forward the bytes of the sender, up to the cut."""
        with suppress(OSError):
            while data := source.recv(64):
                if not self.n_cut and len(data) > self._left:
                    sink.sendall(data[: self._left])
                    self.n_cut = 1
                    break
                self._left -= len(data)
                sink.sendall(data)
        self._close(source, sink)

    @staticmethod
    def _close(*sockets: socket.socket) -> None:
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
