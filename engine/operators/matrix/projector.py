"""Projection with the stored, folded system response of a dual-head scanner.

    forward : expected counts of each line of response, by its row of the matrix [image times 1]
    adjoint : the exact transpose

Lines have the order of `engine.geometry.orientations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.checked import checked_class
from engine.core.errors import GeometryError
from engine.core.profiling import Profiler
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHeadSettings
from engine.kernels.blocks import OnProgress, run_blocks
from engine.kernels.host_variants import MatrixForm
from engine.kernels.matrix import correlation as kernels
from engine.kernels.matrix.codes import MAX_PITCHES
from engine.kernels.matrix.decode import GroupLimits
from engine.kernels.matrix.variants import MatrixVariant
from engine.kernels.stored_variants import Slot, chosen
from engine.operators.base import Definition, created
from engine.operators.matrix.device import DeviceMatrix, DeviceResponse, default_variant
from engine.operators.matrix.em import MatrixEm
from engine.operators.matrix.layout import MatrixLayout
from engine.operators.matrix.mirror_lanes import layout_of
from engine.operators.matrix.orientation_rows import OrientationRows
from engine.operators.matrix.phases import Phases
from engine.operators.matrix.rows import (
    ArrayPool,
    DecodedRows,
    PlaneImages,
    StoredRows,
    parts_of,
    stored_rows,
)
from engine.operators.prior import Prior

WORTH_A_CALL, CALLS_OF_A_THREAD = 8, 2
"""Orientations that justify reading an image, forward, and number of such calls per thread."""
Piece = tuple[tuple[Array, ...], Array, int, int]
"""Arrays of rows, planes of an image, and range of the rows' planes to process."""


def matrix_slot(panels: DualHeadSettings) -> Slot:
    """Return the key under which tuned variants of the kernels are stored."""
    edge = panels.voxels_per_pitch
    size = f"{panels.n_rows} × {panels.n_columns} crystals, {edge} voxels per pitch"
    return Slot("matrix", size)


@checked_class()
class MatrixProjector(OrientationRows):
    """Rows of some orientations of a stored response.

    On a GPU, arrays can be on the host or the device; results are where the argument is.

    Parameters
    ----------
    response : the stored rows
    on : device and threads
    orientations : (n,) indices of `scanner.orientations.offsets`; None: all
    dtype : dtype of arithmetic, float32 or float64; on a GPU float32
    on_progress : called with (done, all) several times a second and at the end; can raise
    variant : variant of the GPU kernels; None: as tuned on this machine, or the default
    form : division of the work on the CPU; None: as tuned on this machine, or the default
    profiler : times projections and the GPU kernels

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.modalities.dual_head_pet.response.building import build_analytic
    >>> from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
    >>> panels = engine.read_scanner("test-panels")
    >>> response = build_analytic(panels, AnalyticResponse(n_points=256), threads=1)
    >>> A = engine.MatrixProjector(response, on=engine.cpu())
    >>> A(np.ones(panels.grid.shape, np.float32)).shape
    (576,)
    """

    def __init__(
        self,
        response: ResponseMatrix,
        *,
        on: Backend,
        orientations: Array | None = None,
        dtype: DTypeLike = np.float32,
        on_progress: OnProgress | None = None,
        variant: MatrixVariant | None = None,
        form: MatrixForm | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        scanner = response.scanner
        # layers detect at different depths, with one matrix for each pair of layers
        if scanner.settings.n_layers != 1:
            raise GeometryError(
                f"{scanner.name}: a response matrix describes one crystal layer, but the scanner "
                f"has {scanner.settings.n_layers}; use one matrix for each pair of layers."
            )
        self.response, self.on, self.dtype = response, on, np.dtype(dtype)
        self.phases = Phases.of(scanner.settings, response.margin)
        # Positions are packed into the bits of one integer.
        if max(self.phases.size) > MAX_PITCHES:
            raise GeometryError(
                f"{scanner.name}: the response matrix covers {max(self.phases.size)} pitches "
                f"along one edge, including a margin of {response.margin} on each side, but at "
                f"most {MAX_PITCHES} are supported; compute the matrix again with a smaller "
                "margin."
            )
        self.in_shape = scanner.grid.shape
        n = len(scanner.orientations.offsets)
        self._choose(np.arange(n) if orientations is None else np.asarray(orientations))
        self._tick, self._decoded = on_progress, DecodedRows(response, self.dtype)
        self._spare = ArrayPool()
        self._stored: DeviceResponse | None = None
        self.profiler = profiler
        self._given = {"variant": variant, "form": form}
        self._form, slot = form or MatrixForm(), matrix_slot(scanner.settings)
        if on.gpu is None and form is None:
            self._form = chosen(on, slot, self._form)
        if on.gpu is not None:
            # GPU kernels exist for float32 only.
            if self.dtype != np.float32:
                raise GeometryError(
                    f"{scanner.name}: on a GPU, a response matrix is projected in float32, but "
                    f"{self.dtype} was requested; use the CPU for higher precision."
                )
            self.profiler = profiler or Profiler(on)
            if variant is None:
                default = default_variant(response)
                # tuning for speed must not change the precision of the rows
                variant = replace(chosen(on, slot, default), values=default.values)
            self._stored = DeviceResponse(response, on.gpu, self.profiler, variant)

    def __reduce__(self) -> Definition:
        options = {"on": self.on, "orientations": self.orientations, "dtype": self.dtype}
        return created(type(self), self.response, **options, **self._given)

    def _choose(self, orientations: Array) -> None:
        self.orientations = orientations.astype(np.int64)
        # a subset only replaces this table: rows and kernels are shared by all subsets
        n_lines = self.response.scanner.orientations.n_shifts[self.orientations]
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(n_lines)])
        self.out_shape = (int(self.starts[-1]),)
        self._on_device: DeviceMatrix | None = None
        self._layout = self._make_layout()

    @property
    def offsets(self) -> NDArray[np.int32]:
        found: NDArray[np.int32] = self.response.scanner.orientations.offsets[self.orientations]
        return found

    def forward(self, x: Array) -> Array:
        """Return the expected counts of each line.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image

        Returns
        -------
        (n_lines,)
        """
        if self._stored is not None:
            return self._device(self._stored).forward(x)
        out = np.zeros(self.out_shape, self.dtype)
        with self.span("forward", events=len(out), unit="rays"):
            image = self._layout.split(x, self.dtype, self.on.threads)
            # some orientations at a time, because decoded rows need more memory than stored ones
            for first, rows in self._rows(self._layout.forward):
                self._project(first, rows, image, out)
        return out

    def adjoint(self, y: Array) -> Array:
        """Return the back projection of one value for each line.

        Parameters
        ----------
        y
            (n_lines,)

        Returns
        -------
        (n_z, n_y, n_x)
        """
        if self._stored is not None:
            return self._device(self._stored).adjoint(y)
        with self.span("back", events=len(y), unit="rays"):
            sums = np.zeros(self._layout.shape, self.dtype)
            for first, rows in self._rows(self._layout.back):
                self._project_back(first, rows, y, sums)
            return self._layout.joined(sums, self.on.threads)

    def among(self, places: Array) -> MatrixProjector:
        """Return the projector of some of our orientations.

        Parameters
        ----------
        places
            their indices among ours
        """
        # rows and compiled kernels are shared, the table is separate
        part = copy(self)
        part._choose(self.orientations[places])
        return part

    def em_loop(
        self,
        counts: Array,
        background: Array,
        factors: Array | None,
        x: Array,
        n_subsets: int,
        prior: Prior | None = None,
    ) -> MatrixEm:
        """Return a loop of expectation maximisation on the GPU.

        Parameters
        ----------
        counts
            (n_lines,) measured counts
        background
            (n_lines,) expected additive counts, or () the same for all
        factors
            (n_lines,) detection factors; None: all 1
        x
            (n_z, n_y, n_x) initial image
        n_subsets
            number of subsets
        prior
            prior of the image; None: no prior
        """
        return MatrixEm(self, counts, background, factors, x, n_subsets, prior)

    def _make_layout(self) -> MatrixLayout:
        """Return the layout of image and data on the CPU."""
        return layout_of(self.phases, self.offsets, self.dtype)

    def _device(self, stored: DeviceResponse) -> DeviceMatrix:
        """Return our orientations on the GPU."""
        if self._on_device is None:
            self._on_device = DeviceMatrix(
                stored, self.on, self.orientations, self.starts, self._tick
            )
        return self._on_device

    def _rows(self, limits: GroupLimits) -> Iterator[tuple[int, StoredRows]]:
        """Yield our rows part by part, each with the number of rows before it."""
        offsets, threads = self._layout.offsets, self._form.workers(self.on.threads)
        for part in parts_of(offsets, self._form.at_once):
            first, some = part.start, offsets[part]
            lanes, spare = self._layout.lanes, self._spare
            if self._layout.keeps_rows:
                yield first, self._decoded.of(some, limits, threads, lanes)
                continue
            rows = stored_rows(self.response, some, self.dtype, limits, threads, lanes, spare)
            yield first, rows
            spare.recycle(rows)

    def _project(self, first: int, rows: StoredRows, image: Array, out: Array) -> None:
        layout, n = self._layout, len(rows.chosen)
        # no border: lines outside the panels do not exist
        images = PlaneImages(rows.shapes, (0, 0), self.dtype, layout.lanes)
        panels = self.phases.edge, self.phases.margin, layout.lanes

        def work(_: int, block: int, _next: int) -> None:
            offsets = np.empty(rows.max_nonzeros, np.int32)
            pieces = self._pieces(rows, image, 0, self.response.n_planes_stored)
            for arrays, planes, _first, _last in pieces:
                where = layout.size, images.starts, images.pitches, images.flat
                kernels.forward(block, n_blocks, *arrays, *panels, planes, *where, offsets)

        form, threads = self._form, self._form.workers(self.on.threads)
        default = min(CALLS_OF_A_THREAD * threads, n * layout.lanes // WORTH_A_CALL)
        # interleaved orientations: neighbours need about the same work
        n_blocks = -(-n // form.rows) if form.rows else max(default, 1)
        run_blocks(work, n_blocks, threads, self._part(first, n), rows=1, in_turn=False)
        layout.take(images, out, self.starts, first, n)

    def _project_back(self, first: int, rows: StoredRows, y: Array, sums: Array) -> None:
        layout, n = self._layout, len(rows.chosen)
        # Non-zeros that are processed together extend this far beyond the image of the data.
        # Patches extend farther. Zeros there make a test of indices unnecessary.
        reach, farthest = rows.reach(self.phases.edge), layout.back.farthest(layout.lanes)
        border = min(reach, farthest[0]), min(reach, farthest[1])
        images = PlaneImages(rows.shapes, border, self.dtype, layout.lanes)
        layout.put(y, self.starts, images, first, n)
        panels = self.phases.edge, self.phases.margin, layout.lanes

        def work(_: int, start: int, stop: int) -> None:
            offsets = np.empty(rows.max_nonzeros, np.int32)
            for arrays, planes, first, last in self._pieces(rows, sums, start, stop):
                where = images.flat, border, images.starts, images.pitches, layout.size
                kernels.back(first, last, *arrays, *panels, *where, planes, offsets)

        # Blocks are planes here, not lines. Each thread adds to its own planes, so all threads
        # share one image, and its bits do not depend on their number.
        threads, ticks = self._form.workers(self.on.threads), self._part(first, n)
        run_blocks(work, self.response.n_planes_stored, threads, ticks, rows=1, in_turn=False)

    def _pieces(self, rows: StoredRows, image: Array, start: int, stop: int) -> Iterator[Piece]:
        """Yield the arguments of the kernels for stored planes start ... stop − 1: all at once."""
        yield rows.arrays, image, start, stop

    def _part(self, first: int, n: int) -> OnProgress | None:
        """Return a progress callback for the next n orientations after the first `first`."""
        on_progress, n_all = self._tick, len(self.orientations)
        if on_progress is None:
            return None
        each = n_all / len(self._layout.offsets)
        return lambda done, total: on_progress(round(each * (first + n * done / total)), n_all)
