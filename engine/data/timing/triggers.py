"""Triggers: start times of cardiac or respiratory cycles in a scan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

OF_FILE = "the file of trigger times"
"""Name of triggers from a separate file."""


@dataclass(frozen=True, eq=False)
class Triggers:
    """Triggers of one signal.

    Attributes
    ----------
    name : name of the signal, such as "ecg" or "respiration"
    time_ms : (n,) int64, since the start of the scan, in order, without duplicates

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
        """Return triggers from times in any order.

        Parameters
        ----------
        name
            name of the signal
        time_ms
            times since the start of the scan; duplicates are removed
        """
        return cls(name, np.unique(np.asarray(time_ms, np.int64)))

    @property
    def is_file(self) -> bool:
        """True if they come from a separate file."""
        return self.name == OF_FILE

    def cycles_ms(self, over_ms: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the complete cycles of a scan.

        Parameters
        ----------
        over_ms
            length of the scan

        Returns
        -------
        starts and ends of the cycles, (n,) each
        """
        starts, ends = self.time_ms[:-1], self.time_ms[1:]
        # Incomplete cycles at both ends would give gates of unequal phase.
        whole = (starts >= 0) & (ends <= over_ms)
        return starts[whole], ends[whole]

    def describe(self) -> str:
        """Return their number and name."""
        return f"{len(self.time_ms):,} of {self.name}"
