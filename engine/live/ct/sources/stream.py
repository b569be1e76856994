"""Frames over ZeroMQ from a detector, a broadcaster of a beamline, or `live send`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from threading import Event

from engine.core.errors import EngineError
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Announced, Arrival, Ended, Frame, Resumed, SourceEvent
from engine.live.core.message import Message, ScanEnd, read_message
from engine.live.core.senders import RefusedSender
from engine.live.core.zeromq import check_network
from engine.live.ct.sequence import Sequence
from engine.live.ct.views import is_same_geometry
from engine.live.receiving.receiver import Received, Receiver
from engine.live.receiving.wire import Stream


class StreamSource:
    """Receives frames from one address, see `engine.live.core.message`.

    Parameters
    ----------
    address : tcp://host:port of a sender, or tcp://*:port to wait for senders
    subscribe : True if the sender publishes (PUB and SUB); else it pushes (PUSH and PULL)
    network : True to accept senders on other computers at tcp://*:port
    sender_keys : public keys of the senders that are accepted; empty: no keys are asked for
    sender : key, token or address of the only sender that is accepted; empty: the first one
    frame_shape : (n_rows, n_columns) of the frames, if known before they arrive. Small frames then
        arrive faster, and no message can be much larger
    """

    def __init__(
        self,
        address: str,
        *,
        subscribe: bool = False,
        network: bool = False,
        sender_keys: tuple[str, ...] = (),
        sender: str = "",
        frame_shape: tuple[int, int] | None = None,
    ) -> None:
        check_network(address, network)
        self._receiver = Receiver(
            Stream(address, "frames", subscribe, network, sender_keys, sender, frame_shape), "frame"
        )
        self._name = address
        self._geometry: XrayGeometry | None = None

    @property
    def name(self) -> str:
        """Address of the sender."""
        return self._name

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
        sequence = Sequence(self.name)
        with closing(self._receiver.arrivals(stop)) as arrivals:
            for arrival in arrivals:
                if isinstance(arrival, SourceEvent):
                    yield arrival
                    continue
                for each in self._read(arrival, sequence):
                    yield each
                    if isinstance(each, Ended):
                        return

    @property
    def refused_senders(self) -> tuple[RefusedSender, ...]:
        """Refused senders, except the one that the user has chosen."""
        return self._receiver.refused

    def use_sender(self, identity: str) -> None:
        """Accept only one sender from now on; its first message starts another scan.

        Parameters
        ----------
        identity
            identity of a refused sender
        """
        self._receiver.use(identity)

    def close(self) -> None:
        """Do nothing: no connection stays open after `frames`."""

    def _read(self, received: Received, sequence: Sequence) -> Iterable[Arrival]:
        try:
            message = read_message(received.parts, received.arrived_s, sequence.scan)
        except EngineError as e:
            return self._receiver.invalid(str(e))
        # Most messages are frames; a generator for each would cost time
        if isinstance(message, Frame) and not (received.follows or received.has_reconnected):
            return sequence.followed(message)
        return self._arrivals_of(message, received, sequence)

    def _arrivals_of(
        self, message: Message, received: Received, sequence: Sequence
    ) -> Iterator[Arrival]:
        if received.has_reconnected:
            sequence.reconnected()
        if received.follows:
            # Nothing of the earlier sender belongs to the scan of this one
            self._geometry = None
            sequence.restart()
            yield follower(self.name, received.text)
        if isinstance(message, ScanEnd):
            ended = (
                f"{self.name}: the sender ended the scan after {message.sent:,} projections. "
                f"{sequence.n_projections:,} were received. {sequence.summary} "
                f"{self._receiver.summary}"
            )
            yield Ended(" ".join(ended.split()))
        elif isinstance(message, XrayGeometry):
            # Announced every few seconds, so mostly the same
            yield from self._announced(message, sequence)
        elif isinstance(message, Frame):
            yield from sequence.followed(message)

    def _announced(self, geometry: XrayGeometry, sequence: Sequence) -> Iterator[Announced]:
        before, self._geometry = self._geometry, geometry
        if is_same_geometry(before, geometry):
            return
        rows, columns = geometry.shape
        text = (
            f"{self.name}: the sender announces a geometry of {geometry.n_views:,} projections of "
            f"{rows} × {columns} pixels."
        )
        if before is not None:
            text += " It differs from the previous geometry, so another scan starts."
            sequence.restart()
        yield Announced(text, geometry)


def follower(name: str, text: str) -> Resumed:
    """Return the event that another sender follows, whose messages are another scan.

    Parameters
    ----------
    name
        address of the source
    text
        sentence about both senders
    """
    return Resumed(f"{name}: another scan starts. {text}", is_new_scan=True, is_new_sender=True)
