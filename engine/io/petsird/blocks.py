"""Collect the time blocks of a PETSIRD stream: events, movements, rates, signals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError, FileFormatError
from engine.io.petsird.geometry import Geometry, Modules, Tree
from engine.io.petsird.schema import Reader
from engine.io.petsird.stream import EndOfStreamError, YardlStream

COINCIDENCES = (("promptEvents", False), ("delayedEvents", True))
OTHERS = ("singleEvents", "tripleEvents", "quadrupleEvents")
MAX_MS = 2**32 - 1


@dataclass
class Blocks:
    """Data collected from the blocks so far."""

    geometry: Geometry
    name: str
    crystals: list[Array] = field(default_factory=list)
    tof_bins: list[Array] = field(default_factory=list)
    delayed: list[Array] = field(default_factory=list)
    time_ms: list[Array] = field(default_factory=list)
    n_events: int = 0
    n_extra: int = 0
    """Events of module types that the scanner does not have."""
    kinds: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    spans_ms: list[tuple[int, int]] = field(default_factory=list)
    moves: dict[str, list[Array]] = field(default_factory=dict)
    moved_before_events: dict[str, bool] = field(default_factory=dict)
    alive: list[tuple[int, int, Tree]] = field(default_factory=list)
    singles: list[Tree] = field(default_factory=list)
    signals_ms: dict[int, list[int]] = field(default_factory=dict)
    """Start times of the blocks of each external signal."""

    def take(self, kind: str, block: Tree) -> None:
        """Add one block.

        Parameters
        ----------
        kind
            name of its type in the schema
        block
            its fields

        Raises
        ------
        FileFormatError
            if times or detection bins are impossible
        """
        self.kinds[kind] += 1
        interval: Tree = block["timeInterval"]
        start, stop = int(interval["start"]), int(interval["stop"])
        # Event times are stored as uint32 in ms.
        if not start <= stop <= MAX_MS:
            raise FileFormatError(
                f"{self.name}: a time block runs from {start:,} to {stop:,} ms, expected "
                f"increasing times of at most {MAX_MS:,} ms; copy the file again."
            )
        # Other kinds of blocks are counted above and ignored.
        if kind == "EventTimeBlock":
            self._events(block, start, stop)
        elif kind in ("BedMovementTimeBlock", "GantryMovementTimeBlock"):
            self._move(kind, block)
        elif kind == "DeadTimeTimeBlock":
            self.alive.append((start, stop, block["aliveTimeFractions"]))
        elif kind == "SinglesHistogramTimeBlock":
            self.singles.append(block)
        elif kind == "ExternalSignalTimeBlock":
            self.signals_ms.setdefault(int(block["signalID"]), []).append(start)

    def _events(self, block: Tree, start: int, stop: int) -> None:
        # Sorting would be possible, but a step back means that files of two scans were joined.
        if self.spans_ms and start < self.spans_ms[-1][0]:
            raise FileFormatError(
                f"{self.name}: time runs backwards at block {sum(self.kinds.values()) - 1:,}, from "
                f"{self.spans_ms[-1][0]:,} to {start:,} ms; export the blocks of one scan in time "
                "order."
            )
        self.spans_ms.append((start, stop))
        n_before = self.n_events
        for name, is_delayed in COINCIDENCES:
            rows: Sequence[Sequence[Tree]] = block[name]
            for a, row in enumerate(rows):
                for b, events in enumerate(row):
                    # Events are in a triangular matrix of module types: [a][b] with b ≤ a.
                    if a < len(self.geometry.types) and b <= a:
                        self._pairs(events, (a, b), is_delayed)
                    else:
                        self.n_extra += len(events["tofIdx"])
        # PETSIRD has no time for each event, only for its block.
        self.time_ms.append(np.full(self.n_events - n_before, start, np.uint32))
        for name in OTHERS:
            self.others[name] += _n_events(block.get(name))

    def _pairs(self, events: Tree, pair: tuple[int, int], is_delayed: bool) -> None:
        # Columns of all events of a pair of module types, as `engine.io.petsird.schema` reads them.
        bins, tof = np.asarray(events["detectionBins"]), np.asarray(events["tofIdx"])
        if not len(tof):
            return
        crystals = [
            self._crystals(bins[:, end], self.geometry.types[kind]) for end, kind in enumerate(pair)
        ]
        self.crystals.append(np.stack(crystals, -1))
        self.tof_bins.append(self._checked_tof(tof))
        self.delayed.append(np.full(len(tof), is_delayed))
        self.n_events += len(tof)

    def _crystals(self, bins: Array, of: Modules) -> NDArray[np.int32]:
        if len(bins) and int(bins.max()) >= of.n_bins:
            k = int(bins.argmax())
            raise FileFormatError(
                f"{self.name}: an event after event {self.n_events:,} uses detection bin "
                f"{int(bins[k]):,}, but its module type has only {of.n_bins:,} bins; copy the file "
                "again."
            )
        # The energy index varies fastest within a detection bin number.
        return (bins // of.n_energies + of.first_crystal).astype(np.int32)

    def _checked_tof(self, tof: Array) -> NDArray[np.int16]:
        bins = self.geometry.scanner.tof
        if bins is None:
            return np.zeros(len(tof), np.int16)
        if int(tof.max()) >= bins.n_bins:
            raise FileFormatError(
                f"{self.name}: an event after event {self.n_events:,} is in TOF bin "
                f"{int(tof.max()):,}, but the scanner has only {bins.n_bins} TOF bins; copy the "
                "file again."
            )
        return tof.astype(np.int16)

    def _move(self, kind: str, block: Tree) -> None:
        # Files differ in the name of this field.
        given = block.get("transform") or block["transforms"]
        place = np.asarray(given["matrix"], np.float64)
        earlier = self.moves.setdefault(kind, [])
        if not earlier:
            # A bed that is placed before the first event does not move during the scan.
            self.moved_before_events[kind] = not self.n_events
        if not earlier or not np.array_equal(earlier[-1], place):
            earlier.append(place)


def _n_events(tree: object) -> int:
    """Return the number of events in nested lists."""
    if isinstance(tree, dict):
        return len(next(iter(tree.values())))
    return sum(_n_events(each) for each in tree) if isinstance(tree, list) else 0


def read_blocks(
    stream: YardlStream, read: Reader, geometry: Geometry, path: Path
) -> tuple[Blocks, int | None]:
    """Read all blocks of a stream.

    Parameters
    ----------
    stream
        positioned at the first block
    read
        reader of one block, from the schema
    geometry
        scanner of the header
    path
        file, for messages

    Returns
    -------
    blocks, end
        end is None for a complete stream, otherwise the position after the last complete block
    """
    blocks = Blocks(geometry, path.name)
    whole_to = stream.position
    try:
        # yardl streams are sequences of counted batches; a count of 0 ends them.
        while n_items := stream.count():
            for _ in range(n_items):
                found = read(stream)
                if not isinstance(found, tuple):
                    raise stream.damaged()
                # Only complete blocks are used: an incomplete one could lack its delayed events.
                blocks.take(*found)
                whole_to = stream.position
    except EndOfStreamError:
        return blocks, whole_to
    return blocks, None


def refuse_movement(blocks: Blocks, path: Path) -> tuple[str, ...]:
    """Refuse a scan with several positions of bed or gantry.

    Parameters
    ----------
    blocks
        all blocks
    path
        file, for messages

    Returns
    -------
    notes
        position of a bed that does not move during the scan

    Raises
    ------
    DataError
        if bed or gantry move, because their events would be mixed in one image
    """
    notes = []
    for kind in ("BedMovementTimeBlock", "GantryMovementTimeBlock"):
        places = blocks.moves.get(kind, [])
        # A writer can store the identity although nothing moves.
        if all((place == np.eye(3, 4)).all() for place in places):
            continue
        if len(places) > 1 or not blocks.moved_before_events[kind]:
            raise DataError(
                f"{path.name}: the bed or gantry moves during the scan (number of {kind!r}: "
                f"{len(places)}); write one file per position."
            )
        # A moved gantry changes every line, and images refer to the gantry, so it cannot be a note.
        if kind == "GantryMovementTimeBlock":
            raise DataError(
                f"{path.name}: the gantry is not at the position stated in the header; write the "
                "actual crystal positions."
            )
        mm = ", ".join(f"{x:g}" for x in places[0][:, 3])
        notes.append(f"The bed is {mm} mm from its reference; the image is in gantry coordinates.")
    return tuple(notes)
