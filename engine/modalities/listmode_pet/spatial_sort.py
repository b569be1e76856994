"""Sort events in space while they are read, for scans that do not fit in memory.

A scan is read twice. The first pass counts the events of each class of `engine.geometry.order` in
each piece. These counts determine the final position of every event. The second pass can therefore
write the pieces in any order and in several threads, each event once. Events of one class stay in
the order of the file, as in a stable sort. Prompts outside the lines of response follow, then
delayeds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.listmode import ListMode
from engine.data.storage.columns import ColumnStorage, pieces
from engine.geometry.order import N_KEYS, OrderClasses
from engine.io.listmode.event_pieces import EventPiece, EventPieces
from engine.kernels.rays.event_order import AT_ONCE, classify, place

UNSEEN, DELAYED = N_KEYS, N_KEYS + 1
"""Classes of prompts outside the lines of response, and of delayeds; both fit in 16 bits."""
N_CLASSES = N_KEYS + 2
PIECES_BETWEEN = 8
"""Number of pieces before pages leave the memory, because later pieces write to the same pages."""
AHEAD = 2
"""Number of pieces that wait for each thread, so that none waits for the disk."""

Found = TypeVar("Found")
OnEvents = Callable[[int, int], None]
"""Callback for the number of events read and the bytes up to there; may raise to stop."""


class ScanInMemory(EventPieces):
    """A scan in memory that is read in pieces."""

    def __init__(self, data: ListMode) -> None:
        self.scanner, self.name, self.n_bytes = data.scanner, "the scan", 0
        self.max_events, self._data = data.n_events, data

    def pieces(self) -> Iterator[Callable[[], EventPiece]]:
        return (partial(self._piece, rows) for rows in pieces(self.max_events))

    def _piece(self, rows: slice) -> EventPiece:
        part = self._data.select(rows)
        columns = part.delayed, part.time_ms, part.tof_bins, part.additive
        return EventPiece(part.scanner, part.crystals, *columns)

    def take(self, piece: EventPiece) -> None:
        pass  # Its facts were collected when it was read.

    def scan(self) -> ListMode:
        return self._data.select(slice(0, 0))


def sort_in_space(
    source: EventPieces,
    storage: ColumnStorage,
    *,
    threads: int,
    with_times: bool = True,
    on_events: OnEvents | None = None,
) -> ListMode:
    """Return a scan with its events sorted in space.

    Parameters
    ----------
    source
        the scan, which is read twice
    storage
        storage of the columns
    threads
        number of decoding threads
    with_times
        True if the times of events are needed
    on_events
        callback for the progress of the first reading, then of the second

    Raises
    ------
    FileFormatError
        if the file changes between the two readings
    """
    # Classes fit in 16 bits, which halves the memory of a second column of events.
    keys, counts = storage.empty(source.max_events, np.uint16), []
    sample, n_events = None, 0
    classes = OrderClasses.of(source.scanner.positions_mm)
    first = (partial(_classified, classes, decoded) for decoded in source.pieces())
    for found in _in_turn(first, threads):
        source.take(found.piece)
        keys[n_events : n_events + len(found.keys)] = found.keys
        # Counts per piece, so that the second pass knows the start of each class in each piece.
        counts.append(found.counts.astype(np.int32))
        sample, n_events = found.piece, n_events + len(found.keys)
        storage.release_pages()
        _tell(on_events, n_events, found.piece)
    scan = source.scan()
    if sample is None:
        return scan
    # End of each class in the final order; the start of a class is the end of the previous one.
    ends = np.cumsum(np.sum(counts, axis=0, dtype=np.int64), dtype=np.int64)
    columns = _Columns.of(sample, n_events, storage, with_times=with_times)
    n_placed = 0
    second = _placing(source, columns, keys, counts, ends)
    for k, piece in enumerate(_in_turn(second, threads)):
        n_placed += len(piece.crystals)
        if k % PIECES_BETWEEN == 0:
            storage.release_pages()
        _tell(on_events, n_placed, piece)
    # A file that grew while it was read would leave gaps in the columns.
    if n_placed != n_events:
        raise _changed(source)
    return columns.of_scan(scan, storage, int(ends[UNSEEN - 1]), int(ends[DELAYED - 1]))


@dataclass(frozen=True)
class _Classified:
    """A piece of a scan with the class of each event, and the size of each class."""

    piece: EventPiece
    keys: NDArray[np.uint16]
    counts: NDArray[np.int64]


def _classified(classes: OrderClasses, decoded: Callable[[], EventPiece]) -> _Classified:
    piece = decoded()
    other = np.where(piece.live, np.uint16(0), np.uint16(UNSEEN))
    if piece.delayed is not None:
        other[piece.delayed] = DELAYED
    keys, counts = np.empty(len(other), np.uint16), np.zeros(N_CLASSES, np.int64)
    table = classes.points_mm, classes.low, classes.scale
    # Work arrays belong to the call, so threads do not share them.
    crystals, work = np.ascontiguousarray(piece.crystals, np.int32), np.empty((6, AT_ONCE), "f4")
    classify(*table, crystals, other, work, keys, counts)
    return _Classified(piece, keys, counts)


def _placing(
    source: EventPieces,
    columns: _Columns,
    keys: NDArray[np.uint16],
    counts: list[NDArray[np.int32]],
    ends: NDArray[np.int64],
) -> Iterator[Callable[[], EventPiece]]:
    """Yield functions that decode each piece again and put its events in place."""
    starts, at = np.concatenate([[0], ends[:-1]]), 0
    for n_each, decoded in zip(counts, source.pieces(), strict=False):
        rows = slice(at, at + int(n_each.sum()))
        # A copy, because the thread advances its own positions.
        yield partial(_placed, source, columns, keys[rows], starts.copy(), decoded)
        starts, at = starts + n_each, rows.stop


def _placed(
    source: EventPieces,
    columns: _Columns,
    keys: NDArray[np.uint16],
    starts: NDArray[np.int64],
    decoded: Callable[[], EventPiece],
) -> EventPiece:
    piece = decoded()
    if len(piece.crystals) != len(keys):
        raise _changed(source)
    columns.place(piece, keys, starts)
    return piece


def _changed(source: EventPieces) -> FileFormatError:
    return FileFormatError(
        f"{source.name}: the file changed while it was read; wait until it is complete "
        "and open it again."
    )


# Delayeds need no column: their position behind all prompts identifies them.
NAMES = ("crystals", "time_ms", "tof_bins", "additive")
"""Columns of the events. The position of an event shows if it is delayed."""


@dataclass(frozen=True)
class _Columns:
    """The columns of all events, by name."""

    all: dict[str, Array]

    @classmethod
    def of(
        cls, sample: EventPiece, n_events: int, storage: ColumnStorage, *, with_times: bool
    ) -> _Columns:
        """Allocate the columns; a sample shows which ones exist."""
        found = {}
        for name in NAMES:
            column = getattr(sample, name)
            if column is not None and (with_times or name != "time_ms"):
                found[name] = storage.empty((n_events, *column.shape[1:]), column.dtype)
        return cls(found)

    def place(self, piece: EventPiece, keys: NDArray[np.uint16], starts: NDArray[np.int64]) -> None:
        """Put the events of a piece behind those of the same classes in earlier pieces."""
        for name, column in self.all.items():
            values = np.ascontiguousarray(getattr(piece, name))
            place(keys, starts.copy(), _as_numbers(values), _as_numbers(column))

    def of_scan(
        self, scan: ListMode, storage: ColumnStorage, n_ordered: int, n_prompts: int
    ) -> ListMode:
        """Return the scan with these columns."""
        n_events, delayed = len(self.all["crystals"]), None
        # Delayeds are last, so one comparison per event recreates their column.
        if n_prompts < n_events:
            delayed = storage.filled(
                n_events, np.bool_, lambda rows: np.arange(rows.start, rows.stop) >= n_prompts
            )
        # Read-only, because other code shares these arrays.
        for column in self.all.values():
            column.flags.writeable = False
        return replace(
            scan,
            crystals=self.all["crystals"],
            delayed=delayed,
            time_ms=self.all.get("time_ms"),
            tof_bins=self.all.get("tof_bins"),
            additive=self.all.get("additive"),
            storage=storage,
            n_ordered=n_ordered,
        )


def _as_numbers(column: Array) -> Array:
    """Return pairs of crystals as one number each, so that one kernel moves all columns."""
    return column.view(np.int64).reshape(-1) if column.ndim == 2 else column


def _tell(on_events: OnEvents | None, n_events: int, piece: EventPiece) -> None:
    if on_events is not None:
        on_events(n_events, piece.end_byte)


def _in_turn(work: Iterator[Callable[[], Found]], threads: int) -> Iterator[Found]:
    """Run functions in threads, a little ahead, and yield their results in order."""
    waiting: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for each in work:
                waiting.append(pool.submit(each))
                if len(waiting) > AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # After an error, pieces that have not started must not delay its report.
            for each_left in waiting:
                each_left.cancel()
