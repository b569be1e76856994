"""Small boxes at any position on a GPU, from projections in textures.

Their matrices stay on the device, and are copied to constant memory at once for up to 1365 views.
If a box has too few blocks for the GPU, several blocks share the views. After the first call the
work on all boxes is a recorded graph, valid for all positions and for new projections.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.backend.gpu import Gpu, Graph
from engine.kernels.cone.device_cone import BackViews, back_rows
from engine.operators.xray.resident_projections import ResidentProjections
from engine.operators.xray.scene import Three


class PatchGroup:
    """Boxes of constant shapes that are computed together.

    Parameters
    ----------
    gpu : the device
    projections : the projections on the device
    matrices : for each box (n_views, 3, 4), from points in voxels of the box to pixels
    shapes : (n_z, n_y, n_x) of each box
    detector : (n_rows, n_columns)
    turned : True if the boxes are not parallel to x, y and z

    Attributes
    ----------
    values : (n_z, n_y, n_x) of each box on the device; replaced by each `project`
    """

    def __init__(
        self, gpu: Gpu, projections: ResidentProjections, matrices: Sequence[Array],
        shapes: Sequence[Three], *, detector: tuple[int, int], turned: bool = False,
    ) -> None:  # fmt: skip
        self._gpu, self._projections = gpu, projections
        self._shapes, self._detector = tuple(shapes), detector
        self._kernels = [projections.kernels(shape, turned=turned) for shape in shapes]
        self._rows = gpu.upload(self._rows_of(matrices))
        self._views = [
            BackViews(rows, shape, detector) for rows, shape in zip(self._rows, shapes, strict=True)
        ]
        self.values = [gpu.empty(shape, np.float32) for shape in shapes]
        self._graph: Graph | None = None

    def place(self, matrices: Sequence[Array]) -> None:
        """Move the boxes, by one copy for all.

        Parameters
        ----------
        matrices
            for each box (n_views, 3, 4), from points in voxels of the box to pixels
        """
        # into the same memory: the recorded graph uses its address
        self._gpu.upload(self._rows_of(matrices), self._rows)

    def project(self) -> None:
        """Queue the back projection with 1/τ² into `values`; from the second call on as a graph."""
        if self._graph is None:
            self._queue()  # allocates its memory
            # Recorded after a first real call, because memory cannot be allocated during the
            # recording.
            self._graph = self._gpu.record(self._queue)
        else:
            self._graph.launch()

    def _queue(self) -> None:
        for kernels, views, values in zip(self._kernels, self._views, self.values, strict=True):
            self._projections.queue(kernels, views, values)

    def _rows_of(self, matrices: Sequence[Array]) -> Array:
        """Return the views of the boxes in the kernel's layout, (n_boxes, n_views, 48) bytes."""
        rows = [
            back_rows(each, shape, self._detector)
            for each, shape in zip(matrices, self._shapes, strict=True)
        ]
        return np.stack(rows).reshape(len(rows), len(rows[0]), -1).view(np.uint8)
