"""Gates: parts of a repeated cardiac or respiratory cycle.

A trigger begins a cycle, the next one ends it. Of a cycle from t_i to t_(i+1), gate g of n holds

    t_i + (g − 1)/n (t_(i+1) − t_i) ≤ t < t_i + g/n (t_(i+1) − t_i)

in whole ms. With c the median length of a cycle, those shorter than c / 2 or longer than 2 c are
left out (a trigger was false, or one was missed), or those further than p % from c if p is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.data.timing.time_division import NONE, TimeDivision
from engine.data.timing.time_frames import MS, Gate, TimeFrame
from engine.data.timing.triggers import Triggers

MOST_GATES = 100
USUAL = (0.5, 2.0)
"""Cycles from the first to the second of these, times their median, are used."""
_TEXT = re.compile(
    r"gates\s*=\s*(?P<n>\d+)(?:\s+of\s+(?P<signal>.+?))?"
    r"(?:\s+within\s+(?P<percent>\d+(?:\.\d*)?)\s*%)?",
    re.IGNORECASE,
)
WANTED = "expected gates=8, gates=8 of ecg, or gates=8 of ecg within 20%"


@dataclass(frozen=True)
class GateRequest:
    """Gates that a user requests.

    Attributes
    ----------
    n_gates : parts of a cycle
    signal : name of the triggers; empty: those of a file, else the only ones there are
    within_percent : how far a cycle may be from the median one; None: half to twice as long

    Examples
    --------
    >>> from engine.data.timing.gating import GateRequest
    >>> GateRequest.of("gates=8 of ecg within 20%")
    GateRequest(n_gates=8, signal='ecg', within_percent=20.0)
    """

    n_gates: int
    signal: str = ""
    within_percent: float | None = None

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Read "gates=8 of ecg within 20%"; None where a text says nothing of gates.

        Raises
        ------
        ValueError
            where it does, and not like that
        """
        if not text.lower().startswith("gate"):
            return None
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} does not describe gates; {WANTED}")
        n = int(found["n"])
        if not 1 <= n <= MOST_GATES:
            raise ValueError(f"got {n} gates, expected 1 to {MOST_GATES}")
        percent = None if found["percent"] is None else float(found["percent"])
        return cls(n, (found["signal"] or "").strip().lower(), percent)

    def divide(self, triggers: Sequence[Triggers], over_ms: int) -> TimeDivision:
        """Return the gates of a scan of this length.

        Raises
        ------
        DataError
            where nothing says when cycles began, or no cycle is used
        """
        signal = self._chosen(triggers)
        starts, ends = signal.cycles_ms(over_ms)
        used = self._used(ends - starts)
        if not used.any():
            raise DataError(
                f"none of the {len(starts):,} cycles of {signal.name} in the scan can "
                "be used; check the trigger times, or choose time frames."
            )
        return _divided(starts[used], ends[used], self.n_gates)

    def remark(self, triggers: Sequence[Triggers], over_ms: int) -> str:
        """Say by what cycles gates are, how many and how long those are, and how many are not."""
        signal = self._chosen(triggers)
        starts, ends = signal.cycles_ms(over_ms)
        lengths = ends - starts
        used = self._used(lengths)
        low, high = np.percentile(lengths[used], [5, 95]) / MS
        words = (
            f"Gated by {signal.name}: {used.sum():,} cycles of {np.median(lengths) / MS:.3g} s "
            f"(9 of 10 from {low:.3g} to {high:.3g} s)"
        )
        n_out = int((~used).sum())
        if not n_out:
            return words
        why = (
            f"those that differ by more than {self.within_percent:g} %"
            if self.within_percent is not None
            else "those shorter than half or longer than twice the median"
        )
        return f"{words}; {n_out:,} of {len(used):,} are rejected ({why})"

    def _chosen(self, triggers: Sequence[Triggers]) -> Triggers:
        """Return the triggers that say when cycles began."""
        names = ", ".join(each.name for each in triggers)
        named = [each for each in triggers if each.name == self.signal]
        of_file = [each for each in triggers if each.is_file]
        found = named if self.signal else of_file or triggers
        if len(found) == 1:
            return found[0]
        if not triggers:
            raise DataError(
                "the scan has no triggers of cardiac or respiratory cycles; load a "
                "file of trigger times, or choose time frames."
            )
        if self.signal:
            raise DataError(
                f"the scan has no triggers with the name {self.signal!r}, "
                f"only those of {names}; choose one of them."
            )
        raise DataError(
            f"the scan has triggers of {names}; choose one, such as "
            f'"gates={self.n_gates} of {triggers[0].name}".'
        )

    def _used(self, lengths_ms: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which cycles are near enough to the median one."""
        if not len(lengths_ms):
            return np.zeros(0, bool)
        relative = lengths_ms / np.median(lengths_ms)
        if self.within_percent is not None:
            return np.asarray(np.abs(relative - 1) <= self.within_percent / 100)
        return np.asarray((relative >= USUAL[0]) & (relative <= USUAL[1]))


def _divided(starts: NDArray[np.int64], ends: NDArray[np.int64], n: int) -> TimeDivision:
    """Return every cycle in `n` parts, and the time between cycles in none."""
    marks = starts[:, None] + (ends - starts)[:, None] * np.arange(n + 1) // n
    owners = np.column_stack([np.tile(np.arange(n), (len(starts), 1)), np.full(len(starts), NONE)])
    frames = tuple(
        TimeFrame(
            int(marks[0, k]),
            int(marks[-1, k + 1]),
            Gate(k + 1, n, int((marks[:, k + 1] - marks[:, k]).sum())),
        )
        for k in range(n)
    )
    return TimeDivision(frames, marks.ravel(), owners.ravel()[:-1].astype(np.int64))
