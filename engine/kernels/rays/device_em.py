"""Expectation maximisation on a GPU: events, images, and the loop over subsets.

    x ← max(x / s_k · A_kᵀ(1 / (A_k x + g)), least · x)

Each subset k is one fused kernel and one pass over the image, without host synchronisation. Short
subsets are recorded once and replayed as a CUDA graph. Image, sums and sensitivity stay in the
layout of the kernels. Only previews are converted.

If memory is exhausted, events are processed in chunks. The size of a chunk is halved until it fits;
the precision never changes. If the images themselves do not fit, the run ends with an error
message.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from engine.core.arrays import Array as HostArray
from engine.core.backend.gpu import Array, Graph
from engine.core.errors import DeviceError, DeviceMemoryError
from engine.kernels.blocks import padded
from engine.kernels.compiled import ADVANCE_BLOCKS, LOG_BLOCKS
from engine.kernels.rays.device_rays import DeviceRays
from engine.kernels.rays.event_stream import (
    SMALLEST_CHUNK,
    EventStream,
    Resident,
    Streamed,
    bytes_per_event,
    fitting_chunk,
    subset_sizes,
)
from engine.kernels.units import share_unit

GRAPH_BELOW = 2**19
"""Maximum rows of a subset that is recorded, because launches then cost a large share."""


class DeviceEm:
    """State of an EM reconstruction on a GPU; see `engine.recon.model.EmLoop`.

    Parameters
    ----------
    rays : all events
    background : (n,) expected additive counts; None: none
    sensitivity : (n_z, n_y, n_x), sum over all subsets
    x : (n_z, n_y, n_x) initial image
    n_subsets : subset k has the events k, k + n_subsets, ...
    chunk : events that are on the device together; None: as many as fit
    least : minimum factor of a voxel in an update
    """

    def __init__(
        self,
        rays: DeviceRays,
        background: HostArray | None,
        sensitivity: Array,
        x: Array,
        n_subsets: int,
        chunk: int | None = None,
        *,
        least: float = 0.0,
    ) -> None:
        self._rays, self._gpu, self._kernels = rays, rays.gpu, rays.kernels
        self._n_subsets, self._least = n_subsets, least
        self._sizes = subset_sizes(rays.n_rows, n_subsets)
        self._image, self._sensitivity = rays.packed(x), rays.packed(sensitivity)
        self._sums = rays.no_sums()
        self._peak = rays.peak(self._image)
        self._unpacked = self._gpu.empty(rays.shape, rays.dtype)
        # Kernels only set this flag. The host tests it from time to time, not after every update.
        self._fault = self._gpu.upload(np.zeros(1, np.int32))
        self._bytes_per_row = self._traffic()
        self._stream = _stream(rays, background, n_subsets, chunk)
        self._parts = _Parts(rays, self._sizes, self._stream.rows_per_chunk)
        self._graphs: dict[int, tuple[Graph, Graph]] = {}
        self._since: list[int] = []
        self._n_updates = 0

    @property
    def rows_per_chunk(self) -> int:
        """Events of a subset that are on the device together."""
        return self._stream.rows_per_chunk

    def update(self, k: int) -> None:
        """Queue the update with the events of subset k."""
        n = self._sizes[k]
        # only resident events can be recorded: a graph stores the addresses of its arguments,
        # and those of streamed chunks alternate
        if isinstance(self._stream, Resident) and n < min(GRAPH_BELOW, self._rays.rows_per_launch):
            self._replay(k)
        else:
            self._run(k)
        self._since.append(k)
        self._n_updates += 1
        if self._rays.on_progress is not None:
            self._rays.on_progress(n, n)

    def snapshot(self) -> Callable[[], HostArray]:
        """Return a getter of the image (n_z, n_y, n_x), valid until the next update."""
        n_updates_then = self._n_updates

        def fetch() -> HostArray:
            # the next update overwrites the image; a late fetch would return another iterate
            # than the one it is labelled with
            if self._n_updates != n_updates_then:
                raise RuntimeError(
                    "a later update has overwritten this image; fetch it before the next update."
                )
            self._kernels.unpack(self._image, self._unpacked)
            with self._rays.profiler.span("preview", bytes=self._unpacked.nbytes):
                return self._gpu.download(self._unpacked)

        return fetch

    def smooth(self, change: Callable[[Array], Array]) -> None:
        """Replace the image.

        Parameters
        ----------
        change
            called with the image on the device, returns the new one
        """
        self._kernels.unpack(self._image, self._unpacked)
        self._kernels.pack(self._rays.on_device(change(self._unpacked)), self._image)
        # in place: recorded graphs use the address of the old peak
        self._peak[...] = self._rays.peak(self._image)

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        """Return log-likelihood and skipped rows since the last call.

        Parameters
        ----------
        before
            sums of earlier updates, which are added
        """
        log_sum, n_skipped = before
        for part, skipped in self._parts.read(self._since):
            log_sum, n_skipped = log_sum + part, n_skipped + skipped
        self._since = []
        return log_sum, n_skipped

    @property
    def is_finite(self) -> bool:
        """True if all images so far were finite; waits for the updates."""
        peak = self._gpu.download(self._peak)[0]  # A filter can produce NaN.
        return bool(np.isfinite(peak)) and not self._gpu.download(self._fault)[0]

    def _run(self, k: int) -> None:
        for i, chunk in enumerate(self._stream.chunks(k)):
            with self._fused(chunk.placed.n_rows):
                self._project(k, i, chunk)
        with self._rays.profiler.span("update"):
            self._advance(k)

    def _replay(self, k: int) -> None:
        """Run a subset from its recording: two graphs, so that their times can be measured."""
        if k not in self._graphs:
            (chunk,) = self._stream.chunks(k)
            self._graphs[k] = (
                self._gpu.record(lambda: self._project(k, 0, chunk)),
                self._gpu.record(lambda: self._advance(k)),
            )
        project, advance = self._graphs[k]
        with self._fused(self._sizes[k]):
            project.launch()
        with self._rays.profiler.span("update"):
            advance.launch()

    def _fused(self, n_rows: int) -> AbstractContextManager[Any]:
        n_bytes = int(n_rows * self._bytes_per_row)
        return self._rays.profiler.span("fused", events=n_rows, bytes=n_bytes)

    def _project(self, k: int, i: int, chunk: Any) -> None:
        placed, unit = chunk.placed, share_unit(self._sizes[k])
        rest, expected = chunk.background, chunk.expected
        self._rays.queue_update(placed, self._image, self._peak, rest, unit, expected, self._sums)
        self._kernels.log_sum(expected, placed.n_rows, *self._parts.of_chunk(k, i))

    def _advance(self, k: int) -> None:
        unit = share_unit(self._sizes[k])
        # the kernel sets it to the largest voxel while it writes the image
        self._gpu.zero(self._peak)
        state = (self._image, self._peak, self._fault, self._parts.mass[k])
        of_subset = self._sensitivity, self._n_subsets, self._least
        self._kernels.advance(self._sums, *of_subset, unit, *state)

    def _traffic(self) -> float:
        """Return the mean bytes that are read and added for the voxels of an event."""
        variant = self._rays.variant
        per_voxel = self._rays.dtype.itemsize + np.dtype(variant.sum_dtype).itemsize
        return self._rays.voxels_per_row() * per_voxel


class _Parts:
    """Partial sums of the likelihood, stored on the device until requested."""

    def __init__(self, rays: DeviceRays, sizes: list[int], rows_per_chunk: int) -> None:
        self._gpu = rays.gpu
        n_subsets = len(sizes)
        n_chunks = max(-(-max(sizes, default=0) // max(rows_per_chunk, 1)), 1)
        self._n_chunks = [max(-(-n // max(rows_per_chunk, 1)), 1) for n in sizes]
        self._logs = rays.gpu.empty((n_subsets, n_chunks, LOG_BLOCKS), np.float64)
        self._skipped = rays.gpu.empty((n_subsets, n_chunks, LOG_BLOCKS), np.int32)
        self.mass = rays.gpu.empty((n_subsets, ADVANCE_BLOCKS), np.float64)
        for each in (self._logs, self._skipped, self.mass):
            rays.gpu.zero(each)

    def of_chunk(self, k: int, i: int) -> tuple[Array, Array]:
        """Return the arrays for the logarithms and skipped rows of chunk i of subset k."""
        return self._logs[k, i], self._skipped[k, i]

    def read(self, subsets: list[int]) -> list[tuple[float, int]]:
        """Return log-likelihood and skipped rows of each of these subsets."""
        # sums of blocks are added on the host, in float64 and in a fixed order, so that the
        # likelihood has the same bits every time
        logs, skipped = self._gpu.download(self._logs), self._gpu.download(self._skipped)
        mass = self._gpu.download(self.mass)
        return [
            # Poisson: Σ log q over the events, minus the expected counts of the image
            # over all lines
            (float(logs[k].sum()) - float(mass[k].sum()), int(skipped[k].sum()))
            for k in subsets
        ]


def _stream(
    rays: DeviceRays, background: HostArray | None, n_subsets: int, chunk: int | None
) -> EventStream:
    """Store the events on the device if they fit, else send chunks, halved until they do."""
    if chunk is None:
        per_event = bytes_per_event(rays.rows, background, rays.dtype.itemsize)
        chunk = fitting_chunk(rays.gpu.free_bytes(), per_event, rays.n_rows)
    if chunk is None:
        try:
            return Resident(rays, background, n_subsets)
        except DeviceMemoryError:
            rays.forget()
            # the free memory was fragmented, or another program has used it
            chunk = max(rays.n_rows // 2, SMALLEST_CHUNK)
    while True:
        try:
            return Streamed(rays, background, n_subsets, chunk)
        except DeviceMemoryError as e:
            rays.forget()
            if chunk <= SMALLEST_CHUNK:
                raise out_of_memory(rays) from e
            chunk = max(chunk // 2, SMALLEST_CHUNK)


def out_of_memory(rays: DeviceRays) -> DeviceError:
    """Return the error for images that leave too little memory for events.

    Parameters
    ----------
    rays
        rays of the reconstruction
    """
    z, y, x = padded(rays.shape)
    gib = 2**30
    return DeviceMemoryError(
        f"images of {x} × {y} × {z} voxels leave only {rays.gpu.free_bytes() / gib:.2f} GiB of "
        f"{rays.gpu.facts.memory_bytes / gib:.1f} GiB of GPU memory, which is not enough for the "
        "events; choose larger voxels, close other programs that use the GPU, or continue on the "
        "CPU."
    )
