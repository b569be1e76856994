"""Projections that are missing although later ones have arrived."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

from engine.live.core.frame import Noticed

LATE_S = 10.0
"""Time after a later projection at which a missing one is reported."""
MAX_REPORTED = 5
MAX_MISSING = 1000


class MissingNumbers:
    """Counts the projections of a folder."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._received: set[int] = set()
        self._next = self._n_reported = 0
        self._missing: dict[int, tuple[float, str]] = {}

    @property
    def n_arrived(self) -> int:
        """Number of different projections that have arrived."""
        return len(self._received)

    def arrived(self, index: int, file_name: str) -> None:
        """Count a projection.

        Parameters
        ----------
        index
            number of the projection, from 0
        file_name
            name of its file, for messages about missing ones before it
        """
        self._received.add(index)
        # A late file is used like any other
        self._missing.pop(index, None)
        # Limited: a wrong number in a name must not add millions of missing ones
        for k in range(max(self._next, index - MAX_MISSING), index):
            if k not in self._received:
                self._missing[k] = (monotonic(), file_name)
        self._next = max(self._next, index + 1)

    def late(self, now_s: float) -> Iterator[Noticed]:
        """Report projections that have been missing for long.

        Parameters
        ----------
        now_s
            current time, by `time.monotonic` [s]
        """
        while self._missing and self._n_reported < MAX_REPORTED:
            # Dictionaries preserve the order of insertion: the first one has been missing longest
            index, (since_s, later) = next(iter(self._missing.items()))
            if now_s - since_s < LATE_S:
                return
            del self._missing[index]
            self._n_reported += 1
            more = " Further ones are not reported." if self._n_reported == MAX_REPORTED else ""
            yield Noticed(
                f"{self._name}: projection {index} is missing {LATE_S:g} s after {later}. It is "
                f"still used if it arrives.{more}"
            )
