"""Copies to an emulated GPU that stay pending until a stream or the host waits for them."""

from __future__ import annotations

from collections import deque

import numpy as np


class LateCopies:
    """Copies of the second stream, done in order and as late as CUDA allows.

    Until a copy is done, its target contains NaN or 0, so a kernel that reads too early gives
    wrong results.

    Attributes
    ----------
    n_queued : copies queued so far
    """

    def __init__(self) -> None:
        self._pending: deque[tuple[np.ndarray, np.ndarray]] = deque()
        self.n_queued = 0

    def put(self, values: np.ndarray, target: np.ndarray) -> None:
        """Queue a copy; the caller may change `values` immediately."""
        self._pending.append((values.copy(), target))
        self.n_queued += 1
        target.fill(np.nan if target.dtype.kind == "f" else 0)

    def land(self, up_to: int | None = None) -> None:
        """Do the first `up_to` copies of the queue, or all of them without a number."""
        last = self.n_queued if up_to is None else up_to
        while self._pending and self.n_queued - len(self._pending) < last:
            values, target = self._pending.popleft()
            target[...] = values
