"""Benefit of the symmetries on a CPU: the same projection in three variants.

correlation : shifts and reflections of a stored row for many lines at a time; the default
line by line : each line gathers with the row of its orientation, reflected beforehand
no symmetry : each line has its own row, read from memory

The second and third are measured on random groups of neighbouring lines, and scaled to all products
of an iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.kernels.blocks import run_blocks
from engine.kernels.matrix import lines as kernels
from engine.operators.matrix.projector import MatrixProjector
from engine.tools.benchmark.dual_head.panels import PanelWork
from engine.tools.benchmark.dual_head.suite import BACK, FORWARD, timed

CORRELATION, LINE_BY_LINE, NO_SYMMETRY = "correlation", "line by line", "no symmetry"
ORIENTATIONS = 8
LINES = {LINE_BY_LINE: 256, NO_SYMMETRY: 64}
"""Measured lines of each orientation; copies of rows fill the memory."""
BYTES_PER_NONZERO = 8
"""Without symmetry: an int32 position and a float32 value."""
SEED = 5
NOTE = (
    f"{LINE_BY_LINE} and {NO_SYMMETRY}: estimated from at most {LINES[LINE_BY_LINE]} and "
    f"{LINES[NO_SYMMETRY]} random lines of each of {ORIENTATIONS} orientations. {NO_SYMMETRY} is "
    "without the time to read its matrix from a disk, because the matrix exceeds any memory. Back "
    "projection is without the sum over the images of the threads"
)


@dataclass(frozen=True)
class LineForms:
    """Some lines with their rows, in the form for `engine.kernels.matrix.lines`."""

    rows: NDArray[np.int64]
    begins: NDArray[np.int64]
    row_starts: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: NDArray[np.float32]

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Arrays in the order of the kernels' arguments."""
        return self.rows, self.begins, self.row_starts, self.places, self.weights

    @property
    def n_products(self) -> int:
        """Number of non-zeros of all lines."""
        return int(np.diff(self.row_starts)[self.rows].sum())

    def repeated(self) -> LineForms:
        """Return the same lines, each with its own copy of its row."""
        lengths = np.diff(self.row_starts)[self.rows]
        parts = [slice(*self.row_starts[row : row + 2]) for row in self.rows]
        return LineForms(
            np.arange(len(self.rows)),
            self.begins,
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate([self.places[part] for part in parts]),
            np.concatenate([self.weights[part] for part in parts]),
        )


def run(on: Backend, work: PanelWork, repeats: int = 3) -> Plain:
    """Measure every variant in both directions, and scale it to an iteration.

    Parameters
    ----------
    on
        CPU
    work
        scanner, response and subsets
    repeats
        runs of each case; the median counts

    Returns
    -------
    part
        JSON values for the report
    """
    rng = np.random.default_rng(SEED)
    n_shifts = work.scanner.orientations.n_shifts
    n = min(ORIENTATIONS, len(n_shifts))
    # In proportion to their lines, as they occur in an iteration
    chosen = rng.choice(len(n_shifts), n, replace=False, p=n_shifts / n_shifts.sum())
    rows = _correlation(on, work)
    for form in (LINE_BY_LINE, NO_SYMMETRY):
        lines = lines_of(work, chosen, LINES[form], rng)
        lines = lines.repeated() if form == NO_SYMMETRY else lines
        rows += _line_by_line(form, lines, on, work, repeats)
    # Only calculated: no memory holds this matrix
    unfolded = work.n_products_in_all * BYTES_PER_NONZERO
    return {"note": NOTE, **work.facts(), "unfolded_bytes": unfolded, "rows": rows, "bars": []}


def lines_of(work: PanelWork, chosen: Array, max_lines: int, rng: np.random.Generator) -> LineForms:
    """Return neighbouring lines of some orientations.

    Parameters
    ----------
    work
        scanner and response
    chosen
        numbers of the orientations
    max_lines
        most lines of each orientation
    rng
        random generator

    Returns
    -------
    lines
        lines with rows; voxels are counted in the image with the response's margin, [z, y, x]
    """
    d, table = work.scanner.settings.voxels_per_pitch, work.scanner.orientations
    n_y, n_x = _bordered(work)[1:]
    margin = work.response.margin
    rows, begins, starts = [], [], [0]
    places, weights = [], []
    for number, (a, b) in enumerate(table.offsets[chosen].tolist()):
        row, (_, shape) = work.response.row(a, b), table.block(a, b)
        # Sorted by memory address, as a stored matrix would be
        order = np.lexsort((row.k, row.p, row.j))
        places.append(((row.j * n_y + row.p) * n_x + row.k)[order])
        weights.append(row.values[order])
        starts.append(starts[-1] + len(order))
        n_all = shape[0] * shape[1]
        # Neighbours share voxels in the cache, as in a real projection
        first = rng.integers(max(n_all - max_lines, 0) + 1)
        r, c = np.divmod(first + np.arange(min(max_lines, n_all)), shape[1])
        begins.append(d * ((margin + r) * n_y * n_x + margin + c))
        rows.append(np.full(len(r), number))
    return LineForms(
        np.concatenate(rows),
        np.concatenate(begins),
        np.array(starts),
        np.concatenate(places).astype(np.int32),
        np.concatenate(weights),
    )


def _bordered(work: PanelWork) -> tuple[int, int, int]:
    """Return the shape of the image with the response's margin."""
    n_z, n_y, n_x = work.scanner.grid.shape
    more = 2 * work.response.margin * work.scanner.settings.voxels_per_pitch
    return n_z + more, n_y, n_x + more


def _correlation(on: Backend, work: PanelWork) -> list[Plain]:
    A = MatrixProjector(work.response, on=on).subset(0, work.n_subsets)
    x, y = np.ones(A.in_shape, np.float32), np.ones(A.out_shape, np.float32)
    n_products = int(work.n_products[A.orientations].sum())
    small = A.among(np.arange(1))
    small.adjoint(small.forward(x))  # compiles
    forward, back = timed(lambda: A.forward(x), on), timed(lambda: A.adjoint(y), on)
    return [
        _row(CORRELATION, case, seconds, n_products, on, work)
        for case, seconds in ((FORWARD, forward), (BACK, back))
    ]


def _line_by_line(
    form: str, lines: LineForms, on: Backend, work: PanelWork, repeats: int
) -> list[Plain]:
    n, n_voxels = len(lines.rows), int(np.prod(_bordered(work)))
    x, y = np.ones(n_voxels, np.float32), np.ones(n, np.float32)
    # One image per thread, since threads may write the same voxel
    images = np.zeros((on.threads, n_voxels), np.float32)
    images[:] = 1  # reserves the memory now

    def forward() -> None:
        def share(_: int, start: int, stop: int) -> None:
            kernels.forward(start, stop, *lines.arrays, x, y)

        run_blocks(share, n, on.threads, smallest=1)

    def back() -> None:
        def share(thread: int, start: int, stop: int) -> None:
            kernels.back(start, stop, *lines.arrays, y, images[thread])

        run_blocks(share, n, on.threads, smallest=1)

    found = []
    for case, project in ((FORWARD, forward), (BACK, back)):
        project()  # compiles
        seconds = sorted(timed(project, on) for _ in range(repeats))[repeats // 2]
        found.append(_row(form, case, seconds, lines.n_products, on, work))
    return found


def _row(
    form: str, case: str, seconds: Sequence[float], n_products: int, on: Backend, work: PanelWork
) -> Plain:
    """Scale the times of some products to an iteration."""
    # Products, not lines: orientations differ in their numbers of non-zeros
    longer = work.n_products_in_all / n_products
    return {
        "form": form,
        "case": case,
        "device": on.name,
        "threads": on.threads,
        "iteration_s": longer * seconds[0],
        "cpu_s": longer * seconds[1],
        "products_per_s": n_products / seconds[0],
        "measured_products": n_products,
    }
