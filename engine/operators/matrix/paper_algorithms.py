"""GPU algorithms of Chou et al., PLoS ONE 7 (2012) e50540, as a reference for `matrix`.

They are only used to measure the gain of the correlation method; see matrix_paper.cu.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import cuda
from engine.core.backend.gpu import Array, Function, Gpu
from engine.core.errors import GeometryError
from engine.kernels.matrix.device_matrix import parts_of
from engine.kernels.matrix.variants import PanelShape, paper_source
from engine.operators.base import LinearOperator
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.matrix.rows import turned_rows

Algorithm = Literal[1, 2, 3]
THREADS = 128
"""Threads of a block, as in the paper."""
WORK_PER_LAUNCH = 10**10
"""Maximum number of products in a launch."""
_MAX_GRID = 65535
_MAX_VOXELS = 1 << 11
"""Maximum voxels along an edge, by the bits of a packed voxel."""
_MIRRORS = 6
_ROW, _SWAP, _A, _B, _N_ROWS, _N_COLUMNS, _TURNS, _STARTS = 0, 1, 2, 3, 4, 5, 6, 10
_FAMILY = 16


class PaperProjector(LinearOperator):
    """Lines of a projector on a GPU, by one of the three algorithms of the paper.

    Parameters
    ----------
    A : projector of these lines, on any device
    gpu : the device
    algorithm : 1: a line for each block; 2: up to four lines, mirror images of one another; 3: with
        shared memory and a texture, without the lines that have no counts
    counts : (n_lines,) counts, tested by algorithm 3; None: all lines have counts
    """

    def __init__(
        self, A: MatrixProjector, gpu: Gpu, algorithm: Algorithm, counts: Array | None = None
    ) -> None:
        s, margin = A.response.scanner.settings, A.response.margin
        panel = PanelShape(s.n_rows, s.n_columns, s.n_planes, s.voxels_per_pitch, margin)
        # a voxel's code has 11 bits for row and column each, and 10 for the plane
        widest = panel.edge * (max(panel.rows, panel.columns) + 2 * margin)
        if widest > _MAX_VOXELS:
            raise GeometryError(
                f"{A.response.scanner.name}: the image has {widest} voxels along one edge, "
                "including margins, but the algorithms of Chou et al. (2012) support at most "
                f"{_MAX_VOXELS}; use smaller panels."
            )
        # `A` may be on the CPU, because only its response and its lines are used
        self.in_shape, self.out_shape, self.on = A.in_shape, A.out_shape, cuda(gpu)
        self._A, self._gpu, self._algorithm = A, gpu, algorithm
        module = gpu.load(paper_source(panel, algorithm, THREADS), ("-std=c++17",))
        self._functions: dict[str, Function] = {
            name: module.function(name) for name in ("forward", "back")
        }
        self._families, self._n_nonzero, self._rows = self._stored(panel)
        ones = np.ones(A.out_shape, np.float32) if counts is None else counts
        # algorithm 3 omits lines without counts in both directions, like the paper
        self._counts = self._device_array(ones)

    def forward(self, x: Array) -> Array:
        """Return the values (n_lines,) of an image (n_z, n_y, n_x), on its device."""
        image = argument = self._device_array(x)
        if self._algorithm == 3:
            n_z, n_y, n_x = self.in_shape
            texture = self._gpu.texture("array", (n_y, n_z, n_x))
            texture.update(self._gpu.xp.ascontiguousarray(image.transpose(1, 0, 2)))
            argument = texture.argument
        out = self._zeros(self.out_shape)
        self._launch("forward", self._counts, argument, out)
        return out

    def adjoint(self, y: Array) -> Array:
        """Return the back projection (n_z, n_y, n_x) of values of the lines, on their device."""
        image = self._zeros(self.in_shape)
        self._launch("back", self._device_array(y), image)
        return image

    def _launch(self, name: str, *arguments: Any) -> None:
        shifts = self._families[:, _N_ROWS] * self._families[:, _N_COLUMNS]
        members = np.count_nonzero(self._families[:, _STARTS : _STARTS + 4] >= 0, axis=1)
        # Each stored plane represents two planes of the image.
        work = 2 * self._n_nonzero * shifts * members
        for part in parts_of(work, WORK_PER_LAUNCH, _MAX_GRID):
            families = self._gpu.upload(self._families[part].astype(np.int32))
            blocks = int(shifts[part].max()), len(families)
            self._functions[name](blocks, THREADS, families, *self._rows, *arguments)

    def _stored(
        self, panel: PanelShape
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[Array, ...]]:
        """Return families (n, 16), non-zeros of their rows, and all rows on the device."""
        A, response = self._A, self._A.response
        chosen = turned_rows(response, response.scanner.orientations.offsets[A.orientations])
        needed, chosen[:, 0] = np.unique(chosen[:, 0], return_inverse=True)
        counts = np.diff(response.starts[:: response.n_planes_stored])[needed]
        starts = np.concatenate([[0], np.cumsum(counts)])
        voxels = self._gpu.empty((int(starts[-1]),), np.uint32)
        values = self._gpu.empty(voxels.shape, np.float32)
        beyond = panel.margin * panel.edge
        for i, row in enumerate(needed.tolist()):
            found, to = response.stored(row), slice(starts[i], starts[i + 1])
            bits = (found.p << 22) + ((found.j + beyond) << 11) + found.k + beyond
            self._gpu.upload(bits.astype(np.uint32), out=voxels[to])
            self._gpu.upload(found.values, out=values[to])
        families = self._families_of(chosen, panel)
        return families, counts[families[:, _ROW]], (self._gpu.upload(starts), voxels, values)

    def _families_of(self, chosen: NDArray[np.int64], panel: PanelShape) -> NDArray[np.int64]:
        """Group orientations that are processed together: up to four, or one for algorithm 1."""
        row, turn, a, b = chosen.T
        group = np.arange(len(row)) if self._algorithm == 1 else a * panel.columns + b
        _, first, family = np.unique(group, return_index=True, return_inverse=True)
        families = np.zeros((len(first), _FAMILY), np.int64)
        families[:, _ROW : _B + 1] = np.column_stack([row, turn & 1, a, b])[first]
        families[:, _N_ROWS], families[:, _N_COLUMNS] = (
            panel.rows - a[first],
            panel.columns - b[first],
        )
        families[:, _STARTS : _STARTS + 4] = -1
        member = 0 * turn if self._algorithm == 1 else (turn & _MIRRORS) >> 1
        families[family, _TURNS + member] = turn & _MIRRORS
        families[family, _STARTS + member] = self._A.starts[:-1]
        return families

    def _device_array(self, values: Array) -> Array:
        if type(values) is np.ndarray:
            return self._gpu.upload(np.ascontiguousarray(values, np.float32))
        return self._gpu.xp.ascontiguousarray(values, dtype=np.float32)

    def _zeros(self, shape: tuple[int, ...]) -> Array:
        out = self._gpu.empty(shape, np.float32)
        self._gpu.zero(out)
        return out
