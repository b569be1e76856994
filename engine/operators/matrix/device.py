"""Projection with a stored response on a GPU: rows that lie there, or come a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array, Gpu
from engine.core.profiling import Profiler
from engine.data.response import ResponseMatrix
from engine.kernels.blocks import OnProgress
from engine.kernels.matrix.device_matrix import N_COLUMNS, N_ROWS, ROW, Matrix, parts_of
from engine.kernels.matrix.groups import STRIP, GroupedRows, grouped_rows, strips_of
from engine.kernels.matrix.variants import MatrixVariant, PanelShape
from engine.operators.matrix.phases import Phases
from engine.operators.matrix.rows import turned_rows
from engine.operators.xray.parts import Pace

USABLE = 0.7
"""Part of the free memory that rows may take."""
SORTED_TOGETHER = 1 << 25
"""Non-zeros that are sorted for the device at a time."""


class DeviceResponse:
    """The rows of a response on a GPU, shared by all projectors made of one another.

    Parameters
    ----------
    response : the stored rows
    gpu : the device
    profiler : times uploads, and notes the kernels
    variant : form of the kernels; None: the usual one, in the precision of the rows
    """

    def __init__(
        self,
        response: ResponseMatrix,
        gpu: Gpu,
        profiler: Profiler,
        variant: MatrixVariant | None = None,
    ) -> None:
        s = response.scanner.settings
        self.response, self.gpu, self.profiler = response, gpu, profiler
        variant = variant or default_variant(response)
        panel = PanelShape(s.n_rows, s.n_columns, s.n_planes, s.voxels_per_pitch, response.margin)
        self.kernels = Matrix(gpu, variant, panel, profiler)
        starts = response.starts[:: response.n_planes_stored]
        self.n_nonzero: NDArray[np.int64] = np.diff(starts)
        self._resident: GroupedRows | None = None

    def parts(self, rows: NDArray[np.int64]) -> Iterator[tuple[slice, GroupedRows, Array]]:
        """Yield a part of `rows` (n,), ascending, with what lies on the device and where there.

        Everything at once if the whole response fits the device, else what fits.
        """
        # asked anew at each call until it fits: memory may have become free since
        if self._resident is None:
            every, budget = np.arange(len(self.n_nonzero)), int(USABLE * self.gpu.free_bytes())
            if self._bytes(every).sum() <= budget:
                self._resident = self._uploaded(every)
        if self._resident is not None:
            yield slice(0, len(rows)), self._resident, rows
            return
        # orientations that are mirror images share a stored row; it is sent once
        needed, at = np.unique(rows, return_inverse=True)
        for part in parts_of(self._bytes(needed), budget, len(needed)):
            some = slice(*np.searchsorted(at, [part.start, part.stop]))
            yield some, self._uploaded(needed[part]), at[some] - part.start

    def _bytes(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Memory of each of some rows."""
        # a code of two bytes for the place, and the values in half or in single precision
        per_strip = 2 + STRIP * (2 if self.kernels.variant.values == "half" else 4)
        return self._n_strips[rows] * per_strip + 4 * (self.kernels.panel.n_groups + 4)

    @cached_property
    def _n_strips(self) -> NDArray[np.int64]:
        """Strips of every stored row."""
        response, n = self.response, len(self.n_nonzero)
        starts = response.starts[
            np.arange(n)[:, None] * response.n_planes_stored
            + np.arange(response.n_planes_stored + 1)
        ]
        return strips_of(starts, response.windows, response.places, self.kernels.panel)

    def _uploaded(self, rows: NDArray[np.int64]) -> GroupedRows:
        """Sort some rows by group and copy them to the device, not all at a time."""
        n, n_nonzero, panel = len(rows), self.n_nonzero[rows], self.kernels.panel
        ends = np.concatenate([[0], np.cumsum(self._n_strips[rows])])
        is_half = self.kernels.variant.values == "half"
        # room for all rows first, so that what follows only copies and the memory is known to
        # suffice
        groups = self.gpu.empty((n, panel.n_groups + 1), np.int32)
        codes = self.gpu.empty((int(ends[-1]),), np.uint16)
        shape = (len(codes), STRIP)
        values = self.gpu.empty(shape, np.uint16 if is_half else np.float32)
        for part in parts_of(n_nonzero, SORTED_TOGETHER, n):
            found = self.kernels.stored(self.grouped(rows[part]))
            to = slice(ends[part.start], ends[part.stop])
            with self.profiler.span("upload", bytes=found.n_bytes):
                for target, source in (
                    (groups[part], found.groups),
                    (codes[to], found.codes),
                    (values[to], found.values),
                ):
                    self.gpu.upload(source, out=target)
        scales = self.response.scales[rows].astype(np.float32)
        starts = ends.astype(np.int64)
        return GroupedRows(self.gpu.upload(starts), groups, codes, values, self.gpu.upload(scales))

    def grouped(self, rows: NDArray[np.int64]) -> GroupedRows:
        """Return some rows sorted by group, on the host."""
        response, n_planes = self.response, self.response.n_planes_stored
        begins = response.starts[rows * n_planes]
        ends = response.starts[(rows + 1) * n_planes]
        parts = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
        places = np.concatenate([response.places[part] for part in parts])
        values = np.concatenate([response.values[part] for part in parts])
        moved = np.cumsum(ends - begins) - ends
        starts = response.starts[rows[:, None] * n_planes + np.arange(n_planes + 1)]
        return grouped_rows(
            starts + moved[:, None], response.windows[rows], places, values, response.scales[rows],
            self.kernels.panel,
        )  # fmt: skip


class DeviceMatrix:
    """Forward and back projection of some orientations on a GPU.

    Parameters
    ----------
    stored : rows and kernels
    on : the device
    orientations : (n,) places in `scanner.orientations.offsets`
    starts : (n + 1,) where the lines of each begin
    on_progress : told of progress
    """

    def __init__(
        self,
        stored: DeviceResponse,
        on: Backend,
        orientations: NDArray[np.int64],
        starts: NDArray[np.int64],
        on_progress: OnProgress | None,
    ) -> None:
        response = stored.response
        s = response.scanner.settings
        self._stored, self._on, self._gpu, self._tick = stored, on, stored.gpu, on_progress
        chosen = turned_rows(response, response.scanner.orientations.offsets[orientations])
        # by stored row: blocks that run side by side then read the same non-zeros from the cache
        order = np.argsort(chosen[:, 0], kind="stable")
        chosen, begins = chosen[order], starts[:-1][order]
        self._rows = chosen[:, 0]
        shapes = np.array([s.n_rows, s.n_columns]) - chosen[:, 2:]
        table = np.column_stack([chosen, shapes, begins, np.zeros_like(begins)])
        self._table = table.astype(np.int32)
        self._n_lines, self._shape = int(starts[-1]), response.scanner.grid.shape
        self._phases = Phases.of(s, response.margin)

    def forward(self, x: Array) -> Array:
        """Values (n_lines,) of the image (n_z, n_y, n_x), on the device."""
        images = self._image(x, turned=False), self._image(x, turned=True)
        out = self._gpu.empty((self._n_lines,), np.float32)
        pace = self._pace()
        for table, n_nonzero, rows in self._parts():
            launches = self._stored.kernels.forward(table, n_nonzero, rows, images, out)
            self._run("forward", launches, table, pace)
        return out

    def adjoint(self, y: Array) -> Array:
        """Back projection (n_z, n_y, n_x) of the values of the lines, on the device."""
        values, image = self._there(y), self._gpu.empty(self._shape, np.float32)
        self._gpu.zero(image)
        pace = self._pace()
        for table, n_nonzero, rows in self._parts():
            launches = self._stored.kernels.back(table, n_nonzero, rows, values, image)
            self._run("back", launches, table, pace)
        return image

    def _image(self, x: Array, *, turned: bool) -> Array:
        """The image as the kernels read it, with transposed pictures where they are `turned`."""
        kernels, phases, x = self._stored.kernels, self._phases, self._there(x)
        if turned:
            phases, x = phases.turned, x.transpose(2, 1, 0)
        phases = replace(phases, slack=kernels.n_beyond(turned=turned))
        out = self._on.xp.zeros(kernels.n_before(turned=turned) + prod(phases.shape), np.float32)
        out[kernels.n_before(turned=turned) :] = phases.split(x, np.float32).ravel()
        return out

    def _run(
        self, name: str, launches: Iterator[int], table: NDArray[np.int32], pace: Pace
    ) -> None:
        """Queue the launches of some orientations, timed together."""
        n_lines = int(np.sum(table[:, N_ROWS].astype(np.int64) * table[:, N_COLUMNS]))
        with self._stored.profiler.span(name, events=n_lines, unit="rays"):
            for n in launches:
                pace.step(n)

    def _parts(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64], GroupedRows]]:
        """Yield our table a part at a time, non-zeros of each row, and the rows on the device."""
        for part, rows, places in self._stored.parts(self._rows):
            table = self._table[part].copy()
            table[:, ROW] = places
            yield table, self._stored.n_nonzero[self._rows[part]], rows

    def _there(self, values: Array) -> Array:
        """As a contiguous array of float32 on the device."""
        if module_of(values) is self._on.xp:
            return self._on.xp.ascontiguousarray(values, dtype=np.float32)
        return self._gpu.upload(np.ascontiguousarray(values, np.float32))

    def _pace(self) -> Pace:
        return Pace(self._gpu, self._tick, len(self._table))


def default_variant(response: ResponseMatrix) -> MatrixVariant:
    """Return the shipped form, which keeps the precision of the rows."""
    is_half = response.values.dtype == np.float16
    return MatrixVariant(values="half" if is_half else "float")
