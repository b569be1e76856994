"""Projections that have not come though later ones have."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

from engine.live.core.frame import Noticed

LATE_S = 10.0
"""A projection is waited for so long after a later one, before it is said."""
MOST_SAID = 5
MOST_MISSING = 1000


class MissingNumbers:
    """Keeps count of the projections of a folder."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._came: set[int] = set()
        self._next = self._n_said = 0
        self._missing: dict[int, tuple[float, str]] = {}

    @property
    def n_came(self) -> int:
        """Different projections that came."""
        return len(self._came)

    def came(self, index: int, file_name: str) -> None:
        """Count a projection."""
        self._came.add(index)
        self._missing.pop(index, None)
        for k in range(max(self._next, index - MOST_MISSING), index):
            if k not in self._came:
                self._missing[k] = (monotonic(), file_name)
        self._next = max(self._next, index + 1)

    def late(self, now_s: float) -> Iterator[Noticed]:
        """Say which have not come for long."""
        while self._missing and self._n_said < MOST_SAID:
            index, (since_s, later) = next(iter(self._missing.items()))
            if now_s - since_s < LATE_S:
                return
            del self._missing[index]
            self._n_said += 1
            more = " Further ones are not said." if self._n_said == MOST_SAID else ""
            yield Noticed(
                f"{self._name}: projection {index} has not come {LATE_S:g} s after {later}; it is "
                f"used if it comes yet.{more}"
            )
