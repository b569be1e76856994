"""Transfer of the events of a subset to the kernels: resident on the device, or in chunks.

Chunks use two buffers: while the kernels work on one, the other is filled.
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
"""Share of the free memory that events can use."""


@dataclass(frozen=True)
class Chunk:
    """Rows on the device, with their background (None: none) and memory for expected counts."""

    placed: Placed
    background: Array | None
    expected: Array


class EventStream(Protocol):
    """Interface: the events by subset."""

    rows_per_chunk: int

    def chunks(self, k: int) -> Iterator[Chunk]:
        """Yield the events of subset k; queue the work on a chunk before requesting the next."""
        ...


class Resident:
    """All events on the device, copied once."""

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
    """Events in page-locked host memory, sorted by subset and sent in chunks.

    Events in a single subset are not copied.
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
        rays.gpu.wait()  # earlier users of this memory must finish before the second stream

    def chunks(self, k: int) -> Iterator[Chunk]:
        """Yield the chunks of subset k; each is copied during the work on the previous one."""
        part = self._parts[k]
        n = len(part[0])
        for i, start in enumerate(range(0, n, self.rows_per_chunk)):
            stop = min(start + self.rows_per_chunk, n)
            # the caller queues its kernels before it requests the next chunk, so the stamp after
            # the yield follows them
            yield self._fill(part, i % 2, start, stop)
            self._release(i % 2)

    def _fill(self, part: Arguments, which: int, start: int, stop: int) -> Chunk:
        """Copy rows to a buffer after the kernels that read it last."""
        n_bytes = sum(column[start:stop].nbytes for column in part if column is not None)
        # Copies in the second stream do not wait for the kernels of the first.
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
        # the kernels' stream waits for the copy on the device; the host continues
        self._gpu.wait_for(ready)
        ends, bins, rest = columns
        placed = Placed(ends, self._buffers[which][1] if bins is None else bins, 0, 1, stop - start)
        return Chunk(placed, rest, self._expected[which])

    def _release(self, which: int) -> None:
        """Mark the end of a buffer's kernels; the host stays at most one chunk ahead of them."""
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
        # rows that exceed the memory stay in their files
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
        return values  # a single subset: its chunks use page-locked memory piece by piece
    try:
        return gpu.pinned(np.ascontiguousarray(values))
    except DeviceMemoryError:  # copies then wait, otherwise nothing changes
        return np.ascontiguousarray(values)


def subset_sizes(n_rows: int, n_subsets: int) -> list[int]:
    """Return the number of rows of each subset k, k + n_subsets, ...

    Parameters
    ----------
    n_rows
        number of all rows
    n_subsets
        number of subsets
    """
    return [len(range(k, n_rows, n_subsets)) for k in range(n_subsets)]


def bytes_per_event(rows: EventRows, background: HostArray | None, real_bytes: int) -> int:
    """Return the device memory of an event: crystals, TOF bin, background, expected counts.

    Parameters
    ----------
    rows
        all events
    background
        None if there is none
    real_bytes
        bytes of a floating-point number
    """
    timed = 2 if rows.bins.size else 0
    return 8 + timed + (0 if background is None else real_bytes) + real_bytes


def fitting_chunk(free_bytes: int, per_event: int, n_rows: int) -> int | None:
    """Return the rows of a chunk, or None if all rows fit the free memory.

    Parameters
    ----------
    free_bytes
        free memory of the device
    per_event
        bytes of an event
    n_rows
        number of events
    """
    usable = int(_USABLE * free_bytes)
    if n_rows * per_event <= usable:
        return None
    # half for each of the two buffers
    return max(SMALLEST_CHUNK, min(usable // (2 * per_event), LARGEST_CHUNK))
