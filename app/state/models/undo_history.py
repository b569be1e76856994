"""Undo and redo of the protocol."""

from __future__ import annotations

from engine.modalities import Protocol

DEPTH = 200


class UndoHistory:
    """Protocols in the order they were used, with the current position."""

    def __init__(self, first: Protocol) -> None:
        self._values = [first]
        self._at = 0

    @property
    def current(self) -> Protocol:
        """The protocol in use."""
        return self._values[self._at]

    @property
    def can_undo(self) -> bool:
        """True if there is an earlier value."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """True if there is a later value."""
        return self._at < len(self._values) - 1

    def push(self, value: Protocol) -> None:
        """Add a new value and drop all undone ones.

        Parameters
        ----------
        value
            the protocol; nothing happens if it is the current one
        """
        if value != self.current:
            # The oldest steps are dropped above `DEPTH`, so memory stays bounded in a long session.
            self._values = [*self._values[: self._at + 1], value][-DEPTH:]
            self._at = len(self._values) - 1

    def undo(self) -> None:
        """Go one value back, if there is one."""
        self._at = max(0, self._at - 1)

    def redo(self) -> None:
        """Go one value forward, if there is one."""
        self._at = min(len(self._values) - 1, self._at + 1)
