"""Events over ZeroMQ, as sent by `live send`."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

from engine.core.errors import EngineError
from engine.data.listmode import ListMode
from engine.live.core.frame import Noticed, Resumed
from engine.live.core.message import ScanEnd
from engine.live.pet.event_batch import EventArrival, EventBatch
from engine.live.pet.event_message import read_event_message
from engine.live.pet.event_numbers import EventNumbers
from engine.live.receiving.receiver import Received
from engine.live.receiving.streamed_source import StreamedSource
from engine.live.receiving.wire import Stream


class EventStreamSource(StreamedSource[EventBatch]):
    """Receives events from one address, see `engine.live.pet.event_message`.

    Parameters
    ----------
    address : tcp://host:port of a sender, or tcp://*:port to wait for senders
    subscribe : True if the sender publishes (PUB and SUB); else it pushes (PUSH and PULL)
    network : True to accept senders on other computers at tcp://*:port
    sender_keys : public keys of the senders that are accepted; empty: no keys are asked for
    sender : key, token or address of the only sender that is accepted; empty: the first one
    """

    def __init__(
        self,
        address: str,
        *,
        subscribe: bool = False,
        network: bool = False,
        sender_keys: tuple[str, ...] = (),
        sender: str = "",
    ) -> None:
        options = (subscribe, network, sender_keys, sender)
        super().__init__(Stream(address, "events", *options), "event")
        self._head: ListMode | None = None
        self._n_unannounced = self._n_received = 0
        self._numbers = EventNumbers(address)

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
        return self._items(stop)

    def _read(self, received: Received) -> Iterator[EventArrival]:
        try:
            message = read_event_message(received.parts, self._head, received.arrived_s)
        except EngineError as e:
            yield from self._receiver.invalid(str(e))
            return
        if received.has_reconnected:
            self._numbers.reconnected()
        if received.follows:
            # Nothing of the earlier sender belongs to the scan of this one
            self._head = None
            self._numbers.restart()
            yield self._follower(received.text)
        if isinstance(message, ScanEnd):
            sent = f"{message.sent:,} events"
            yield self._scan_end(sent, self._n_received, self._numbers.summary)
        elif isinstance(message, ListMode):
            self._receiver.remember_announcement(received.parts)
            yield from self._announced(message)
        elif isinstance(message, EventBatch):
            yield from self._followed(message)
        else:
            yield from self._before_announced()

    def _announced(self, head: ListMode) -> Iterator[EventArrival]:
        known, self._head = self._head, head
        # Announced every few seconds, so mostly the same scanner
        if known is None or is_same_scan(known, head):
            return
        self._numbers.restart()
        yield Resumed(
            f"{self.name}: the sender announces another scanner or other data. A new scan starts.",
            is_new_scan=True,
        )

    def _followed(self, batch: EventBatch) -> Iterator[EventArrival]:
        for each in self._numbers.followed(batch):
            if isinstance(each, EventBatch):
                self._n_received += each.events.n_events
            yield each

    def _before_announced(self) -> Iterator[Noticed]:
        self._n_unannounced += 1
        if self._n_unannounced == 1:
            yield Noticed(
                f"{self.name}: events arrived before their scanner was announced and are lost. "
                "Events are used after the next announcement."
            )


def is_same_scan(one: ListMode, other: ListMode) -> bool:
    """Return True if two announcements have the same scanner and the same columns."""
    columns = [(each.delayed is None, each.tof_bins is None) for each in (one, other)]
    is_same = one.scanner.fingerprint() == other.scanner.fingerprint()
    return is_same and columns[0] == columns[1]
