"""Scattered coincidences as the scan supplies them: an expected count for each event."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.arrays import Array
from engine.backend import Backend
from engine.corrections.base import Additive
from engine.data.listmode import ListMode


class Scatter(Additive[ListMode]):
    """Additive background that came with the events (column `additive`)."""

    title: ClassVar[str] = "Scatter"
    kind: ClassVar[str] = "scatter"
    since: ClassVar[int | None] = 1

    def obstacle(self, data: ListMode) -> str | None:
        if data.additive is None:
            return "the scan brings no scatter estimate (an additive term for each event)"
        return None

    def expected(self, data: ListMode, *, on: Backend) -> Array:
        return np.zeros(data.n_events) if data.additive is None else data.additive

    def summary(self, before: ListMode, after: ListMode) -> str:
        if before.additive is None or not before.n_events:
            return "no events"
        mean = float(np.mean(before.additive))
        return f"supplied with {before.n_events:,} events, {mean:.3g} expected counts on average"
