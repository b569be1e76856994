"""The same events by the library of parallelproj 2, where it is installed: `libparallelproj`.

    p = A x        r = 1 / p        numerator = x · Aᵀ r

in three passes, of which its functions are the first and the last.
Its source is https://github.com/KUL-recon-lab/libparallelproj; conda-forge has it built.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.operators.rays import Rays
from engine.tools.benchmark.peers.parallelproj_library import ParallelprojLibrary, address
from engine.tools.benchmark.peers.peer_run import PeerRun

NAME = "libparallelproj"
SIGMAS = 3.0
"""Standard deviations at which it cuts off a time of flight: its own default."""
LEAST = 1e-6
"""Sums below this are not divided by."""
HELD_RTOL = 1e-2
"""Events near the edge of a cut-off time of flight may hold less."""


def numerator(n_events: int, grid: ImageGrid, tof: TofBins | None, order: str = "sorted") -> str:
    """Say which numerator is made: the name of a row."""
    timed = f", {tof.fwhm_ps:g} ps" if tof else ""
    return f"list mode, EM numerator, {n_events} events {order}, {grid.shape[0]}³{timed}"


class ListModePeer:
    """Events on a device as the library takes them.

    x, not z, is the slowest axis of its image: of both orders the faster one for it on an H100 and
    on processors.

    Parameters
    ----------
    on : a card, or the processor
    rays : n events
    grid : voxels of the image
    image : (n_z, n_y, n_x), positive where rays pass, on the host
    tof : resolution and bins of their times of flight; None: without
    path : of the library; None: of the first that is there
    """

    def __init__(
        self,
        on: Backend,
        rays: Rays,
        grid: ImageGrid,
        image: Array,
        tof: TofBins | None,
        *,
        path: str | None = None,
    ) -> None:
        self._library, self._on = ParallelprojLibrary(on, path), on
        voxel = np.array(grid.voxel_mm, np.float32)
        points = on.to_device(rays.points_mm.astype(np.float32))
        ends = on.to_device(np.ascontiguousarray(rays.ends))
        self._n = len(rays.ends)
        self._start, self._end = (on.xp.ascontiguousarray(points[ends[:, i]]) for i in (0, 1))
        self._image = on.to_device(np.ascontiguousarray(image.transpose(2, 1, 0)))
        self._origin = on.to_device(grid.lower_mm.astype(np.float32) + voxel / 2)
        self._voxel = on.to_device(voxel)
        self._shape = on.to_device(np.array(self._image.shape, np.int32))
        # on a processor it leaves the sums of rays that miss the image as they are
        self._sums, self._ratios = (on.xp.zeros(self._n, np.float32) for _ in range(2))
        self._shares = on.xp.zeros(self._image.shape, np.float32)
        self._timing: tuple[float, ...] = ()
        if tof is not None:
            self._sigma = on.to_device(np.array([tof.sigma_mm], np.float32))
            self._offset = on.to_device(np.zeros(1, np.float32))
            self._bins = on.to_device(np.ascontiguousarray(rays.tof_bins, np.int16))
            arrays = self._sigma, self._offset, self._bins
            sigma, offset, bins = (address(each) for each in arrays)
            self._timing = (tof.bin_mm, sigma, offset, SIGMAS, bins, tof.n_bins, 0, 0)

    def peer_run(self) -> PeerRun:
        """Return what does the work once, and the sums p of its rays."""
        return PeerRun(self._library.build, self.numerator, self._checked_sums)

    def _checked_sums(self) -> Array:
        """Return p, where x · Aᵀ (1 / A x) holds each event once."""
        n_held = float(self.numerator().sum(dtype=np.float64))
        if not abs(n_held - self._n) < HELD_RTOL * self._n:
            raise ResourceError(
                f"{self._library.build}: its numerator holds {n_held:g} of {self._n} events, "
                "so that it did not do the work; try another build."
            )
        return self._sums

    def numerator(self) -> Array:
        """Return x · Aᵀ (1 / A x), of the library's order of axes."""
        # its kernels on a card run on the stream of ours, so that all come in order
        self._call("fwd", self._image, self._sums)
        self._on.xp.maximum(self._sums, np.float32(LEAST), out=self._ratios)
        self._on.xp.reciprocal(self._ratios, out=self._ratios)
        self._shares.fill(0)
        self._call("back", self._shares, self._ratios)
        return self._image * self._shares

    def _call(self, direction: Literal["fwd", "back"], image: Array, values: Array) -> None:
        arrays = (self._start, self._end, image, self._origin, self._voxel, values)
        rays = (*map(address, arrays), self._n, address(self._shape))
        self._library.call(direction, *rays, *self._timing, timed=bool(self._timing))
