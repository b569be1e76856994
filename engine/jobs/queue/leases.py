"""Who still works on a study, where nobody can ask the processes of its machine.

Whoever works on a study counts a number in its file up every `BEAT_S`. Another machine that sees
the number stand for `LEASE_S`, by its own clock and while awake, takes the study over. Whoever
could not count for `HOLD_S`, sleep included, gives it up and does not count again. No clock is
compared with another one, and between the two lies more than a network drive shows late (60 s).
Gray & Cheriton, SOSP (1989) 202.
"""

from __future__ import annotations

import time
from datetime import datetime

from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue.entry import QueueEntry

BEAT_S = 30.0
HOLD_S = 150.0
LEASE_S = 300.0

Hold = tuple[Owner | None, datetime | None, int]
"""Who works on a study, since when, and how often it has said so."""


def hold_of(entry: QueueEntry) -> Hold:
    """Return who holds a study, as its file says."""
    return entry.owner, entry.begun_utc, entry.beat


class OthersLeases:
    """The studies that other machines work on, as this process has seen them.

    Parameters
    ----------
    lease_s
        time for which a number may stand [s]
    """

    def __init__(self, lease_s: float = LEASE_S) -> None:
        self._lease_s = lease_s
        self._seen: dict[str, tuple[Hold, float]] = {}

    def look(self, entries: list[QueueEntry]) -> None:
        """Note which numbers have changed."""
        now, before = time.monotonic(), self._seen
        self._seen = {}
        for entry in entries:
            if entry.state == "running" and not entry.is_abandoned:
                hold, since = before.get(entry.id, (None, now))
                same = hold == hold_of(entry)
                self._seen[entry.id] = (hold_of(entry), since if same else now)

    def has_lapsed(self, entry: QueueEntry) -> bool:
        """Whether a study of another machine has been left alone for too long."""
        if entry.state != "running" or entry.owner is None or entry.owner.is_here:
            return False  # of a process of this machine it is known whether it lives
        hold, since = self._seen.get(entry.id, (None, 0.0))
        return hold == hold_of(entry) and time.monotonic() - since > self._lease_s


class OwnLease:
    """The right to work on a study, as long as others can be told of it."""

    def __init__(self) -> None:
        self._renewed_at = _awake_or_asleep()
        self._asked_at = self._renewed_at

    @property
    def is_due(self) -> bool:
        """Whether it is time to count up; never again once it was given up."""
        return _awake_or_asleep() - self._renewed_at > BEAT_S and not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether others may take the study before long."""
        return _awake_or_asleep() - self._renewed_at > HOLD_S

    def renewing(self) -> None:
        """Note that the number is about to be counted up."""
        self._asked_at = _awake_or_asleep()

    def renewed(self) -> None:
        """Note that the number was counted up."""
        self._renewed_at = self._asked_at  # when it began: others may have seen it from then on


def _awake_or_asleep() -> float:
    """Return a time that goes on while the machine sleeps, where the system has one [s]."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()
