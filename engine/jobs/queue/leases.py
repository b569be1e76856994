"""Detect that another machine has stopped working on a study.

A process that works on a study increases a number in the study's file every `BEAT_S`. If another
machine sees no increase for `LEASE_S` of its own clock while awake, it takes over the study. A
process that could not write for `HOLD_S`, sleep included, gives up the study and does not write
again. No two clocks are compared. The difference of both times exceeds the delay of a network
drive (60 s). Gray & Cheriton, SOSP (1989) 202.
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
"""Owner of a study, start of its attempt, and its number of confirmations."""


def hold_of(entry: QueueEntry) -> Hold:
    """Return the owner and the confirmations in a study's file."""
    return entry.owner, entry.begun_utc, entry.beat


class OthersLeases:
    """Studies of other machines, with the confirmations that this process has seen.

    Parameters
    ----------
    lease_s
        longest time without a confirmation [s]
    """

    def __init__(self, lease_s: float = LEASE_S) -> None:
        self._lease_s = lease_s
        self._seen: dict[str, tuple[Hold, float]] = {}

    def update(self, entries: list[QueueEntry]) -> None:
        """Record which numbers have changed.

        Parameters
        ----------
        entries
            all entries of the queue now
        """
        now, before = time.monotonic(), self._seen
        self._seen = {}
        for entry in entries:
            if entry.state == "running" and not entry.is_abandoned:
                hold, since = before.get(entry.id, (None, now))
                same = hold == hold_of(entry)
                self._seen[entry.id] = (hold_of(entry), since if same else now)

    def has_lapsed(self, entry: QueueEntry) -> bool:
        """Return True if another machine has not confirmed a study for too long.

        Parameters
        ----------
        entry
            entry of the queue now
        """
        if entry.state != "running" or entry.owner is None or entry.owner.is_here:
            return False  # the system states if a process of this machine runs
        hold, since = self._seen.get(entry.id, (None, 0.0))
        # On Linux monotonic time stops during sleep: after waking, others get time to confirm
        return hold == hold_of(entry) and time.monotonic() - since > self._lease_s


class OwnLease:
    """The right to work on a study, valid as long as others can see confirmations."""

    def __init__(self) -> None:
        self._renewed_at = _clock_with_sleep_s()
        self._asked_at = self._renewed_at

    @property
    def is_due(self) -> bool:
        """True if it is time to confirm; False after the study is given up."""
        return _clock_with_sleep_s() - self._renewed_at > BEAT_S and not self.is_over

    @property
    def is_over(self) -> bool:
        """True if other machines may soon take over the study."""
        return _clock_with_sleep_s() - self._renewed_at > HOLD_S

    def renewing(self) -> None:
        """Record that a confirmation starts now."""
        self._asked_at = _clock_with_sleep_s()

    def renewed(self) -> None:
        """Record that the confirmation was written."""
        # The start counts, because others can have seen the confirmation since then.
        self._renewed_at = self._asked_at


def _clock_with_sleep_s() -> float:
    """Return a time that includes sleep of the machine, if the system has one [s]."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()
