"""How the events of a subset reach the kernels: all on the device, or in chunks from the host.

Chunks come through two buffers: while the kernels work on one, the other is filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.core.arrays import Array as HostArray
from engine.core.backend.gpu import Array, Gpu, Stamp
from engine.core.errors import DeviceMemoryError
from engine.kernels.compiled import Arguments
from engine.kernels.rays.device_rays import DeviceRays, Placed
from engine.kernels.rays.slice_tracing import EventRows

SMALLEST_CHUNK = 2**16
LARGEST_CHUNK = 2**24
_USABLE = 0.85
"""Part of the free memory that events may take."""


@dataclass(frozen=True)
class Chunk:
    """Rows on the device, with their background (None: none) and room for expected counts."""

    placed: Placed
    background: Array | None
    expected: Array


class EventStream(Protocol):
    """The events, subset by subset."""

    rows_per_chunk: int

    def chunks(self, k: int) -> Iterator[Chunk]:
        """Yield the events of subset k; what is queued on one must be queued before the next."""
        ...


class Resident:
    """All events on the device, sent there once."""

    def __init__(self, rays: DeviceRays, background: HostArray | None, n_subsets: int) -> None:
        whole = rays.placed()
        sizes = subset_sizes(rays.n_rows, n_subsets)
        self.rows_per_chunk = max(sizes, default=0)
        expected = rays.gpu.empty((max(self.rows_per_chunk, 1),), rays.dtype)
        self._chunks = []
        for k, n in enumerate(sizes):
            placed = Placed(
                whole.ends, whole.bins, whole.first + k * whole.step, whole.step * n_subsets, n
            )
            rest = None
            if background is not None:
                part = np.ascontiguousarray(background[k::n_subsets], rays.dtype)
                rest = rays.gpu.upload(part)
            self._chunks.append(Chunk(placed, rest, expected))

    def chunks(self, k: int) -> Iterator[Chunk]:
        """Yield the one chunk of subset k."""
        yield self._chunks[k]


class Streamed:
    """Events in the host's memory, page-locked and subset after subset, sent in chunks.

    All events in one subset stay where they are: no second copy of them is taken.
    """

    def __init__(
        self, rays: DeviceRays, background: HostArray | None, n_subsets: int, chunk: int
    ) -> None:
        self._rays, self._gpu = rays, rays.gpu
        chunk = max(min(chunk, -(-rays.n_rows // n_subsets)), 1)
        self.rows_per_chunk = chunk
        # sorted by subset on the host: a chunk is then one contiguous copy, and the bus carries no
        # event of another subset
        self._parts = [self._pinned(rays.rows, background, k, n_subsets) for k in range(n_subsets)]
        self._buffers = [self._buffer(self._parts[0], chunk) for _ in range(2)]
        self._expected = [rays.gpu.empty((chunk,), rays.dtype) for _ in range(2)]
        self._free: list[Stamp | None] = [None, None]
        rays.gpu.wait()  # what used this memory before must not meet the second stream

    def chunks(self, k: int) -> Iterator[Chunk]:
        """Yield subset k, the copy of a chunk beside the work on the one before."""
        part = self._parts[k]
        n = len(part[0])
        for i, start in enumerate(range(0, n, self.rows_per_chunk)):
            stop = min(start + self.rows_per_chunk, n)
            # the caller queues its kernels before it asks for the next chunk: so the stamp after
            # the yield lies behind them
            yield self._fill(part, i % 2, start, stop)
            self._release(i % 2)

    def _fill(self, part: Arguments, which: int, start: int, stop: int) -> Chunk:
        """Copy rows into a buffer once the kernels that read it last are done."""
        n_bytes = sum(column[start:stop].nbytes for column in part if column is not None)
        # the copies of the second stream do not wait for the kernels of the first
        with self._gpu.copying():
            before = self._free[which]
            if before is not None:
                self._gpu.wait_for(before)
            with self._rays.profiler.span("upload", events=stop - start, bytes=n_bytes):
                columns = [
                    None
                    if column is None or buffer is None
                    else self._gpu.upload(column[start:stop], buffer[: stop - start])
                    for column, buffer in zip(part, self._buffers[which], strict=True)
                ]
            ready = self._gpu.stamp()
        # the kernels' stream waits for the copy, on the device; the host goes on
        self._gpu.wait_for(ready)
        ends, bins, rest = columns
        placed = Placed(ends, self._buffers[which][1] if bins is None else bins, 0, 1, stop - start)
        return Chunk(placed, rest, self._expected[which])

    def _release(self, which: int) -> None:
        """Mark the buffer's kernels; the host keeps at most one chunk ahead of them."""
        other = self._free[1 - which]
        if other is not None:
            other.wait()
        self._free[which] = self._gpu.stamp()

    def _pinned(
        self, rows: EventRows, background: HostArray | None, k: int, n_subsets: int
    ) -> Arguments:
        bins = rows.bins[k::n_subsets] if rows.bins.size else None
        dtype = self._rays.dtype
        rest = None if background is None else background[k::n_subsets].astype(dtype, copy=False)
        columns = (rows.ends[k::n_subsets], bins, rest)
        # rows that do not fit the memory stay in their files
        to_store = self._rays.to_store or (lambda column: _locked(self._gpu, column))
        return tuple(None if column is None else to_store(column) for column in columns)

    def _buffer(self, part: Arguments, chunk: int) -> list[Array | None]:
        ends, bins, rest = part
        return [
            self._gpu.empty((chunk, 2), ends.dtype),
            self._gpu.empty((1 if bins is None else chunk,), np.int16),
            None if rest is None else self._gpu.empty((chunk,), rest.dtype),
        ]


def _locked(gpu: Gpu, values: HostArray) -> HostArray:
    if values.flags.c_contiguous:
        return values  # of a single subset: its chunks go through page-locked memory as they are
    try:
        return gpu.pinned(np.ascontiguousarray(values))
    except DeviceMemoryError:  # then copies wait, and all else is the same
        return np.ascontiguousarray(values)


def subset_sizes(n_rows: int, n_subsets: int) -> list[int]:
    """Rows of each subset k, k + n_subsets, ..."""
    return [len(range(k, n_rows, n_subsets)) for k in range(n_subsets)]


def bytes_per_event(rows: EventRows, background: HostArray | None, real_bytes: int) -> int:
    """Device memory of an event: ids, time bin, background, expected counts."""
    timed = 2 if rows.bins.size else 0
    return 8 + timed + (0 if background is None else real_bytes) + real_bytes


def fitting_chunk(free_bytes: int, per_event: int, n_rows: int) -> int | None:
    """Rows of a chunk, or None if all rows fit the free memory at once."""
    usable = int(_USABLE * free_bytes)
    if n_rows * per_event <= usable:
        return None
    # half of it each for the two buffers
    return max(SMALLEST_CHUNK, min(usable // (2 * per_event), LARGEST_CHUNK))
