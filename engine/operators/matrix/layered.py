"""Projection with the response of each pair of crystal layers of a dual-head scanner.

    forward : expected counts of each line of response, pair of layers slowest [image times 1]
    adjoint : the exact transpose

See `engine.operators.matrix.layer_pair` for pairs of different layers.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import product
from threading import local
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array, to_host
from engine.core.backend import Backend
from engine.core.profiling import Profiler
from engine.data.layered_response import LayeredResponse, Layers, StoredResponse
from engine.kernels.blocks import OnProgress
from engine.operators.base import Definition
from engine.operators.matrix.layer_pair import LayerPairProjector
from engine.operators.matrix.orientation_rows import OrientationRows
from engine.operators.matrix.projector import MatrixProjector


@dataclass(frozen=True)
class _Part:
    """Some orientations of one pair of layers.

    Attributes
    ----------
    A : their projector
    lines : lines of the whole projector that belong to it
    """

    A: MatrixProjector
    lines: slice


class _PartProgress(local):
    """Converts the progress of parts to that of the whole, in each thread for its own call."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress, self._before, self._n = on_progress, 0, 0

    def begin(self, before: int, n: int) -> None:
        """Start a part.

        Parameters
        ----------
        before
            orientations completed before it
        n
            number of all orientations
        """
        self._before, self._n = before, n

    def __call__(self, done: int, _: int) -> None:
        self._on_progress(self._before + done, self._n)


class LayeredProjector(OrientationRows):
    """Rows of some orientations of all pairs of layers.

    Orientations are numbered by pairs of layers: place = (layer0 n_layers + layer1) n + place
    in `scanner.orientations`. Results are on the host.

    Parameters
    ----------
    response : the stored rows
    on : device and threads
    dtype : of arithmetic, float32 or float64; on a GPU float32
    on_progress : called with (done, in all) several times a second and at the end; may raise
    profiler : times projections and the GPU's kernels

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.data.histogram import with_settings
    >>> from engine.modalities.dual_head_pet.response.layered import build_layered
    >>> from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
    >>> two = with_settings(engine.read_scanner("test-panels"), n_layers=2)
    >>> response = build_layered(two, AnalyticResponse(n_points=256), threads=1)
    >>> A = LayeredProjector(response, on=engine.cpu())
    >>> A(np.ones(two.grid.shape, np.float32)).shape
    (2304,)
    """

    def __init__(
        self,
        response: LayeredResponse,
        *,
        on: Backend,
        dtype: DTypeLike = np.float32,
        on_progress: OnProgress | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        self.response, self.on, self.profiler = response, on, profiler
        self._table = response.scanner.orientations
        self._progress = None if on_progress is None else _PartProgress(on_progress)
        settings: dict[str, Any] = {"on": on, "dtype": dtype, "profiler": profiler}
        self._whole: dict[Layers, MatrixProjector] = {}
        for (i, k), matrix in response.matrices.items():
            if i == k:
                self._whole[i, k] = MatrixProjector(matrix, on_progress=self._progress, **settings)
                continue
            whole = LayerPairProjector(matrix, on_progress=self._progress, **settings)
            # both share their rows, also on a GPU
            self._whole[i, k], self._whole[k, i] = whole, whole.exchanged()
        self.dtype = np.dtype(dtype)
        self.in_shape = response.scanner.grid.shape
        self._choose(np.arange(response.scanner.settings.n_layers**2 * self._n_each))

    def __reduce__(self) -> Definition:
        return _rows_of, (self.response, self.orientations, self.on, self.dtype)

    @property
    def offsets(self) -> NDArray[np.int32]:
        found: NDArray[np.int32] = self._table.offsets[self.orientations % self._n_each]
        return found

    @property
    def _n_each(self) -> int:
        """Number of orientations of a pair of layers."""
        return len(self._table.offsets)

    def _choose(self, orientations: NDArray[np.int64]) -> None:
        self.orientations = orientations
        n_lines = self._table.n_shifts[orientations % self._n_each]
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(n_lines)])
        self.out_shape = (int(self.starts[-1]),)
        # subsets without counts on a pair of layers do not need its rows
        self._parts = [part for part in self._cut() if len(part.A.orientations)]

    def _cut(self) -> list[_Part]:
        """Divide our orientations by pairs of layers."""
        parts, n_layers = [], self.response.scanner.settings.n_layers
        for number, (i, k) in enumerate(product(range(n_layers), repeat=2)):
            first, last = np.searchsorted(
                self.orientations, np.array([number, number + 1]) * self._n_each
            )
            own = self.orientations[first:last] - number * self._n_each
            lines = slice(int(self.starts[first]), int(self.starts[last]))
            parts.append(_Part(self._whole[i, k].among(own), lines))
        return parts

    def forward(self, x: Array) -> Array:
        """Return the expected counts (n_lines,) of an image (n_z, n_y, n_x)."""
        # the lines of all layers are too many for most GPUs, so they stay on the host
        image, out = to_host(x), np.empty(self.out_shape, self.dtype)
        for part in self._parts_with_progress():
            out[part.lines] = to_host(part.A.forward(image))
        return out

    def adjoint(self, y: Array) -> Array:
        """Return the back projection (n_z, n_y, n_x) of one value for each line (n_lines,)."""
        values, sums = to_host(y), np.zeros(self.in_shape, self.dtype)
        for part in self._parts_with_progress():
            # Always in the same order of layers, so the rounding does not change.
            sums += to_host(part.A.adjoint(values[part.lines]))
        return sums

    def among(self, places: Array) -> LayeredProjector:
        # shares the matrices with us
        part = copy(self)
        part._choose(self.orientations[places])
        return part

    def _parts_with_progress(self) -> Iterator[_Part]:
        """Yield our parts; each reports its progress as part of the whole."""
        done = 0
        for part in self._parts:
            if self._progress is not None:
                self._progress.begin(done, len(self.orientations))
            yield part
            done += len(part.A.orientations)


def _rows_of(
    response: LayeredResponse, orientations: Array, on: Backend, dtype: DTypeLike
) -> LayeredProjector:
    """Return the projector of some orientations, numbered as in the whole one."""
    return LayeredProjector(response, on=on, dtype=dtype).among(orientations)


def projector(
    response: StoredResponse,
    *,
    on: Backend,
    on_progress: OnProgress | None = None,
    profiler: Profiler | None = None,
) -> MatrixProjector | LayeredProjector:
    """Return the projector of a response with one or several crystal layers.

    Parameters
    ----------
    response
        stored response
    on
        device and threads
    on_progress
        called with (done, all) several times a second; can raise to stop
    profiler
        times projections and the GPU kernels
    """
    if isinstance(response, LayeredResponse):
        return LayeredProjector(response, on=on, on_progress=on_progress, profiler=profiler)
    return MatrixProjector(response, on=on, on_progress=on_progress, profiler=profiler)
