"""Scattered coincidences as the scan supplies them: an expected count for each event."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from engine.backend import Backend
from engine.corrections.base import Correction
from engine.data.listmode import ListMode


class Scatter(Correction[ListMode]):
    """Additive background that came with the events (column `additive`)."""

    title: ClassVar[str] = "Scatter"
    kind: ClassVar[str] = "scatter"

    def obstacle(self, data: ListMode) -> str | None:
        if data.additive is None:
            return "the scan brings no scatter estimate (an additive term for each event)"
        return None

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        if data.additive is None:
            return data
        earlier = 0 if data.background is None else data.background
        return replace(data, background=(data.additive + earlier).astype(np.float32))

    def summary(self, before: ListMode, after: ListMode) -> str:
        if before.additive is None or not before.n_events:
            return "no events"
        mean = float(np.mean(before.additive))
        return f"supplied with {before.n_events:,} events, {mean:.3g} expected counts on average"
