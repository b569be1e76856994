"""Dead time that changes during a scan: live time of a frame relative to the scan.

A coincidence is counted while both of its crystals are live. l_c(t) is the live fraction of crystal
c, L_c its mean over the scan, which weights the lines, and w_c the number of its events:

    a(t) = Σ w_c l_c(t) / L_c / Σ w_c,    r_f = (mean of a² over frame f) / (mean over the scan)

One count of the frame represents 1 / r_f counts. This is exact if all crystals change alike.
Otherwise it is one mean factor for all lines of a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class LiveTimes:
    """Live fraction of crystal pairs over time.

    Attributes
    ----------
    starts_ms : (n,) int64, since the start of the scan, in order; the first also applies before
    pairs : (n,) float64, a² from each start on

    Examples
    --------
    >>> import numpy as np
    >>> from engine.data.timing.live_time import LiveTimes
    >>> half = LiveTimes(np.array([0, 1000]), np.array([0.5, 1.0]))
    >>> half.ratio(np.array([[0, 500]]), over_ms=2000)
    0.6666666666666666
    """

    starts_ms: NDArray[np.int64]
    pairs: NDArray[np.float64]

    @classmethod
    def of(
        cls, starts_ms: Sequence[int], parts: Sequence[ArrayLike], weights: NDArray[np.int64]
    ) -> Self:
        """Return the mean live times of crystal pairs.

        Parameters
        ----------
        starts_ms
            start of each row of `parts`, in any order
        parts
            (n_crystals,) each, l_c / L_c
        weights
            (n_crystals,) w_c, not all 0
        """
        # Readers deliver rows in the order of the file, which need not be the order of time.
        order = np.argsort(np.asarray(starts_ms, np.int64), kind="stable")
        means = np.array([np.average(np.asarray(part), weights=weights) for part in parts])
        return cls(np.asarray(starts_ms, np.int64)[order], means[order] ** 2)

    def ratio(self, parts_ms: NDArray[np.int64], *, over_ms: int) -> float:
        """Return r of a frame.

        Parameters
        ----------
        parts_ms
            (n, 2) starts and ends of the parts of the frame
        over_ms
            length of the scan

        Returns
        -------
        live time relative to the scan; 0 if the scanner was never live
        """
        whole = self._mean(np.array([[0, over_ms]]))
        return self._mean(parts_ms) / whole if whole else 0.0

    def _mean(self, parts_ms: NDArray[np.int64]) -> float:
        starts = self.starts_ms.astype(np.float64)
        low, high = min(starts[0], float(parts_ms.min())), max(starts[-1], float(parts_ms.max()))
        # The integral of a piecewise constant function is linear between its steps, so
        # interpolation is exact.
        edges = np.concatenate([[low], starts[1:], [high]])
        alive_ms = np.concatenate([[0.0], np.cumsum(np.diff(edges) * self.pairs)])
        first, last = np.interp(parts_ms.T, edges, alive_ms)
        lengths = parts_ms[:, 1] - parts_ms[:, 0]
        return float((last - first).sum() / lengths.sum())
