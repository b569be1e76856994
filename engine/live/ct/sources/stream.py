"""Frames over ZeroMQ from a detector, a broadcaster of a beamline, or `live send`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Event

from engine.core.errors import EngineError
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Announced, Arrival, Frame
from engine.live.core.message import Message, ScanEnd, read_message
from engine.live.ct.sequence import Sequence
from engine.live.ct.views import is_same_geometry
from engine.live.receiving.receiver import Received
from engine.live.receiving.streamed_source import StreamedSource
from engine.live.receiving.wire import Stream


class StreamSource(StreamedSource[Frame]):
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
        options = (subscribe, network, sender_keys, sender, frame_shape)
        super().__init__(Stream(address, "frames", *options), "frame")
        self._geometry: XrayGeometry | None = None
        self._sequence = Sequence(address)

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry that the sender has announced, None without one."""
        return self._geometry

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield frames until the sender ends the scan.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        self._sequence = Sequence(self.name)
        return self._items(stop)

    def _read(self, received: Received) -> Iterable[Arrival]:
        sequence = self._sequence
        try:
            message = read_message(received.parts, received.arrived_s, sequence.scan)
        except EngineError as e:
            return self._receiver.invalid(str(e))
        # Most messages are frames; a generator for each would cost time
        if isinstance(message, Frame) and not (received.follows or received.has_reconnected):
            return sequence.followed(message)
        return self._arrivals_of(message, received)

    def _arrivals_of(self, message: Message, received: Received) -> Iterator[Arrival]:
        sequence = self._sequence
        if received.has_reconnected:
            sequence.reconnected()
        if received.follows:
            # Nothing of the earlier sender belongs to the scan of this one
            self._geometry = None
            sequence.restart()
            yield self._follower(received.text)
        if isinstance(message, ScanEnd):
            sent = f"{message.sent:,} projections"
            yield self._scan_end(sent, sequence.n_projections, sequence.summary)
        elif isinstance(message, XrayGeometry):
            # Announced every few seconds, so mostly the same
            yield from self._announced(message)
        elif isinstance(message, Frame):
            yield from sequence.followed(message)

    def _announced(self, geometry: XrayGeometry) -> Iterator[Announced]:
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
            self._sequence.restart()
        yield Announced(text, geometry)
