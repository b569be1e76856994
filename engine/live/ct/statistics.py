"""Statistics of a live reconstruction: rates, latency, losses and memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import monotonic

import numpy as np

from engine.core.json_types import Plain

RECENT_S = 5.0
"""Rates and latencies are averages over this time."""


@dataclass(frozen=True)
class LiveStatistics:
    """Statistics at one time.

    Attributes
    ----------
    frames_per_s : projections per second
    refresh_hz : images per second
    latency_ms_median, latency_ms_p99 : time from the arrival of a frame to the first image with it;
        NaN before the first
    frames, dropped : received projections, and those that were lost or not processed in time
    used : projections in images
    views, covered_deg : views of the newest image, and the angle that they cover
    memory_mib : memory of views and slices
    """

    frames_per_s: float = 0.0
    refresh_hz: float = 0.0
    latency_ms_median: float = float("nan")
    latency_ms_p99: float = float("nan")
    frames: int = 0
    dropped: int = 0
    used: int = 0
    views: int = 0
    covered_deg: float = 0.0
    memory_mib: float = 0.0

    def to_json(self) -> Plain:
        """Return the statistics by name; None for unknown values."""
        return {
            name: None if isinstance(value, float) and np.isnan(value) else value
            for name, value in asdict(self).items()
        }


class Figures:
    """Counts frames and images, in one thread."""

    def __init__(self) -> None:
        self.frames = self.used = 0
        self.lost = 0
        self._received: deque[float] = deque()
        self._refreshed: deque[float] = deque()
        self._latencies: deque[tuple[float, float]] = deque()
        # Arrival times of frames that no image contains yet
        self._not_shown: list[float] = []

    def count(self, arrived_s: Sequence[float], lost: int) -> None:
        """Count received projections.

        Parameters
        ----------
        arrived_s
            times of arrival, by `time.monotonic` [s]
        lost
            projections that were lost before them
        """
        self.frames += len(arrived_s)
        self.lost += lost
        self._received.extend(arrived_s)

    def using(self, arrived_s: Sequence[float]) -> None:
        """Count projections that the next image contains."""
        self.used += len(arrived_s)
        self._not_shown.extend(arrived_s)

    def showed(self) -> None:
        """Count an image that is shown now."""
        now = monotonic()
        self._refreshed.append(now)
        self._latencies.extend((now, now - arrived) for arrived in self._not_shown)
        self._not_shown.clear()
        while self._latencies and now - self._latencies[0][0] > RECENT_S:
            self._latencies.popleft()

    def at(self, views: int, covered_rad: float, n_bytes: int) -> LiveStatistics:
        """Return the statistics now.

        Parameters
        ----------
        views
            views of the newest image
        covered_rad
            angle that they cover
        n_bytes
            memory of views and slices
        """
        median, p99 = float("nan"), float("nan")
        if self._latencies:
            late = [seconds for _, seconds in self._latencies]
            median, p99 = (float(1e3 * value) for value in np.percentile(late, (50, 99)))
        return LiveStatistics(
            _rate(self._received),
            _rate(self._refreshed),
            median,
            p99,
            self.frames,
            self.lost,
            self.used,
            views,
            float(np.degrees(covered_rad)),
            n_bytes / 2**20,
        )


def _rate(moments: deque[float]) -> float:
    """Return the number per second over the last seconds; older moments are discarded."""
    while moments and moments[-1] - moments[0] > RECENT_S:
        moments.popleft()
    if len(moments) < 2 or moments[-1] <= moments[0]:
        return 0.0
    # Intervals, not moments: one fewer
    return (len(moments) - 1) / (moments[-1] - moments[0])
