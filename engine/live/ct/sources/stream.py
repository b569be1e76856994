"""Frames over ZeroMQ from a detector, a broadcaster of a beamline, or `live send`."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import (
    Announced,
    Arrival,
    Ended,
    Frame,
    Noticed,
    Resumed,
    SourceEvent,
    SourceLost,
    Waiting,
)
from engine.live.core.message import MOST_BYTES, ScanEnd, read_message
from engine.live.core.senders import Senders
from engine.live.core.zeromq import check_network, listens, opened
from engine.live.ct.sequence import Sequence
from engine.live.ct.views import is_same_geometry

if TYPE_CHECKING:
    import zmq

LOOK_MS = 100
QUIET_S = 5.0
"""Time without a frame after which the user is told."""
WAITING_MESSAGES = 64
MOST_REFUSALS = 5
"""Number of refused messages that are reported one by one."""


class StreamSource:
    """Receives frames from one address, see `engine.live.core.message`.

    Parameters
    ----------
    address : tcp://host:port of a sender, or tcp://*:port to wait for senders
    subscribe : True if the sender publishes (PUB and SUB); else it pushes (PUSH and PULL)
    network : True to accept senders on other computers at tcp://*:port
    """

    def __init__(self, address: str, *, subscribe: bool = False, network: bool = False) -> None:
        check_network(address, network)
        self._address, self._subscribe, self._network = address, subscribe, network
        self._geometry: XrayGeometry | None = None
        self._refused = 0

    @property
    def name(self) -> str:
        """Address of the sender."""
        return self._address

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry that the sender has announced, None without one."""
        return self._geometry

    @property
    def can_wait(self) -> bool:
        """False: a detector cannot wait."""
        return False

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield frames until the sender ends the scan.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        import zmq

        # The size limit protects against a wrong sender: ZeroMQ reserves memory by the header
        options = {
            int(zmq.RCVHWM): WAITING_MESSAGES,
            int(zmq.MAXMSGSIZE): MOST_BYTES,
            int(zmq.LINGER): 0,
        }
        kind = zmq.SUB if self._subscribe else zmq.PULL
        with opened(kind, self._address, options, network=self._network) as socket:
            # An empty prefix subscribes to everything
            if self._subscribe:
                socket.setsockopt(zmq.SUBSCRIBE, b"")
            yield Waiting(
                f"{self.name}: the program waits for frames.{listening(self.name, self._network)}"
            )
            yield from self._received(socket, Presence(socket, self.name), stop)

    def close(self) -> None:
        """Do nothing: no connection stays open after `frames`."""

    def _received(
        self, socket: zmq.Socket[bytes], presence: Presence, stop: Event
    ) -> Iterator[Arrival]:
        sequence = Sequence(self.name)
        senders = Senders(is_listening=listens(self._address))
        last_s, is_quiet = monotonic(), True
        while not stop.is_set():
            if not socket.poll(LOOK_MS):
                yield from presence.changes()  # only once all messages of the sender were read
                if not is_quiet and monotonic() - last_s > QUIET_S:
                    is_quiet = True
                    yield Waiting(f"{self.name}: no frame for {QUIET_S:g} s. Waiting for more.")
                continue
            last_s, is_quiet = monotonic(), False
            if presence.was_gone:
                yield from presence.changes()
            # Without a copy: frames of large detectors have tens of megabytes
            parts = socket.recv_multipart(copy=False)
            try:
                # Before its data are read: a stranger must not choose what is parsed
                is_accepted, text = senders.accepts(parts)
                if not is_accepted:
                    yield from refused(self.name, text)
                    continue
                message = read_message([part.buffer for part in parts], last_s)
            except EngineError as e:
                yield from self._notices(str(e))
                continue
            if isinstance(message, ScanEnd) and not senders.is_fixed:
                # Of a stranger, perhaps: nothing of a scan has come
                yield from self._notices("the end of a scan came before its first message.")
                continue
            senders.confirm()
            if senders.has_reconnected:
                sequence.reconnected()
            if text:
                if senders.follows:
                    sequence.restart()
                yield follower(self.name, text, is_new_scan=senders.follows)
            if isinstance(message, ScanEnd):
                ended = (
                    f"{self.name}: the sender ended the scan after {message.sent:,} projections, "
                    f"of which {sequence.n_projections:,} were received. {sequence.summary} "
                    f"{senders.summary}"
                )
                yield Ended(" ".join(ended.split()))
                return
            if isinstance(message, XrayGeometry):
                # Announced every few seconds, so mostly the same
                yield from self._announced(message, sequence)
            elif isinstance(message, Frame):
                yield from sequence.followed(message)

    def _announced(self, geometry: XrayGeometry, sequence: Sequence) -> Iterator[Announced]:
        before, self._geometry = self._geometry, geometry
        if is_same_geometry(before, geometry):
            return
        rows, columns = geometry.shape
        another, then = ("", "") if before is None else ("another ", "; another scan starts")
        if before is not None:
            sequence.restart()
        yield Announced(
            f"{self.name}: the sender announces {another or 'a '}geometry of {geometry.n_views:,} "
            f"projections of {rows} × {columns} pixels{then}.",
            geometry,
        )

    def _notices(self, text: str) -> Iterator[Noticed]:
        self._refused += 1
        if self._refused <= MOST_REFUSALS:
            more = " Further ones are not reported." if self._refused == MOST_REFUSALS else ""
            yield Noticed(
                f"{self.name}: message refused: {text} Check that the sender uses the "
                f"format in the guide.{more}"
            )


def refused(name: str, text: str) -> Iterator[Noticed]:
    """Yield a message about the first refused message of a sender.

    Parameters
    ----------
    name
        address of the source
    text
        part of a sentence; empty: the sender was reported before
    """
    if text:
        yield Noticed(f"{name}: messages are refused, because {text}.")


def follower(name: str, text: str, *, is_new_scan: bool) -> SourceEvent:
    """Return the event that another sender follows.

    Parameters
    ----------
    name
        address of the source
    text
        part of a sentence
    is_new_scan
        True if another scan starts
    """
    if is_new_scan:
        return Resumed(f"{name}: {text}; another scan starts.", anew=True)
    return Noticed(f"{name}: {text}.")


def listening(address: str, network: bool) -> str:
    """Return a sentence about who may send to an address; empty if this program connects.

    Parameters
    ----------
    address
        address of the source
    network
        True if it accepts senders on other computers
    """
    if not listens(address) or not address.startswith("tcp:"):
        return ""
    if network:
        return " It listens on all networks; senders on other computers need a token."
    return (
        " It accepts senders on this computer only. Senders on other computers need --network, or "
        "the check box in the window."
    )


class Presence:
    """Detects from the connection itself if a sender goes or returns.

    Attributes
    ----------
    was_gone : True if there was a sender, and there is none now
    """

    def __init__(self, socket: zmq.Socket[bytes], name: str) -> None:
        import zmq

        self._name = name
        self._monitor = socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
        )
        self._n_senders = 0
        self.was_gone = False

    def changes(self) -> Iterator[SourceLost | Resumed]:
        """Yield the changes since the last call."""
        import zmq
        from zmq.utils.monitor import recv_monitor_message

        # The monitor counts connections of all senders at this address
        while self._monitor.poll(0):
            happened = recv_monitor_message(self._monitor)["event"]
            if happened == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._n_senders += 1
                if self.was_gone:
                    self.was_gone = False
                    yield Resumed(f"{self._name}: a sender is connected again.")
            elif self._n_senders:
                self._n_senders -= 1
                if not self._n_senders:
                    self.was_gone = True
                    yield SourceLost(
                        f"{self._name}: the sender has disconnected. Frames continue "
                        "when it returns."
                    )
