"""Statistics of a live list-mode reconstruction: count rates, images, delays and losses."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.listmode import ListMode
from engine.live.pet.event_batch import EventBatch

RECENT_S = 5.0
"""Rates of images are averages over this time."""
RATE_S = 1.0
"""Count rates are those of the newest second of the scan."""


@dataclass(frozen=True)
class LivePetStatistics:
    """Statistics at one time.

    Attributes
    ----------
    prompts_per_s, delayeds_per_s : count rates in the newest second of the scan
    refresh_hz : images per second
    behind_s : longest time in the last seconds from the arrival of the newest event of an image to
        the
        next image: greatest age of the shown image; NaN before the second image
    events, dropped : received events, and those that were lost, not processed or not stored
    image_events : prompts in the image
    image_from_s, image_until_s : times of the first and the last of them in the scan
    randoms_percent : delayeds in percent of prompts; NaN without delayeds
    memory_mib : memory of the stored events
    """

    prompts_per_s: float = 0.0
    delayeds_per_s: float = 0.0
    refresh_hz: float = 0.0
    behind_s: float = float("nan")
    events: int = 0
    dropped: int = 0
    image_events: int = 0
    image_from_s: float = 0.0
    image_until_s: float = 0.0
    randoms_percent: float = float("nan")
    memory_mib: float = 0.0

    def to_json(self) -> Plain:
        """Return the statistics by name; None for unknown values."""
        return {
            name: None if isinstance(value, float) and np.isnan(value) else value
            for name, value in asdict(self).items()
        }


class PetFigures:
    """Counts events and images, in one thread."""

    def __init__(self) -> None:
        self.events = self.lost = 0
        self._counted: deque[tuple[float, int, int]] = deque()
        self._shown: deque[float] = deque()
        self._behind: deque[tuple[float, float]] = deque()
        self._newest_arrived: float | None = None
        self._shown_arrived: float | None = None
        self._blocks: deque[tuple[float, NDArray[np.int64]]] = deque()

    def restart(self) -> None:
        """Discard the counts of the previous scan, but not the losses."""
        self._counted.clear()
        self._blocks.clear()

    def count(self, batch: EventBatch) -> None:
        """Count a batch, and the losses before it.

        Parameters
        ----------
        batch
            next batch of the source
        """
        events = batch.events
        self.events += events.n_events
        self.lost += batch.lost
        self._newest_arrived = batch.arrived_s
        now_s = batch.span_s[1]
        self._counted.append((now_s, events.n_prompts, events.n_delayed))
        self._blocks.append((now_s, _of_blocks(events)))
        # By the time of the scan, not of the clock: a replay may run faster
        while now_s - self._counted[0][0] >= RATE_S - 1e-3:
            self._counted.popleft()
        while now_s - self._blocks[0][0] >= RATE_S - 1e-3:
            self._blocks.popleft()

    def showed(self) -> None:
        """Count an image that is shown now, with all events so far."""
        now = monotonic()
        self._shown.append(now)
        if self._shown_arrived is not None:
            # The image before was shown until now, so its age is greatest now
            self._behind.append((now, now - self._shown_arrived))
        self._shown_arrived = self._newest_arrived
        while self._shown and now - self._shown[0] > RECENT_S:
            self._shown.popleft()
        while self._behind and now - self._behind[0][0] > RECENT_S:
            self._behind.popleft()

    @property
    def blocks(self) -> NDArray[np.int64] | None:
        """Line ends in each detector block in the newest second, (n_blocks,)."""
        counts: NDArray[np.int64] | None = None
        for _, each in self._blocks:
            counts = each if counts is None else counts + each
        return counts

    def at(
        self, image_events: int, span_s: tuple[float, float], n_bytes: int, left_out: int
    ) -> LivePetStatistics:
        """Return the statistics now.

        Parameters
        ----------
        image_events
            prompts in the image
        span_s
            times of the first and the last of them [s]
        n_bytes
            memory of the stored events
        left_out
            events for which there was no memory
        """
        prompts = sum(each[1] for each in self._counted)
        delayeds = sum(each[2] for each in self._counted)
        behind = max((each[1] for each in self._behind), default=float("nan"))
        rate = 0.0
        if len(self._shown) > 1:
            rate = (len(self._shown) - 1) / max(self._shown[-1] - self._shown[0], 1e-9)
        return LivePetStatistics(
            prompts / RATE_S,
            delayeds / RATE_S,
            rate,
            behind,
            self.events,
            self.lost + left_out,
            image_events,
            *span_s,
            100 * delayeds / prompts if prompts and delayeds else float("nan"),
            n_bytes / 2**20,
        )


def _of_blocks(events: ListMode) -> NDArray[np.int64]:
    groups = events.scanner.groups
    ends = groups[events.crystals.ravel()]
    return np.bincount(ends, minlength=int(groups.max()) + 1)
