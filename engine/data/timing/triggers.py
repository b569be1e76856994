"""Triggers: start times of cardiac or respiratory cycles in a scan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

OF_FILE = "the file of trigger times"
"""Name of triggers that came in a file of their own."""


@dataclass(frozen=True, eq=False)
class Triggers:
    """Triggers of one signal.

    Attributes
    ----------
    name : name of the signal, such as "ecg" or "respiration"
    time_ms : (n,) int64, since the scan began, in order, each once

    Examples
    --------
    >>> import numpy as np
    >>> from engine.data.timing.triggers import Triggers
    >>> beats = Triggers.at("ecg", np.array([1900, 100, 1000, 1000]))
    >>> [ends.tolist() for ends in beats.cycles_ms(1500)]
    [[100], [1000]]
    """

    name: str
    time_ms: NDArray[np.int64]

    @classmethod
    def at(cls, name: str, time_ms: NDArray[np.int64]) -> Triggers:
        """Return triggers at moments in any order."""
        return cls(name, np.unique(np.asarray(time_ms, np.int64)))

    @property
    def is_file(self) -> bool:
        """True if a file of their own says them."""
        return self.name == OF_FILE

    def cycles_ms(self, over_ms: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return starts and ends of the cycles that lie whole within a scan of this length."""
        starts, ends = self.time_ms[:-1], self.time_ms[1:]
        whole = (starts >= 0) & (ends <= over_ms)
        return starts[whole], ends[whole]

    def describe(self) -> str:
        """Return how many there are."""
        return f"{len(self.time_ms):,} of {self.name}"
