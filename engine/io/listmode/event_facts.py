"""Summarise list mode of any size: counts, and a sample of its events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from engine.core.arrays import Array
from engine.data.listmode import ListMode
from engine.io.listmode.event_pieces import EventPiece, EventPieces

if TYPE_CHECKING:
    from engine.io.base import ListModeReader
    from engine.io.safety.open_input import InputFile

SAMPLE = 64
"""Number of prompts and of delayeds in the sample."""


@dataclass(frozen=True, eq=False)
class EventFacts:
    """A scan with a sample of its events.

    Attributes
    ----------
    sample : the scan with some of its first events, delayeds included
    n_prompts, n_delayed : numbers in the whole scan
    times_ms : first and last time of an event; None if not recorded
    """

    sample: ListMode
    n_prompts: int
    n_delayed: int
    times_ms: tuple[int, int] | None

    @classmethod
    def of(cls, data: ListMode) -> Self:
        """Return the facts of a scan in memory."""
        rows = np.arange(min(SAMPLE, data.n_events))
        if data.delayed is not None:
            # Scans with few randoms have none among their first events.
            delayeds = np.flatnonzero(data.delayed)[:SAMPLE]
            rows = np.concatenate([rows, delayeds[delayeds >= len(rows)]])
        times = None
        if data.time_ms is not None and data.n_events:
            times = int(data.time_ms.min()), int(data.time_ms.max())
        return cls(data.select(rows), data.n_prompts, data.n_delayed, times)

    @classmethod
    def of_pieces(cls, source: EventPieces) -> Self:
        """Return the facts of a scan that is read in pieces.

        Parameters
        ----------
        source
            events of the scan, which are all decoded once

        Raises
        ------
        EngineError
            if the file is damaged
        """
        selected: list[EventPiece] = []
        n_events = n_delayed = n_found = 0
        times: list[int] = []
        for decoded in source.pieces():
            piece = decoded()
            source.take(piece)
            late = 0 if piece.delayed is None else int(np.count_nonzero(piece.delayed))
            # Keep only the pieces that the sample needs: the others would fill the memory.
            if n_events < SAMPLE or (late and n_found < SAMPLE):
                selected.append(piece)
            n_events, n_delayed = n_events + len(piece.crystals), n_delayed + late
            n_found += late
            if piece.time_ms is not None and len(piece.time_ms):
                times += int(piece.time_ms.min()), int(piece.time_ms.max())
        # `scan` is complete only after all pieces: duration and notes depend on the last event.
        few = cls.of(_joined(source.scan(), selected))
        span = (min(times), max(times)) if times else None
        return cls(few.sample, n_events - n_delayed, n_delayed, span)

    @property
    def n_events(self) -> int:
        """Number of events, prompts and delayeds."""
        return self.n_prompts + self.n_delayed


def facts_of(
    reader: type[ListModeReader], file: InputFile, *, scanner: str | None = None
) -> EventFacts:
    """Return the facts of a list-mode file.

    Parameters
    ----------
    reader
        reader that accepts the file
    file
        open file
    scanner
        name or file of a scanner, if the file does not state it
    """
    # In pieces if the reader can, so that inspecting a file of 100 GB needs little memory.
    with reader.pieces(file, scanner=scanner) as source:
        if source is not None:
            return EventFacts.of_pieces(source)
    return EventFacts.of(reader.read(file, scanner=scanner))


def _joined(scan: ListMode, selected: list[EventPiece]) -> ListMode:
    """Return a scan with the events of some pieces."""

    def joined(parts: list[Array | None]) -> Array | None:
        known = [part for part in parts if part is not None]
        return np.concatenate(known) if known else None

    return replace(
        scan,
        crystals=np.concatenate([scan.crystals, *(piece.crystals for piece in selected)]),
        delayed=joined([piece.delayed for piece in selected]),
        time_ms=joined([piece.time_ms for piece in selected]),
        tof_bins=joined([piece.tof_bins for piece in selected]),
        additive=joined([piece.additive for piece in selected]),
    )
