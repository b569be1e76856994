"""What comes from the host to a GPU and goes back, part by part, beside the work on other parts.

Parts come through two buffers: while kernels read one, the next part is copied to the other. What
is done leaves while the work on the next part runs. Streams wait for each other by stamps, on the
device: a buffer is written when the work that read it is done, and read when its copy is; a part
leaves when the work that made it is done.
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
    """Parts of arrays of the host, float32 and contiguous on the device.

    Parameters
    ----------
    gpu, profiler : the device, and what times the copies
    shape : of the largest part
    n_parts : a single one needs no second buffer
    """

    def __init__(self, gpu: Gpu, profiler: Profiler, shape: tuple[int, ...], n_parts: int) -> None:
        self._gpu, self._profiler = gpu, profiler
        first = gpu.empty(shape, np.float32)
        self._buffers = [first, gpu.empty(shape, np.float32) if n_parts > 1 else first]
        # what used this memory before must not meet the other stream
        self._read: list[Stamp] = [gpu.stamp()] * 2
        self._which = 0
        self._last: Stamp | None = None

    def take(self, values: HostArray) -> Array:
        """Return a part on the device, for what is queued until the next one is taken."""
        gpu, buffer = self._gpu, self._buffers[1 - self._which]
        # behind all that was queued on the part before, which reads it
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
        """Wait for the last copy: its memory may be given to others then."""
        if self._last is not None:
            self._last.wait()


class OutgoingParts:
    """Parts that go to arrays of the host, each while the work on the next one runs."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._waiting: tuple[Stamp, Array, HostArray] | None = None

    def leave(self, part: Array, out: HostArray) -> None:
        """Copy a part when the work queued so far, which makes it, is done; it stays as it is."""
        waiting = (self._gpu.stamp(), part, out)
        # the part before only now: the host waits for it while the work on this one runs
        self.finish()
        self._waiting = waiting

    def finish(self) -> None:
        """Copy what has not left yet."""
        if self._waiting is None:
            return
        made, part, out = self._waiting
        self._waiting = None
        with self._gpu.copying(to_host=True):
            self._gpu.wait_for(made)
            self._gpu.download(part, out)


class MadeViews(ABC):
    """Projections that are made on the device, chunk by chunk, of what comes there.

    Attributes
    ----------
    shape : (n_views, n_rows, n_columns) of the projections
    """

    shape: tuple[int, ...]

    @abstractmethod
    def raw(self, views: range) -> HostArray | Array:
        """(n, ...) what some views are made of, where it lies."""

    @abstractmethod
    def made(self, values: Array, views: range) -> Array:
        """(n, n_rows, n_columns) float32 on the device, of `raw` values there."""

    def expect(self, shape: tuple[int, ...]) -> None:
        """Refuse another shape than an operator takes."""
        if self.shape != shape:
            raise GeometryError(
                f"Projections of shape {self.shape}, the geometry has (views, rows, columns) = "
                f"{shape}; they must belong together."
            )


class Transfers:
    """All that comes and goes in one call; what is under way is waited for at its end.

    Parameters
    ----------
    on : the device
    profiler : times copies, and what is made
    streams : whether results lie on the host
    """

    def __init__(self, on: Backend, gpu: Gpu, profiler: Profiler, *, streams: bool) -> None:
        self._on, self._gpu, self._profiler, self._streams = on, gpu, profiler, streams
        self._incoming: IncomingParts | None = None
        self._outgoing = OutgoingParts(gpu)

    def is_there(self, values: Array | MadeViews) -> bool:
        """Whether values lie on the device."""
        some = values.raw(range(1)) if isinstance(values, MadeViews) else values
        return module_of(some) is self._on.xp

    def views(self, y: Array | MadeViews, part: range, parts: list[range]) -> Array:
        """One of the parts of projections, see `there`; made first, if they have to be."""
        if not isinstance(y, MadeViews):
            return self.there(y[part.start : part.stop], parts)
        values = self.there(y.raw(part), parts)
        with self._profiler.span("filter", events=values.size, unit="pixels"):
            return y.made(values, part)

    def there(self, values: Array, parts: list[range]) -> Array:
        """Return a part on the device, as long as one of `parts`, float32 and contiguous.

        Of the host's it may be used by what is queued until the next one is asked for.
        """
        if self.is_there(values):
            return self._on.xp.ascontiguousarray(values, dtype=np.float32)
        if self._incoming is None:
            shape = (max(map(len, parts)), *values.shape[1:])
            self._incoming = IncomingParts(self._gpu, self._profiler, shape, len(parts))
        return self._incoming.take(values)

    def part_on_device(self, out: Array, part: range) -> Array:
        """A part of the results along their first axis, on the device."""
        if self._streams:
            return self._gpu.empty((len(part), *out.shape[1:]), np.float32)
        return out[part.start : part.stop]

    def keep(self, piece: Array, out: Array, part: range) -> None:
        """Have a part of the results copied to the host, if they lie there."""
        if self._streams:
            self._outgoing.leave(piece, out[part.start : part.stop])

    def finish(self) -> None:
        """Have all that was kept copied: its memory is free then."""
        self._outgoing.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, at: TracebackType | None
    ) -> None:
        if e is None:
            self.finish()
        # also after a fault: memory that is still written must not be given to others
        if self._incoming is not None:
            self._incoming.close()
