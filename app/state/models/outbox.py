"""Signed results that will be sent to the archive in some seconds, unless the user recalls them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from PySide6.QtCore import QObject, Signal

RECALL_S = 10.0
"""Time in which a result can be recalled."""


@dataclass(frozen=True)
class Outgoing:
    """A result that waits.

    Attributes
    ----------
    id : ID of the result
    title : scan and protocol, for the screen of this user
    until_s : time of sending, on the outbox's clock [s]
    """

    id: str
    title: str
    until_s: float


class Outbox(QObject):
    """The waiting results, in the order of their sign-offs.

    Signals
    -------
    changed : a result was added or removed
    due : ID of a result that must be sent now
    sent : ID of a result, and a sentence about the objects that the node accepted

    Attributes
    ----------
    waiting : results that will be sent
    accepted : sentence about the objects that the node accepted in this session, by result ID

    Parameters
    ----------
    clock : returns the time [s]
    """

    changed = Signal()
    due = Signal(str)
    sent = Signal(str, str)

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self.waiting: tuple[Outgoing, ...] = ()
        self.accepted: dict[str, str] = {}
        self._unsent: dict[str, tuple[str, bool]] = {}
        self.sent.connect(self.accepted.__setitem__)

    @property
    def unsent(self) -> dict[str, tuple[str, bool]]:
        """Signed results that the node has not accepted: ID -> title, True to send the image."""
        return dict(self._unsent)

    def expect(self, id: str, title: str, *, with_image: bool) -> None:
        """Note that a signed result must be sent. Worker threads may call this.

        Parameters
        ----------
        id
            ID of the result
        title
            scan and protocol, for the screen of this user
        with_image
            True to send the image too, False for the report alone
        """
        self._unsent[id] = title, with_image

    def finish(self, id: str, *, with_image: bool = True) -> None:
        """Note that a result need not be sent any more. Worker threads may call this.

        Parameters
        ----------
        id
            ID of the result
        with_image
            False if only the report was sent; the result stays if its image must be sent too
        """
        _, needs_image = self._unsent.get(id, ("", False))
        if with_image or not needs_image:
            self._unsent.pop(id, None)

    def add(self, id: str, title: str) -> None:
        """Let a signed result wait.

        Parameters
        ----------
        id
            ID of the result
        title
            scan and protocol, for the screen of this user
        """
        # After a second sign-off, the same result waits for the whole time, and is sent once.
        others = tuple(each for each in self.waiting if each.id != id)
        self.waiting = (*others, Outgoing(id, title, self._clock() + RECALL_S))
        self.expect(id, title, with_image=True)
        self.changed.emit()

    def recall(self, id: str) -> bool:
        """Take a result back.

        Parameters
        ----------
        id
            ID of the result

        Returns
        -------
        is_recalled
            False if it is no longer here
        """
        is_recalled = self._remove_waiting(id)
        if is_recalled:
            self.finish(id)
            self.changed.emit()
        return is_recalled

    def seconds_left(self, waiting: Outgoing) -> float:
        """Return the time in which a result can still be recalled [s].

        Parameters
        ----------
        waiting
            a waiting result
        """
        return max(0.0, waiting.until_s - self._clock())

    def release(self) -> None:
        """Emit `due` for each result that has waited long enough."""
        for each in self.waiting:
            if each.until_s <= self._clock():
                self._remove_waiting(each.id)
                self.changed.emit()
                self.due.emit(each.id)

    def _remove_waiting(self, id: str) -> bool:
        """Remove a result from those that wait; return False if it is no longer there."""
        left = tuple(each for each in self.waiting if each.id != id)
        is_there = len(left) < len(self.waiting)
        self.waiting = left
        return is_there
