"""Projection with a stored response on a GPU; the rows are resident, or uploaded part by part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from math import prod
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array, Gpu
from engine.core.backend.turns import in_turn
from engine.core.profiling import Profiler
from engine.data.response import ResponseMatrix
from engine.kernels.blocks import OnProgress
from engine.kernels.matrix.device_matrix import N_COLUMNS, N_ROWS, ROW, Matrix, parts_of
from engine.kernels.matrix.groups import STRIP, GroupedRows, grouped_rows, strips_of
from engine.kernels.matrix.variants import MatrixVariant, PanelShape
from engine.operators.matrix.phases import Phases
from engine.operators.matrix.rows import turned_rows
from engine.operators.xray.parts import PartProgress

USABLE = 0.7
"""Share of the free memory that rows can use."""
MAX_SORTED = 1 << 25
"""Non-zeros that are sorted for the device in one step."""


class DeviceResponse:
    """Rows of a response on a GPU, shared by a projector and its subsets.

    Parameters
    ----------
    response : the stored rows
    gpu : the device
    profiler : times uploads, and records the kernels
    variant : variant of the kernels; None: the default in the precision of the rows
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
        # One row of the matrix consists of its stored planes, so every n-th start is that of a row.
        starts = response.starts[:: response.n_planes_stored]
        self.n_nonzero: NDArray[np.int64] = np.diff(starts)
        self._resident: GroupedRows | None = None
        self.turn = RLock()  # rows are uploaded by one call at a time

    def parts(self, rows: NDArray[np.int64]) -> Iterator[tuple[slice, GroupedRows, Array]]:
        """Yield the rows part by part, as they are on the device.

        Parameters
        ----------
        rows
            (n,) numbers of stored rows, ascending

        Yields
        ------
        the part of `rows` as a slice, the rows on the device, and the index of each row there; a
        single part if the whole response fits
        """
        # tested again at each call until it fits: memory can have become free
        if self._resident is None:
            every, budget = np.arange(len(self.n_nonzero)), int(USABLE * self.gpu.free_bytes())
            if self._bytes(every).sum() <= budget:
                self._resident = self._uploaded(every)
        if self._resident is not None:
            yield slice(0, len(rows)), self._resident, rows
            return
        # orientations that are mirror images share a stored row, which is sent once
        needed, at = np.unique(rows, return_inverse=True)
        for part in parts_of(self._bytes(needed), budget, len(needed)):
            some = slice(*np.searchsorted(at, [part.start, part.stop]))
            yield some, self._uploaded(needed[part]), at[some] - part.start

    def _bytes(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the memory of each of some rows."""
        # a code of two bytes for the position, and values in half or single precision
        per_strip = 2 + STRIP * (2 if self.kernels.variant.values == "half" else 4)
        return self._n_strips[rows] * per_strip + 4 * (self.kernels.panel.n_groups + 4)

    @cached_property
    def _n_strips(self) -> NDArray[np.int64]:
        """Number of strips of each stored row."""
        response, n = self.response, len(self.n_nonzero)
        starts = response.starts[
            np.arange(n)[:, None] * response.n_planes_stored
            + np.arange(response.n_planes_stored + 1)
        ]
        return strips_of(starts, response.windows, response.places, self.kernels.panel)

    def _uploaded(self, rows: NDArray[np.int64]) -> GroupedRows:
        """Sort rows by group and copy them to the device, in steps."""
        n, n_nonzero, panel = len(rows), self.n_nonzero[rows], self.kernels.panel
        ends = np.concatenate([[0], np.cumsum(self._n_strips[rows])])
        is_half = self.kernels.variant.values == "half"
        # memory for all rows first, so that what follows only copies and the memory is known to
        # suffice
        groups = self.gpu.empty((n, panel.n_groups + 1), np.int32)
        codes = self.gpu.empty((int(ends[-1]),), np.uint16)
        shape = (len(codes), STRIP)
        values = self.gpu.empty(shape, np.uint16 if is_half else np.float32)
        # The sorted copy on the host is as large as its part, so parts limit the host memory.
        for part in parts_of(n_nonzero, MAX_SORTED, n):
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
        """Return rows sorted by group, on the host.

        Parameters
        ----------
        rows
            numbers of stored rows
        """
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
    orientations : (n,) indices of `scanner.orientations.offsets`
    starts : (n + 1,) first line of each orientation
    on_progress : called with the progress
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
        # by stored row: blocks that run in parallel then read the same non-zeros from the cache
        order = np.argsort(chosen[:, 0], kind="stable")
        chosen, begins = chosen[order], starts[:-1][order]
        self._rows = chosen[:, 0]
        # Number of shifts of an orientation along rows and columns.
        shapes = np.array([s.n_rows, s.n_columns]) - chosen[:, 2:]
        table = np.column_stack([chosen, shapes, begins, np.zeros_like(begins)])
        self._table = table.astype(np.int32)
        self._n_lines, self._shape = int(starts[-1]), response.scanner.grid.shape
        self._phases = Phases.of(s, response.margin)

    @property
    def turn(self) -> AbstractContextManager[Any]:
        return self._stored.turn

    @in_turn
    def forward(self, x: Array) -> Array:
        """Return the values (n_lines,) of an image (n_z, n_y, n_x), on the device."""
        images = self._image(x, turned=False), self._image(x, turned=True)
        out = self._gpu.empty((self._n_lines,), np.float32)
        pace = self._part_progress()
        for table, n_nonzero, rows in self._parts():
            launches = self._stored.kernels.forward(table, n_nonzero, rows, images, out)
            self._run("forward", launches, table, pace)
        return out

    @in_turn
    def adjoint(self, y: Array) -> Array:
        """Return the back projection (n_z, n_y, n_x) of the values of the lines, on the device."""
        values, image = self._device_array(y), self._gpu.empty(self._shape, np.float32)
        self._gpu.zero(image)
        pace = self._part_progress()
        for table, n_nonzero, rows in self._parts():
            launches = self._stored.kernels.back(table, n_nonzero, rows, values, image)
            self._run("back", launches, table, pace)
        return image

    def _image(self, x: Array, *, turned: bool) -> Array:
        """Return the image in the layout of the kernels, with transposed planes if `turned`."""
        kernels, phases, x = self._stored.kernels, self._phases, self._device_array(x)
        if turned:
            phases, x = phases.turned, x.transpose(2, 1, 0)
        phases = replace(phases, slack=kernels.n_beyond(turned=turned))
        out = self._on.xp.zeros(kernels.n_before(turned=turned) + prod(phases.shape), np.float32)
        out[kernels.n_before(turned=turned) :] = phases.split(x, np.float32).ravel()
        return out

    def _run(
        self, name: str, launches: Iterator[int], table: NDArray[np.int32], pace: PartProgress
    ) -> None:
        """Queue the launches of some orientations, timed as one stage."""
        n_lines = int(np.sum(table[:, N_ROWS].astype(np.int64) * table[:, N_COLUMNS]))
        with self._stored.profiler.span(name, events=n_lines, unit="rays"):
            for n in launches:
                pace.step(n)

    def _parts(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64], GroupedRows]]:
        """Yield parts of our table, with the non-zeros of each row and the rows on the device."""
        for part, rows, places in self._stored.parts(self._rows):
            table = self._table[part].copy()
            table[:, ROW] = places
            yield table, self._stored.n_nonzero[self._rows[part]], rows

    def _device_array(self, values: Array) -> Array:
        """Return a contiguous float32 array on the device."""
        if module_of(values) is self._on.xp:
            return self._on.xp.ascontiguousarray(values, dtype=np.float32)
        return self._gpu.upload(np.ascontiguousarray(values, np.float32))

    def _part_progress(self) -> PartProgress:
        return PartProgress(self._gpu, self._tick, len(self._table))


def default_variant(response: ResponseMatrix) -> MatrixVariant:
    """Return the default variant, with the precision of the stored rows."""
    is_half = response.values.dtype == np.float16
    return MatrixVariant(values="half" if is_half else "float")
