"""Back projection of parallel rays through the grid of frequencies of a slice.

    x(r) = Σ_views (1/L) Σ_k Q_k exp(2πi k s(r) / L),   s(r) = a·r + c

Q is the spectrum of a filtered row on L pixels. The sum equals back projection by voxels with
band-limited interpolation of the rows. All waves are added to an oversampled Cartesian grid. Its
inverse Fourier transform is divided by that of the interpolating function: O'Sullivan, IEEE T Med
Imaging 4 (1985) 200; Fessler & Sutton, IEEE T Signal Process 51 (2003) 560. The cost of a view
grows with the number of columns, not of voxels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import OnProgress, run_blocks
from engine.kernels.grid_layout import (
    LANES,
    MARGIN,
    OVERSAMPLING,
    TAPS,
    period_of,
    working_threads,
)
from engine.kernels.gridding import STEPS, add_waves, fold, separated
from engine.kernels.parallel_back import LEVEL, are_level
from engine.operators.xray.scene import VolumeBox

SpectraOf = Callable[[range], NDArray[np.complex64]]
"""Returns the spectra of filtered rows of some views, (n, n_rows, length // 2 + 1)."""
ALONE = 2
"""Slices up to which each has a grid of its own; more share grids, with empty lanes."""
_VIEWS = 32
"""Views that are added in one step; their spectra stay in the L2 cache."""
_VIEWS_ALONE = 96
"""The same for slices that have a grid of their own and read one or two rows."""


def obstacle(geometry: XrayGeometry, grid: ImageGrid) -> str:
    """Return why the geometry of a scan prevents gridding; empty if it does not.

    Parameters
    ----------
    geometry
        source and detector of each view
    grid
        grid of the image

    Returns
    -------
    a sentence, or an empty text
    """
    if geometry.beam != "parallel":
        return "Gridding requires parallel rays."
    matrices = geometry.in_voxels(grid)
    drift = np.abs(matrices[:, 0, 2] / matrices[:, 2, 3]).max() * grid.shape[0]
    if not are_level(matrices, grid.shape[1:]) or drift > LEVEL:
        return "Gridding requires rays perpendicular to the axis and detector columns along it."
    return ""


def compile_kernels() -> None:
    """Compile the kernels of gridding, or load them from the cache, by a call on an empty scan."""
    spectra, table = np.zeros((0, 2, 1, 2), np.float32), np.zeros((STEPS + 2, TAPS), np.float32)
    rows, shares = np.zeros((0, LANES), np.int32), np.zeros((0, LANES, 2), np.float32)
    period = (2 * TAPS, 2 * TAPS)
    buffers = _Buffers.of(period, LANES)
    buffers.cells.fill(0)
    add_waves(spectra, rows, shares, np.zeros((0, 3)), period, table, buffers.cells)
    fold(buffers.cells)
    separated(buffers.cells, buffers.spectra)


@dataclass(frozen=True, eq=False)
class GriddedSlices:
    """Back projection of the spectra of rows into slices, on the CPU.

    Attributes
    ----------
    geometry : source and detector of each view, without an `obstacle`
    grid : the whole volume
    length : pixels of the transform of a row
    first_column : pixel of the transform at which the detector begins
    threads : threads, each with its own slices
    """

    geometry: XrayGeometry
    grid: ImageGrid
    length: int
    first_column: int
    threads: int

    def slices(
        self,
        filtered: Callable[[range], SpectraOf],
        box: VolumeBox,
        on_progress: OnProgress | None = None,
    ) -> NDArray[np.float32]:
        """Return the voxels of a box [1/mm]; they have the same bits as in the whole volume.

        Parameters
        ----------
        filtered
            called with the required detector rows; returns a function of views
        box
            voxels to return
        on_progress
            called several times a second; may raise to stop
        """
        out = np.empty(box.shape, np.float32)
        across = tuple(slice(c, c + n) for c, n in zip(box.corner[1:], box.shape[1:], strict=True))

        n_lanes = 1 if box.shape[0] <= ALONE else LANES
        threads = working_threads(self.grid.shape, self.threads)
        buffers: list[_Buffers | None] = [None] * threads

        def work(thread: int, start: int, stop: int) -> None:
            # Reused, because allocating the pages takes as long as filling a grid.
            mine = buffers[thread] = buffers[thread] or _Buffers.of(self._period, n_lanes)
            slices = range(box.corner[0] + start, box.corner[0] + stop)
            # Whole slices, cut afterwards, because positions count from the middle of a slice.
            for k, made in enumerate(self._batch(filtered, slices, mine)):
                out[start + k] = made[across]

        run_blocks(work, box.shape[0], threads, on_progress, rows=n_lanes, in_turn=False)
        return out

    def _batch(
        self, filtered: Callable[[range], SpectraOf], slices: range, buffers: _Buffers
    ) -> Iterator[NDArray[np.float32]]:
        """Yield whole slices, at most as many as the grid has lanes."""
        places = self._rows_of(slices, len(buffers.spectra))
        if places is None:
            for _ in slices:
                yield np.zeros(self.grid.shape[1:], np.float32)
            return
        spectra_of = filtered(places.seen)
        buffers.cells.fill(0)
        n_views = self.geometry.n_views
        at_once = _VIEWS_ALONE if len(buffers.spectra) == 1 else _VIEWS
        for start in range(0, n_views, at_once):
            views = range(start, min(start + at_once, n_views))
            self._add(spectra_of(views), places, views, buffers.cells)
        for spectrum in buffers.spectra_of_slices()[: len(slices)]:
            yield self._slice(spectrum)

    def _add(
        self, rows: NDArray[np.complex64], places: _Rows, views: range, cells: NDArray[np.float32]
    ) -> None:
        """Add the spectra (n, n_seen, n_f) of some views to the grid."""
        # one row of zeros on each side: slices at the edge of the detector have one neighbour
        spectra = np.zeros((len(rows), rows.shape[1] + 2, rows.shape[2]), np.complex64)
        spectra[:, 1:-1] = rows
        # Other waves are added together with their conjugates. These two are their own conjugates.
        spectra[..., 0] *= 0.5
        if self.length % 2 == 0:
            spectra[..., -1] *= 0.5
        some = slice(views.start, views.stop)
        add_waves(
            spectra.view(np.float32).reshape(*spectra.shape, 2),
            places.first[some],
            places.shares[some],
            self._steps[some],
            self._period,
            self._table,
            cells,
        )

    def _slice(self, spectrum: NDArray[np.complex64]) -> NDArray[np.float32]:
        """Return the image of a folded grid."""
        n_y, n_x = self.grid.shape[1:]
        down, right = n_y // 2, n_x // 2
        lines = scipy.fft.ifft(spectrum, axis=0, overwrite_x=True)
        y, x = self._factors
        image = np.empty((n_y, n_x), np.float32)
        # The middle voxel is the first number of the transform, so that its ends come first.
        halves = (lines[len(lines) - down :], image[:down]), (lines[: n_y - down], image[down:])
        for half, part in halves:
            rows = scipy.fft.irfft(half, self._period[1], axis=1)
            np.multiply(rows[:, rows.shape[1] - right :], x[:right], out=part[:, :right])
            np.multiply(rows[:, : n_x - right], x[right:], out=part[:, right:])
        image *= y[:, None]
        return image

    @cached_property
    def _period(self) -> tuple[int, int]:
        return period_of(self.grid.shape)

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        """Detector column of a point in voxels, (n_views, 4); 0 is the edge of the first column."""
        return np.asarray(self._matrices[:, 0] / self._matrices[:, 2, 3:])

    @cached_property
    def _matrices(self) -> NDArray[np.float64]:
        return np.asarray(self.geometry.in_voxels(self.grid))

    @cached_property
    def _steps(self) -> NDArray[np.float64]:
        """Return the places of waves, see `add_waves`."""
        (n_y, n_x), (_, down, right) = self._period, (n // 2 for n in self.grid.shape)
        middle = np.array([right + 0.5, down + 0.5, 0.0, 1.0])
        pixel = self._columns @ middle - 0.5 + self.first_column
        x, y = self._columns[:, 0] * n_x, self._columns[:, 1] * n_y
        return np.stack([x, y, 2 * np.pi * pixel], axis=1) / self.length

    def _rows_of(self, slices: range, n_lanes: int) -> _Rows | None:
        """Return the rows that slices interpolate; None if no view sees them."""
        matrices = self._matrices
        n_y, n_x = self.grid.shape[1:]
        z = np.resize(np.array(slices) + 0.5, n_lanes)
        one = np.ones(n_lanes)
        points = np.stack([n_x / 2 * one, n_y / 2 * one, z, one])
        row = matrices[:, 1] @ points / matrices[:, 2, 3:] - 0.5
        nearest = np.round(row)
        # rounding must not let a slice that is on a row read its neighbour as well
        row = np.where(np.abs(row - nearest) < LEVEL, nearest, row)
        first = np.floor(row).astype(np.int32)
        part = row - first
        n_rows = self.geometry.shape[0]
        near = np.where((first >= 0) & (first < n_rows), 1 - part, 0)
        far = np.where((first >= -1) & (first < n_rows - 1), part, 0)
        used = np.concatenate((first[near != 0], first[far != 0] + 1))
        if not used.size:
            return None
        seen = range(int(used.min()), int(used.max()) + 1)
        shares = np.stack([near, far], axis=2) / matrices[:, 2, 3][:, None, None] ** 2
        # from the row of zeros before the rows that are seen
        place = np.clip(first - seen.start + 1, 0, len(seen)).astype(np.int32)
        return _Rows(seen, place, shares.astype(np.float32))

    @cached_property
    def _factors(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Factors of the rows and columns of an image after the transform."""
        found = []
        for n, period in zip(self.grid.shape[1:], self._period, strict=True):
            at = (np.arange(n) - n // 2) / period
            found.append(period / _transform(at, self._shape_factor))
        # transforms divide by the period; waves by the length of the rows
        return (found[0] / self.length).astype(np.float32), found[1].astype(np.float32)

    @property
    def _shape_factor(self) -> float:
        """β of the Kaiser-Bessel function: Beatty et al., IEEE T Med Imaging 24 (2005) 799."""
        return float(np.pi * np.sqrt((TAPS / OVERSAMPLING * (OVERSAMPLING - 0.5)) ** 2 - 0.8))

    @cached_property
    def _table(self) -> NDArray[np.float32]:
        """Weights of the taps at places within a cell, (STEPS + 2, TAPS)."""
        fraction = np.arange(STEPS + 2)[:, None] / STEPS
        distance = fraction - (np.arange(TAPS) - (TAPS // 2 - 1))
        inside = np.maximum(1 - (2 * distance / TAPS) ** 2, 0)
        return np.asarray(np.i0(self._shape_factor * np.sqrt(inside)).astype(np.float32))


@dataclass(frozen=True, eq=False)
class _Buffers:
    """Memory of a thread: the grid of some slices, and the same slice by slice.

    The grid of one slice is transformed where it is, and needs no second memory.
    """

    cells: NDArray[np.float32]
    spectra: NDArray[np.float32]

    @classmethod
    def of(cls, period: tuple[int, int], n_lanes: int) -> _Buffers:
        """Return the memory for a period (n_y, n_x) and a number of slices."""
        n_y, half = period[0], period[1] // 2 + 1
        cells = np.empty((n_y + 2 * MARGIN, half + 2 * MARGIN, n_lanes, 2), np.float32)
        if n_lanes == 1:
            inner = cells[MARGIN:-MARGIN, MARGIN:-MARGIN, 0]
            return cls(cells, inner[None])
        return cls(cells, np.empty((n_lanes, n_y, half, 2), np.float32))

    def spectra_of_slices(self) -> NDArray[np.complex64]:
        """Fold the grid; return it slice by slice (n_lanes, n_y, n_x / 2 + 1)."""
        fold(self.cells)
        if len(self.spectra) > 1:
            separated(self.cells, self.spectra)
        else:
            # Each wave represents itself and its conjugate; the transform counts these columns
            # once.
            self.spectra[..., [0, -1], :] *= np.float32(2.0)
        return self.spectra.view(np.complex64)[..., 0]


@dataclass(frozen=True, eq=False)
class _Rows:
    """Detector rows of some slices.

    Attributes
    ----------
    seen : rows that any view needs
    first : (n_views, n_lanes) first of two rows, counted from one before `seen`
    shares : (n_views, n_lanes, 2) weights of the two rows, times 1/τ²
    """

    seen: range
    first: NDArray[np.int32]
    shares: NDArray[np.float32]


def _transform(frequency: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """Return the Fourier transform of the Kaiser-Bessel function; frequency in 1/cell."""
    root = np.sqrt(np.asarray(beta**2 - (np.pi * TAPS * frequency) ** 2, complex))
    return np.real(TAPS * np.sinc(root / np.pi * 1j))
