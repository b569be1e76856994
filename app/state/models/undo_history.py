"""Undo and redo of the protocol."""

from __future__ import annotations

from engine.modalities import Protocol

DEPTH = 200


class UndoHistory:
    """Values in the order they were chosen, and the one in use."""

    def __init__(self, first: Protocol) -> None:
        self._values = [first]
        self._at = 0

    @property
    def current(self) -> Protocol:
        """The protocol in use."""
        return self._values[self._at]

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier value."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a later value."""
        return self._at < len(self._values) - 1

    def push(self, value: Protocol) -> None:
        """Choose a new value; what was undone before is gone."""
        if value != self.current:
            self._values = [*self._values[: self._at + 1], value][-DEPTH:]
            self._at = len(self._values) - 1

    def undo(self) -> None:
        """Go one value back, if there is one."""
        self._at = max(0, self._at - 1)

    def redo(self) -> None:
        """Go one value forward, if there is one."""
        self._at = min(len(self._values) - 1, self._at + 1)
