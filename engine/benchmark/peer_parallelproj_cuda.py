"""The same events by the CUDA library of parallelproj 2, where it is installed: `libparallelproj`.

    p = A x        r = 1 / p        numerator = x · Aᵀ r

in three passes, of which its functions are the first and the last.
Its source is https://github.com/KUL-recon-lab/libparallelproj; conda-forge has it built.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from engine.arrays import Array
from engine.backend.gpu import Gpu
from engine.benchmark.card_cases import Beside
from engine.benchmark.parallelproj_library import ParallelprojLibrary, address
from engine.errors import ResourceError
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.operators.rays import Rays

PARALLELPROJ = "libparallelproj, CUDA"
SIGMAS = 3.0
"""Standard deviations at which it cuts off a time of flight: its own default."""
LEAST = 1e-6
"""Sums below this are not divided by."""
HELD_RTOL = 1e-2
"""Events near the edge of a cut-off time of flight may hold less."""


class ListModePeer:
    """Events on the card as the library takes them.

    x, not z, is the slowest axis of its image: of both orders the faster one for it on an H100.

    Parameters
    ----------
    gpu : the card
    rays : n events
    grid : voxels of the image
    image : (n_z, n_y, n_x), positive where rays pass, on the host
    tof : resolution and bins of their times of flight; None: without
    """

    def __init__(
        self, gpu: Gpu, rays: Rays, grid: ImageGrid, image: Array, tof: TofBins | None
    ) -> None:
        self._library, self._gpu = ParallelprojLibrary(gpu.facts.number), gpu
        voxel = np.array(grid.voxel_mm, np.float32)
        points = gpu.upload(rays.points_mm.astype(np.float32))
        ends = gpu.upload(np.ascontiguousarray(rays.ends))
        self._n = len(rays.ends)
        self._start, self._end = (gpu.xp.ascontiguousarray(points[ends[:, i]]) for i in (0, 1))
        self._image = gpu.upload(np.ascontiguousarray(image.transpose(2, 1, 0)))
        self._origin = gpu.upload(grid.lower_mm.astype(np.float32) + voxel / 2)
        self._voxel = gpu.upload(voxel)
        self._shape = gpu.upload(np.array(self._image.shape, np.int32))
        self._sums, self._ratios = (gpu.empty((self._n,), np.float32) for _ in range(2))
        self._shares = gpu.empty(self._image.shape, np.float32)
        self._timing: tuple[float, ...] = ()
        if tof is not None:
            self._sigma = gpu.upload(np.array([tof.sigma_mm], np.float32))
            self._offset = gpu.upload(np.zeros(1, np.float32))
            self._bins = gpu.upload(np.ascontiguousarray(rays.tof_bins, np.int16))
            arrays = self._sigma, self._offset, self._bins
            sigma, offset, bins = (address(each) for each in arrays)
            self._timing = (tof.bin_mm, sigma, offset, SIGMAS, bins, tof.n_bins, 0, 0)

    def beside(self) -> Beside:
        """Return what does the work once, and the sums p of its rays."""
        return Beside(self._library.build, self.numerator, self._checked_sums)

    def _checked_sums(self) -> Array:
        """Return p, where x · Aᵀ (1 / A x) holds each event once."""
        n_held = float(self.numerator().sum(dtype=np.float64))
        if not abs(n_held - self._n) < HELD_RTOL * self._n:
            raise ResourceError(
                f"{PARALLELPROJ}: its numerator holds {n_held:g} of {self._n} events, so that it "
                "did not do the work; try another build."
            )
        return self._sums

    def numerator(self) -> Array:
        """Return x · Aᵀ (1 / A x), of the library's order of axes."""
        # its kernels run on the stream of ours, so that all come in order
        self._call("fwd", self._image, self._sums)
        self._gpu.xp.maximum(self._sums, np.float32(LEAST), out=self._ratios)
        self._gpu.xp.reciprocal(self._ratios, out=self._ratios)
        self._gpu.zero(self._shares)
        self._call("back", self._shares, self._ratios)
        return self._image * self._shares

    def _call(self, way: Literal["fwd", "back"], image: Array, values: Array) -> None:
        arrays = (self._start, self._end, image, self._origin, self._voxel, values)
        rays = (*map(address, arrays), self._n, address(self._shape))
        self._library.call(way, *rays, *self._timing, timed=bool(self._timing))
