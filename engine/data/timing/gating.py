"""Gates: parts of a repeated cardiac or respiratory cycle.

A trigger begins a cycle, the next one ends it. In a cycle from t_i to t_(i+1), gate g of n contains

    t_i + (g − 1)/n (t_(i+1) − t_i) ≤ t < t_i + g/n (t_(i+1) − t_i)

in whole ms. With c the median cycle length, cycles shorter than c / 2 or longer than 2 c are
rejected, because a trigger is false or missing. If the user sets p, cycles that differ from c by
more than p % are rejected instead.
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

MAX_GATES = 100
TYPICAL_RATIO = (0.5, 2.0)
"""Range of accepted cycle lengths, relative to the median."""
_TEXT = re.compile(
    r"gates\s*=\s*(?P<n>\d+)(?:\s+of\s+(?P<signal>.+?))?"
    r"(?:\s+within\s+(?P<percent>\d+(?:\.\d*)?)\s*%)?",
    re.IGNORECASE,
)
WANTED = "Expected gates=8, gates=8 of ecg, or gates=8 of ecg within 20%."


@dataclass(frozen=True)
class GateRequest:
    """Gates that a user requests.

    Attributes
    ----------
    n_gates : number of gates in a cycle
    signal : name of the triggers; empty: those of a file, else the only ones
    within_percent : maximum difference from the median cycle; None: half to twice as long

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
        """Parse "gates=8 of ecg within 20%".

        Parameters
        ----------
        text
            the request

        Returns
        -------
        the request; None if the text does not begin with "gate"

        Raises
        ------
        ValueError
            if it begins with "gate" but is not valid
        """
        if not text.lower().startswith("gate"):
            return None
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} does not describe gates. {WANTED}")
        n = int(found["n"])
        if not 1 <= n <= MAX_GATES:
            raise ValueError(f"got {n} gates, expected 1 to {MAX_GATES}")
        percent = None if found["percent"] is None else float(found["percent"])
        return cls(n, (found["signal"] or "").strip().lower(), percent)

    def divide(self, triggers: Sequence[Triggers], over_ms: int) -> TimeDivision:
        """Divide a scan into gates.

        Parameters
        ----------
        triggers
            triggers of all signals of the scan
        over_ms
            length of the scan

        Raises
        ------
        DataError
            if the triggers are missing or ambiguous, or no cycle is accepted
        """
        signal = self._chosen(triggers)
        starts, ends = signal.cycles_ms(over_ms)
        used = self._used(ends - starts)
        # Otherwise the gates would be empty and fail later, without the cause.
        if not used.any():
            raise DataError(
                f"none of the {len(starts):,} cycles of {signal.name!r} in the scan can "
                "be used; check the trigger times, or choose time frames."
            )
        return _divided(starts[used], ends[used], self.n_gates)

    def warning(self, triggers: Sequence[Triggers], over_ms: int) -> str:
        """Describe the cycles: signal, number, length, and how many were rejected.

        Parameters
        ----------
        triggers
            triggers of all signals of the scan
        over_ms
            length of the scan
        """
        signal = self._chosen(triggers)
        starts, ends = signal.cycles_ms(over_ms)
        lengths = ends - starts
        used = self._used(lengths)
        # 5 % to 95 %: single extreme cycles would hide the usual range.
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
        """Return the triggers that define the cycles."""
        names = ", ".join(each.name for each in triggers)
        named = [each for each in triggers if each.name == self.signal]
        # A file of trigger times was loaded on purpose, so it comes before signals in the scan.
        of_file = [each for each in triggers if each.is_file]
        found = named if self.signal else of_file or triggers
        if len(found) == 1:
            return found[0]
        if not triggers:
            raise DataError(
                "the scan has no cardiac or respiratory triggers; load a file of trigger "
                "times, or choose time frames."
            )
        if self.signal:
            raise DataError(f"the scan has no triggers named {self.signal!r}; choose from {names}.")
        raise DataError(
            f"the scan has triggers of several signals ({names}); choose one, such as "
            f'"gates={self.n_gates} of {triggers[0].name}".'
        )

    def _used(self, lengths_ms: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the accepted cycles."""
        if not len(lengths_ms):
            return np.zeros(0, bool)
        # The median is robust against the false and missing triggers that are to be rejected.
        relative = lengths_ms / np.median(lengths_ms)
        if self.within_percent is not None:
            return np.asarray(np.abs(relative - 1) <= self.within_percent / 100)
        return np.asarray((relative >= TYPICAL_RATIO[0]) & (relative <= TYPICAL_RATIO[1]))


def _divided(starts: NDArray[np.int64], ends: NDArray[np.int64], n: int) -> TimeDivision:
    """Return the division with n gates for each cycle; time between cycles belongs to no gate."""
    # Integer division keeps whole ms, and neighbouring gates share their edge exactly.
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
