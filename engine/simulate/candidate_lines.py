"""Lines of a scanner that can see a phantom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner
from engine.simulate.phantom import Phantom


@dataclass(frozen=True)
class CandidateLines:
    """Selected lines of a scanner, numbered 0 to len - 1: `n_each` in a row from every start.

    Attributes
    ----------
    starts : (m,) ascending line numbers
    n_each : number of lines from each start
    """

    # Runs instead of single numbers: a whole-body scanner has 10⁹ lines, too many for a list.

    scanner: Scanner
    starts: NDArray[np.int64]
    n_each: int

    def __len__(self) -> int:
        return len(self.starts) * self.n_each

    def crystals(self, counted: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the crystals (n, 2) of the candidates with these numbers."""
        row, place = np.divmod(counted, self.n_each)
        return self.scanner.lors(self.starts[row] + place)


def all_lines(scanner: Scanner) -> CandidateLines:
    """Return every line of a scanner."""
    return CandidateLines(scanner, np.zeros(1, np.int64), scanner.n_lors)


def lines_near(phantom: Phantom, scanner: Scanner) -> CandidateLines:
    """Return the lines that pass the activity of a phantom, seen along z.

    Parameters
    ----------
    phantom
        phantom, which decides by `may_cross_activity`
    scanner
        other scanners than rings return all lines
    """
    if not isinstance(scanner, RingScanner):
        return all_lines(scanner)
    # Lines with the same projection across z have consecutive numbers, one for each ring pair.
    n_pairs = len(scanner.ring_pairs)
    starts = np.arange(scanner.n_lors // n_pairs, dtype=np.int64) * n_pairs
    ends = scanner.positions_mm[scanner.lors(starts)]
    near = phantom.may_cross_activity(ends[:, 0], ends[:, 1])
    return CandidateLines(scanner, starts[near], n_pairs)
