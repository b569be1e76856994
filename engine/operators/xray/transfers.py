"""Transfers between host and GPU in parts, in parallel with the work on other parts.

Parts are uploaded through two buffers: while kernels read one, the next part is copied to the
other. Results are downloaded during the work on the next part. Streams wait for each other by
stamps on the device. A buffer is written after the work that read it, and read after its copy. A
part is downloaded after the work that computed it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

import numpy as np

from engine.core.arrays import Array as HostArray
from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array, Gpu, Stamp
from engine.core.errors import GeometryError
from engine.core.profiling import Profiler


class IncomingParts:
    """Upload of parts of host arrays, float32 and contiguous on the device.

    Parameters
    ----------
    gpu, profiler : the device, and the profiler of the copies
    shape : shape of the largest part
    n_parts : number of parts; a single one needs no second buffer
    """

    def __init__(self, gpu: Gpu, profiler: Profiler, shape: tuple[int, ...], n_parts: int) -> None:
        self._gpu, self._profiler = gpu, profiler
        # Both buffers have the size of the largest part, so that they are allocated once.
        first = gpu.empty(shape, np.float32)
        self._buffers = [first, gpu.empty(shape, np.float32) if n_parts > 1 else first]
        # earlier users of this memory must finish before the copy stream writes to it
        self._read: list[Stamp] = [gpu.stamp()] * 2
        self._which = 0
        self._last: Stamp | None = None

    def take(self, values: HostArray) -> Array:
        """Return a part on the device, valid for work queued before the next call.

        Parameters
        ----------
        values
            host array
        """
        gpu, buffer = self._gpu, self._buffers[1 - self._which]
        # after all work queued on the previous part, which reads it
        self._read[self._which] = gpu.stamp()
        self._which = 1 - self._which
        # converted on the host: half of the bytes of float64 then cross the bus
        host = np.ascontiguousarray(values, np.float32)
        with gpu.copying():
            gpu.wait_for(self._read[self._which])
            with self._profiler.span("upload", events=host.size, bytes=host.nbytes, unit="pixels"):
                part = gpu.upload(host, buffer[: len(host)])
            self._last = gpu.stamp()
        gpu.wait_for(self._last)
        return part

    def close(self) -> None:
        """Wait for the last copy; its memory can then be reused."""
        if self._last is not None:
            self._last.wait()


class OutgoingParts:
    """Download of parts to host arrays, each during the work on the next one."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._waiting: tuple[Stamp, Array, HostArray] | None = None

    def leave(self, part: Array, out: HostArray) -> None:
        """Queue the download of a part after the work that computes it.

        Parameters
        ----------
        part
            array on the device, which must not change
        out
            host array of the same shape
        """
        waiting = (self._gpu.stamp(), part, out)
        # the previous part is completed only now: the host waits during the work on this part
        self.finish()
        self._waiting = waiting

    def finish(self) -> None:
        """Copy the part that is still waiting."""
        if self._waiting is None:
            return
        made, part, out = self._waiting
        self._waiting = None
        with self._gpu.copying(to_host=True):
            self._gpu.wait_for(made)
            self._gpu.download(part, out)


class ComputedViews(ABC):
    """Projections that are computed on the device chunk by chunk from raw values.

    Attributes
    ----------
    shape : (n_views, n_rows, n_columns) of the projections
    """

    shape: tuple[int, ...]

    @abstractmethod
    def raw(self, views: range) -> HostArray | Array:
        """Return the raw values of some views, (n, ...), where they are stored."""

    @abstractmethod
    def made(self, values: Array, views: range) -> Array:
        """Return the projections of some views.

        Parameters
        ----------
        values
            raw values on the device
        views
            numbers of the views

        Returns
        -------
        (n, n_rows, n_columns) float32 on the device
        """

    def expect(self, shape: tuple[int, ...]) -> None:
        """Raise an error if the projections have another shape."""
        if self.shape != shape:
            raise GeometryError(
                f"The projections have the shape {self.shape}, but the geometry has {shape} "
                "(views, rows, columns); use projections and geometry from the same scan."
            )


class Transfers:
    """All transfers of one call; pending ones are awaited at its end.

    Parameters
    ----------
    on : the device
    profiler : times copies and computed views
    streams : True if results are on the host
    """

    def __init__(self, on: Backend, gpu: Gpu, profiler: Profiler, *, streams: bool) -> None:
        self._on, self._gpu, self._profiler, self._streams = on, gpu, profiler, streams
        self._incoming: IncomingParts | None = None
        self._outgoing = OutgoingParts(gpu)

    def is_there(self, values: Array | ComputedViews) -> bool:
        """Return True if values are on the device."""
        some = values.raw(range(1)) if isinstance(values, ComputedViews) else values
        return module_of(some) is self._on.xp

    def views(self, y: Array | ComputedViews, part: range, parts: list[range]) -> Array:
        """Return some views on the device; computed first if needed.

        Parameters
        ----------
        y
            projections, or an object that makes them
        part
            numbers of the views
        parts
            all parts, which define the size of the buffers
        """
        if not isinstance(y, ComputedViews):
            return self.there(y[part.start : part.stop], parts)
        values = self.there(y.raw(part), parts)
        with self._profiler.span("filter", events=values.size, unit="pixels"):
            return y.made(values, part)

    def there(self, values: Array, parts: list[range]) -> Array:
        """Return a part on the device, float32 and contiguous.

        A part from the host is valid for work queued before the next call.

        Parameters
        ----------
        values
            the part
        parts
            all parts, which define the size of the buffers
        """
        if self.is_there(values):
            return self._on.xp.ascontiguousarray(values, dtype=np.float32)
        if self._incoming is None:
            shape = (max(map(len, parts)), *values.shape[1:])
            self._incoming = IncomingParts(self._gpu, self._profiler, shape, len(parts))
        return self._incoming.take(values)

    def part_on_device(self, out: Array, part: range) -> Array:
        """Return memory on the device for part of the results.

        Parameters
        ----------
        out
            all results
        part
            range along their first axis
        """
        if self._streams:
            return self._gpu.empty((len(part), *out.shape[1:]), np.float32)
        return out[part.start : part.stop]

    def keep(self, piece: Array, out: Array, part: range) -> None:
        """Copy part of the results to the host, if they are stored there.

        Parameters
        ----------
        piece
            values on the device
        out
            all results
        part
            range along their first axis
        """
        if self._streams:
            self._outgoing.leave(piece, out[part.start : part.stop])

    def finish(self) -> None:
        """Complete all downloads; their memory is then free."""
        self._outgoing.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, at: TracebackType | None
    ) -> None:
        if e is None:
            self.finish()
        # also after an error: memory that a copy still writes must not be reused
        if self._incoming is not None:
            self._incoming.close()
