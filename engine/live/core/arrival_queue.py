"""Base of the queues between a source of a running scan and its consumer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from threading import Condition, Event, Thread
from typing import Generic, Protocol, Self, TypeVar

from engine.live.core.frame import Ended

CLOSE_S = 10.0
"""Time limit for a source to stop: it needs a fraction of a second, unless it hangs."""

Item = TypeVar("Item")


class _Source(Protocol):
    @property
    def name(self) -> str: ...
    def close(self) -> None: ...


class ArrivalQueue(ABC, Generic[Item]):
    """Items of a source, in order, for one consumer.

    A thread reads the source. It starts in the constructor, so subclasses call it last.

    Parameters
    ----------
    source : source with the name for the thread
    noun : items in the name of the thread, plural

    Attributes
    ----------
    arrived : number of frames or events from the source
    dropped : number of those that the consumer did not process in time
    """

    def __init__(self, source: _Source, noun: str) -> None:
        self.arrived = self.dropped = 0
        self._closable = source
        self._end: Ended | None = None
        self._fault: BaseException | None = None
        self._changed, self._stop = Condition(), Event()
        # A daemon, so that a source that hangs cannot keep the program alive
        self._thread = Thread(target=self._read, name=f"{noun} of {source.name}", daemon=True)
        self._thread.start()

    @abstractmethod
    def _items(self, stop: Event) -> Iterator[Item]:
        """Yield the items of the source; called in the thread."""

    @abstractmethod
    def _has_items(self) -> bool:
        """Return True if there is an item to take; called with the lock."""

    @abstractmethod
    def _pop(self) -> Item | None:
        """Remove and return the oldest item, None without one; called with the lock."""

    @abstractmethod
    def _push(self, item: Item) -> None:
        """Add an item, after a wait for space if the source can wait; called with the lock."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Item | Ended]:
        """Yield items until the source has ended, `Ended` last."""
        while True:
            arrival = self.take()
            if arrival is not None:
                yield arrival
            if isinstance(arrival, Ended):
                return

    def take(self, timeout_s: float | None = None) -> Item | Ended | None:
        """Return the oldest item in the queue.

        Parameters
        ----------
        timeout_s
            maximum wait [s]; None waits until something arrives

        Returns
        -------
        arrival
            None if nothing arrived in time; `Ended` at every call after the end

        Raises
        ------
        Exception
            the error of the source, after all items before it
        """
        with self._changed:
            self._changed.wait_for(lambda: self._has_items() or self._end is not None, timeout_s)
            arrival = self._pop()
            if arrival is not None:
                # The source may wait for space
                self._changed.notify_all()
                return arrival
            if self._fault is not None:
                raise self._fault
            return self._end

    @property
    def has_failed(self) -> bool:
        """True if the source has ended with an error."""
        return self._fault is not None

    def close(self) -> None:
        """Stop reading and close the source."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(timeout=CLOSE_S)
        self._closable.close()

    def _read(self) -> None:
        end: Ended | None = None
        fault: BaseException | None = None
        try:
            for arrival in self._items(self._stop):
                if isinstance(arrival, Ended):
                    end = arrival
                    break
                with self._changed:
                    self._push(arrival)
                    self._changed.notify_all()
        except BaseException as e:  # noqa: BLE001  the consumer raises it
            fault = e
        with self._changed:
            self._fault = fault
            # A source that stops without `Ended`, or fails, has ended as well
            self._end = end or Ended(f"{self._closable.name}: ended.")
            self._changed.notify_all()
