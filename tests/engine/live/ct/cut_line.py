"""A proxy that forwards bytes from a sender, and cuts the first connection."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Thread


class CutLine:
    """A TCP proxy between a sender and a receiver.

    It refuses connections until the sender listens, and from the cut until `restore`. If it
    accepted and closed them, the sender would seem to have a wrong key.

    Parameters
    ----------
    sender : address of the sender
    cut_after : bytes of the first connection to forward [bytes]
    """

    def __init__(self, sender: str, cut_after: int) -> None:
        host, port = sender.removeprefix("tcp://").split(":")
        self._sender, self._left = (host, int(port)), cut_after
        with socket.create_server(("127.0.0.1", 0)) as server:
            self._port = server.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self._port}"
        self.n_cut = 0
        self._is_restored, self._is_closed = Event(), Event()
        Thread(target=self._forward, daemon=True).start()

    def restore(self) -> None:
        """Accept one more connection, for another sender at the same address."""
        self._is_restored.set()

    def close(self) -> None:
        """End the proxy."""
        self._is_closed.set()
        self._is_restored.set()

    def _forward(self) -> None:
        self._forward_connection()
        self._is_restored.wait()
        self._forward_connection()

    def _forward_connection(self) -> None:
        sender = None
        while sender is None:
            if self._is_closed.wait(0.02):
                return
            with suppress(OSError):
                sender = socket.create_connection(self._sender)
        with socket.create_server(("127.0.0.1", self._port)) as server:
            receiver, _ = server.accept()
        Thread(target=self._pass_back, args=(receiver, sender), daemon=True).start()
        self._pass_on(sender, receiver)

    def _pass_back(self, receiver: socket.socket, sender: socket.socket) -> None:
        with suppress(OSError):
            while data := receiver.recv(4096):
                sender.sendall(data)
        self._close(receiver, sender)

    def _pass_on(self, sender: socket.socket, receiver: socket.socket) -> None:
        """Forward the bytes of the sender, up to the cut."""
        with suppress(OSError):
            while data := sender.recv(64):
                if not self.n_cut and len(data) > self._left:
                    receiver.sendall(data[: self._left])
                    self.n_cut = 1
                    break
                self._left -= len(data)
                receiver.sendall(data)
        self._close(sender, receiver)

    @staticmethod
    def _close(*sockets: socket.socket) -> None:
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
