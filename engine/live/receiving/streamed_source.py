"""Base of the sources that receive the messages of one address."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import closing
from threading import Event
from typing import Generic, TypeVar

from engine.live.core.frame import Ended, Resumed, SourceEvent
from engine.live.core.senders import RefusedSender
from engine.live.core.zeromq import check_network
from engine.live.receiving.receiver import Received, Receiver
from engine.live.receiving.wire import Stream

Item = TypeVar("Item")


class StreamedSource(ABC, Generic[Item]):
    """A source that reads its items from messages.

    Parameters
    ----------
    stream : address and kind
    noun : name of the data in messages to the user, such as "frame"
    """

    can_wait = False  # a detector or scanner cannot

    def __init__(self, stream: Stream, noun: str) -> None:
        check_network(stream.address, stream.network)
        self._name, self._receiver = stream.address, Receiver(stream, noun)

    @property
    def name(self) -> str:
        """Address of the sender."""
        return self._name

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
        """Do nothing: no connection stays open after the last item."""

    @abstractmethod
    def _read(self, received: Received) -> Iterable[Item | SourceEvent]:
        """Return the items and events in a message."""

    def _items(self, stop: Event) -> Iterator[Item | SourceEvent]:
        """Yield items and events until the sender ends the scan."""
        with closing(self._receiver.arrivals(stop)) as arrivals:
            for arrival in arrivals:
                if isinstance(arrival, SourceEvent):
                    yield arrival
                    continue
                for each in self._read(arrival):
                    yield each
                    if isinstance(each, Ended):
                        return

    def _follower(self, text: str) -> Resumed:
        """Return the event that another sender follows, with a sentence about both senders."""
        return Resumed(
            f"{self.name}: another scan starts. {text}", is_new_scan=True, is_new_sender=True
        )

    def _scan_end(self, sent: str, n_received: int, losses: str) -> Ended:
        """Return the event that the sender has ended the scan.

        Parameters
        ----------
        sent
            number of sent frames or events, with their name
        n_received
            number of those that were received
        losses
            sentences about missing data; empty without any
        """
        text = (
            f"{self.name}: the sender ended the scan after {sent}. {n_received:,} were received. "
            f"{losses} {self._receiver.summary}"
        )
        return Ended(" ".join(text.split()))
