"""Events over ZeroMQ, as sent by `live send`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.data.listmode import ListMode
from engine.live.core.frame import Ended, Noticed, Resumed, Waiting
from engine.live.core.message import ScanEnd
from engine.live.core.senders import Senders
from engine.live.core.zeromq import check_network, listens, opened
from engine.live.ct.sources.stream import Presence, follower, listening, refused
from engine.live.pet.event_batch import EventArrival, EventBatch
from engine.live.pet.event_message import read_event_message

if TYPE_CHECKING:
    import zmq

LOOK_MS = 100
QUIET_S = 5.0
"""Time without an event after which the user is told."""
WAITING_MESSAGES = 64
MOST_MESSAGE_BYTES = 2**29
MOST_REFUSALS = 5
"""Number of refused messages that are reported one by one."""


class EventStreamSource:
    """Receives events from one address, see `engine.live.pet.event_message`.

    Parameters
    ----------
    address : tcp://host:port of a sender, or tcp://*:port to wait for senders
    subscribe : True if the sender publishes (PUB and SUB); else it pushes (PUSH and PULL)
    network : True to accept senders on other computers at tcp://*:port
    """

    can_wait = False  # a scanner cannot

    def __init__(self, address: str, *, subscribe: bool = False, network: bool = False) -> None:
        check_network(address, network)
        self._address, self._subscribe, self._network = address, subscribe, network
        self._head: ListMode | None = None
        self._refused = self._not_announced = self._came = 0
        self._next: int | None = None

    @property
    def name(self) -> str:
        """Address of the sender."""
        return self._address

    @property
    def head(self) -> ListMode | None:
        """Scan that the sender has announced, None without one."""
        return self._head

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        """Yield batches until the sender ends the scan.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        import zmq

        options = {
            int(zmq.RCVHWM): WAITING_MESSAGES,
            int(zmq.MAXMSGSIZE): MOST_MESSAGE_BYTES,
            int(zmq.LINGER): 0,
        }
        kind = zmq.SUB if self._subscribe else zmq.PULL
        with opened(kind, self._address, options, network=self._network) as socket:
            if self._subscribe:
                socket.setsockopt(zmq.SUBSCRIBE, b"")
            yield Waiting(f"{self.name}: waiting for events.{listening(self.name, self._network)}")
            yield from self._received(socket, Presence(socket, self.name), stop)

    def close(self) -> None:
        """Do nothing: no connection stays open after `batches`."""

    def _received(
        self, socket: zmq.Socket[bytes], presence: Presence, stop: Event
    ) -> Iterator[EventArrival]:
        senders = Senders(is_listening=listens(self._address))
        last_s, is_quiet = monotonic(), True
        while not stop.is_set():
            if not socket.poll(LOOK_MS):
                yield from presence.changes()  # only once all messages of the sender were read
                if not is_quiet and monotonic() - last_s > QUIET_S:
                    is_quiet = True
                    yield Waiting(f"{self.name}: no event for {QUIET_S:g} s. Waiting for more.")
                continue
            last_s, is_quiet = monotonic(), False
            if presence.was_gone:
                yield from presence.changes()
            parts = socket.recv_multipart(copy=False)
            try:
                # Before its data are read: a stranger must not choose what is parsed
                is_accepted, text = senders.accepts(parts)
                if not is_accepted:
                    yield from refused(self.name, text)
                    continue
                message = read_event_message([part.buffer for part in parts], self._head, last_s)
            except EngineError as e:
                yield from self._notices(str(e))
                continue
            if isinstance(message, ScanEnd) and not senders.is_fixed:
                # Of a stranger, perhaps: nothing of a scan has come
                yield from self._notices("the end of a scan came before its first message.")
                continue
            senders.confirm()
            if text:
                if senders.follows:
                    self._next = None
                yield follower(self.name, text, is_new_scan=senders.follows)
            if isinstance(message, ScanEnd):
                ended = (
                    f"{self.name}: the sender ended the scan after {message.sent:,} events, of "
                    f"which {self._came:,} were received. {senders.summary}"
                )
                yield Ended(ended.strip())
                return
            if isinstance(message, ListMode):
                yield from self._announced(message)
            elif isinstance(message, EventBatch):
                yield from self._followed(message)
            else:
                yield from self._before_announced()

    def _announced(self, head: ListMode) -> Iterator[EventArrival]:
        known, self._head = self._head, head
        # Announced every few seconds, so mostly the same scanner
        if known is not None and known.scanner.fingerprint() != head.scanner.fingerprint():
            self._next = None
            yield Resumed(f"{self.name}: another scanner is sending. A new scan starts.", anew=True)

    def _followed(self, batch: EventBatch) -> Iterator[EventArrival]:
        expected, n = self._next, batch.events.n_events
        # Numbers of a scan only increase: the sender has started again
        if expected is not None and batch.first < expected:
            yield Resumed(
                f"{self.name}: the scan starts again, from event {batch.first:,}.", anew=True
            )
            expected = batch.first
        self._came += n
        self._next = batch.first + n
        # Before the first batch everything since the start of the scan is lost
        yield replace(batch, lost=batch.first - (expected or 0))

    def _before_announced(self) -> Iterator[Noticed]:
        self._not_announced += 1
        if self._not_announced == 1:
            yield Noticed(
                f"{self.name}: events arrived before their scanner was announced and are lost. "
                "Events are used after the next announcement."
            )

    def _notices(self, text: str) -> Iterator[Noticed]:
        self._refused += 1
        if self._refused <= MOST_REFUSALS:
            more = " Further ones are not reported." if self._refused == MOST_REFUSALS else ""
            yield Noticed(
                f"{self.name}: message refused: {text} Check that the sender uses the "
                f"format in the guide.{more}"
            )
