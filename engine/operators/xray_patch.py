"""A small box on a GPU, put anywhere, from projections that are kept in textures.

Its matrices stay on the device, and go to constant memory in one piece up to 1365 views; where the
box has too few blocks for the card, several share the views. After the first call the work is one
recorded graph, which serves every place, and new projections too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.arrays import Array
from engine.backend.gpu import Gpu, Graph
from engine.kernels.device_cone import back_rows
from engine.operators.resident_projections import ResidentProjections
from engine.operators.xray_scene import Three


class Patch:
    """A box of its own, of one shape.

    Parameters
    ----------
    gpu : the device
    projections : the projections
    matrices : (n_views, 3, 4) of points in voxels from the lower corner of the box, to pixels
    shape : (n_z, n_y, n_x)
    detector : (n_rows, n_columns)
    turned : whether the box does not lie along x, y and z

    Attributes
    ----------
    values : (n_z, n_y, n_x) on the device; replaced by each `queue`
    """

    def __init__(
        self, gpu: Gpu, projections: ResidentProjections, matrices: Array, shape: Three,
        *, detector: tuple[int, int], turned: bool = False,
    ) -> None:  # fmt: skip
        self._gpu, self._projections, self._detector = gpu, projections, detector
        self._kernels = projections.kernels(shape, turned=turned)
        self._views = self._kernels.views(matrices, shape, detector)
        self.values = gpu.empty(shape, np.float32)

    def place(self, matrices: Array) -> None:
        """Put it elsewhere."""
        # into the same memory: the recorded graph holds its address
        rows = back_rows(matrices, self.values.shape, self._detector)
        self._gpu.upload(rows.reshape(len(rows), -1).view(np.uint8), self._views.rows)

    def queue(self) -> None:
        """Queue the back projection with 1/τ² into `values`."""
        self._projections.queue(self._kernels, self._views, self.values)


class Replay:
    """Work that is done as it is the first time, and as a recorded graph from then on."""

    def __init__(self, gpu: Gpu, work: Callable[[], None]) -> None:
        self._gpu, self._work = gpu, work
        self._graph: Graph | None = None

    def __call__(self) -> None:
        """Queue the work."""
        if self._graph is None:
            self._work()  # takes the memory it needs
            self._graph = self._gpu.record(self._work)
        else:
            self._graph.launch()
