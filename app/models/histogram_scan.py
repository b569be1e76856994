"""What the window keeps of a histogram of two panels: facts, and its sums on one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.data.histogram import Histogram, with_settings
from engine.data.listmode import ListMode
from engine.geometry.dual_head import DualHead


@dataclass(frozen=True)
class HistogramScan:
    """A histogram.

    Attributes
    ----------
    scanner : two panels
    sums : the same on a scanner of one line, to ask corrections about
    facts : what it is, by name
    notes : what the reader wants the user to know
    n_columns : values that each line has
    rods : where the rods of the Derenzo phantom lie that was simulated; None: not known
    """

    scanner: DualHead
    sums: Histogram
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    n_columns: int = 1
    rods: dict[str, Any] | None = None

    @classmethod
    def of(cls, data: Histogram, facts: tuple[tuple[str, str], ...]) -> HistogramScan:
        """Keep the facts and sums of a histogram."""
        sums = summed(
            data.scanner,
            data.n_prompts,
            data.n_delayeds,
            additive=data.additive is not None,
            normalisation=data.normalisation is not None,
        )
        columns = (data.prompts, data.delayeds, data.additive, data.normalisation)
        n_columns = sum(values is not None for values in columns)
        return cls(data.scanner, sums, facts, data.notes, n_columns, data.info.get("rods"))


def summed(
    scanner: DualHead,
    n_prompts: float,
    n_delayeds: float,
    *,
    additive: bool = False,
    normalisation: bool = False,
) -> Histogram:
    """Return a histogram of a single line that has what the whole one has."""
    one = with_settings(scanner, n_rows=1, n_columns=1, n_layers=1, block_crystals=1)
    there = np.ones(1, np.float32)
    return Histogram(
        one,
        np.full(1, n_prompts, np.float32),
        np.full(1, n_delayeds, np.float32) if n_delayeds else None,
        additive=there if additive else None,
        normalisation=there if normalisation else None,
    )


def summed_events(events: ListMode) -> Histogram:
    """Return the same for a list-mode scan of two panels that will be counted on its lines."""
    if not isinstance(events.scanner, DualHead):
        raise TypeError(f"{events.scanner.name} has no two panels")
    return summed(events.scanner, events.n_prompts, events.n_delayed)
