"""Undo and redo of a value, such as the protocol or the regions of a scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")
DEPTH = 200
"""Number of values that can be restored."""


class UndoHistory(Generic[V]):
    """Values in the order they were used, with the current position."""

    def __init__(self, first: V) -> None:
        self._values = [first]
        self._at = 0
        self._is_grouped = self._has_grouped = False

    @property
    def current(self) -> V:
        """The value in use."""
        return self._values[self._at]

    @property
    def can_undo(self) -> bool:
        """True if there is an earlier value."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """True if there is a later value."""
        return self._at < len(self._values) - 1

    def push(self, value: V) -> None:
        """Add a new value and drop all undone ones.

        Parameters
        ----------
        value
            the new value; nothing happens if it is the current one
        """
        if value == self.current:
            return
        first = self._at if self._has_grouped else self._at + 1
        # The oldest steps are dropped above `DEPTH`, so memory stays bounded in a long session.
        self._values = [*self._values[:first], value][-DEPTH:]
        self._at = len(self._values) - 1
        self._has_grouped = self._is_grouped

    def begin_group(self) -> None:
        """Combine all values until `end_group` into one step."""
        self._is_grouped, self._has_grouped = True, False

    def end_group(self) -> None:
        """End the combined step, and drop it if nothing has changed."""
        if self._has_grouped and self._values[self._at - 1] == self.current:
            del self._values[self._at]
            self._at -= 1
        self._is_grouped = self._has_grouped = False

    def undo(self) -> None:
        """Go one value back, if there is one."""
        self._go_to(max(0, self._at - 1))

    def redo(self) -> None:
        """Go one value forward, if there is one."""
        self._go_to(min(len(self._values) - 1, self._at + 1))

    def _go_to(self, at: int) -> None:
        # The next value of a group must not replace the one that was restored.
        self._at, self._has_grouped = at, False

    def convert(self, convert: Callable[[V], V]) -> None:
        """Replace each value.

        Parameters
        ----------
        convert
            returns the new value of an old one
        """
        self._values = [convert(each) for each in self._values]
