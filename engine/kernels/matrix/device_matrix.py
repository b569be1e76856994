"""Projection with a stored response on a GPU: the kernels for one scanner, and their launches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array as HostArray
from engine.core.backend.gpu import Array, Function, Gpu
from engine.core.profiling import Profiler
from engine.kernels.matrix.groups import STRIP, GroupedRows, check_panel
from engine.kernels.matrix.variants import MatrixVariant, PanelShape

WORK_PER_LAUNCH = 10**11
"""Maximum products of a launch: below 0.2 s on small GPUs, or a driver resets the screen."""
_MAX_GRID = 65535
"""Maximum blocks along the second axis of a launch."""
ROW, TURN, A, B, N_ROWS, N_COLUMNS, START, PADDED = range(8)
"""Columns of a table of orientations, as in the struct `Orientation` of matrix.cu."""


class Matrix:
    """Compiled kernels of one variant for one scanner, and their launches.

    A table of orientations is (n, 8) int32 on the host: row among those on the device, symmetry
    that leads from it, |a| and |b|, rows and columns of its image of shifts, start of its values,
    and start of its padded image. Orientations with the same row should be adjacent.
    """

    def __init__(
        self, gpu: Gpu, variant: MatrixVariant, panel: PanelShape, profiler: Profiler
    ) -> None:
        check_panel(panel)
        self.gpu, self.variant, self.panel = gpu, variant, panel
        module = gpu.load(variant.source(panel), variant.options)
        self._functions: dict[str, Function] = {}
        for name in ("forward", "pad", "back"):
            for turned in (False, True):
                self._functions[_named(name, turned)] = module.function(_named(name, turned))
        for name in ("forward", "back"):
            resources = self._functions[name].resources(variant.threads)
            profiler.kernel(f"matrix {name}", resources, variant.threads)

    def stored(self, rows: GroupedRows) -> GroupedRows:
        """Return host rows with their values in the precision of the variant."""
        values = rows.values
        if self.variant.values == "half" and values.dtype != np.uint16:
            values = values.astype(np.float16).view(np.uint16)
        elif self.variant.values == "float" and values.dtype == np.uint16:
            values = values.view(np.float16).astype(np.float32)
        return replace(rows, values=values)

    def forward(
        self, table: NDArray[np.int32], n_nonzero: NDArray[np.int64], rows: GroupedRows,
        images: tuple[Array, Array], out: Array,
    ) -> Iterator[int]:  # fmt: skip
        """Queue the values of the lines to `out`; yield the orientations of each launch.

        Parameters
        ----------
        table
            (n, 8) orientations
        n_nonzero
            (n,) non-zeros of the row of each orientation
        rows
            stored rows on the device
        images
            image split by phases with the margin around it, float32, with `n_before` zeros before
            the first plane and `n_beyond` zeros after each plane; and the same with transposed
            phase images
        out
            values of the lines on the device, which are written
        """
        for part, turned in self._launches(table, n_nonzero):
            along, across = (N_COLUMNS, N_ROWS) if turned else (N_ROWS, N_COLUMNS)
            threads = -(-part[:, along] // self.variant.run) * part[:, across]
            n_blocks = (self._blocks(int(threads.max())), len(part))
            arguments = self.gpu.upload(part), *rows.arrays, images[turned], out
            self._functions[_named("forward", turned)](n_blocks, self.variant.threads, *arguments)
            yield len(part)

    def back(
        self, table: NDArray[np.int32], n_nonzero: NDArray[np.int64], rows: GroupedRows,
        values: Array, image: Array,
    ) -> Iterator[int]:  # fmt: skip
        """Queue adding the transpose to an image; yield the orientations of each launch.

        Parameters
        ----------
        table
            (n, 8) orientations
        n_nonzero
            (n,) non-zeros of the row of each orientation
        rows
            stored rows on the device
        values
            values of the lines on the device
        image
            (n_z, n_y, n_x) on the device
        """
        panel, run = self.panel, self.variant.run
        for part, turned in self._launches(table, n_nonzero):
            along, length, width = N_ROWS, panel.rows, panel.columns
            if turned:
                along, length, width = N_COLUMNS, panel.columns, panel.rows
            # Rows of zeros before and after each image of shifts: a thread crosses its edge without
            # a test.
            sizes = (part[:, along] + 2 * (run + STRIP - 2)) * width
            ends = np.cumsum(sizes, dtype=np.int64)
            part = part.copy()
            part[:, PADDED] = ends - sizes
            orientations, padded = self.gpu.upload(part), self.gpu.empty((ends[-1],), np.float32)
            n_blocks, n_threads = (self._blocks(int(sizes.max())), len(part)), self.variant.threads
            self._functions[_named("pad", turned)](
                n_blocks, n_threads, orientations, values, padded
            )
            blocks = (self._blocks(-(-length // run) * width), panel.edge**2, panel.planes)
            arguments = orientations, np.int32(len(part)), *rows.arrays, padded, image
            self._functions[_named("back", turned)](blocks, n_threads, *arguments)
            yield len(part)

    def n_beyond(self, *, turned: bool) -> int:
        """Return the numbers after a plane that a thread can read.

        Parameters
        ----------
        turned
            True for the image with transposed phase images
        """
        return (self.variant.run + STRIP) * self._pitch(turned)

    def n_before(self, *, turned: bool) -> int:
        """Return the numbers before the first plane that a thread can read.

        Parameters
        ----------
        turned
            True for the image with transposed phase images
        """
        return (STRIP - 1) * self._pitch(turned)

    def _pitch(self, turned: bool) -> int:
        return (self.panel.rows if turned else self.panel.columns) + 2 * self.panel.margin

    def _launches(
        self, table: NDArray[np.int32], n_nonzero: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int32], bool]]:
        """Divide a table into short launches, separate for exchanged and other orientations."""
        # Each non-zero contributes to two planes.
        work = 2 * n_nonzero * table[:, N_ROWS].astype(np.int64) * table[:, N_COLUMNS]
        for turned in (False, True):
            some = table[:, TURN] % 2 == turned
            for part in parts_of(work[some], WORK_PER_LAUNCH, _MAX_GRID):
                yield table[some][part], turned

    def _blocks(self, n_threads: int) -> int:
        return -(-n_threads // self.variant.threads)


def _named(kernel: str, turned: bool) -> str:
    return f"{kernel}_turned" if turned else kernel


def parts_of(costs: HostArray, most: int, longest: int) -> Iterator[slice]:
    """Divide a list into parts with a maximum cost and a maximum length.

    Parameters
    ----------
    costs
        cost of each element
    most
        maximum cost of a part; a single element can exceed it
    longest
        maximum number of elements
    """
    sums = np.concatenate([[0], np.cumsum(costs, dtype=np.int64)])
    start = 0
    while start < len(costs):
        stop = int(np.searchsorted(sums, sums[start] + most, side="right")) - 1
        stop = min(max(stop, start + 1), start + longest)
        yield slice(start, stop)
        start = stop
