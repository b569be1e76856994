"""The same events with the library of parallelproj 2, if installed (`libparallelproj`).

    p = A x        r = 1 / p        numerator = x · Aᵀ r

in three passes; its functions are the first and the last.
Source: https://github.com/KUL-recon-lab/libparallelproj; conda-forge has builds.
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
"""Standard deviations at which it truncates time of flight: its default."""
MIN_EXPECTED = 1e-6
"""Sums below this value are not used as divisors."""
COUNTED_RTOL = 1e-2
"""Tolerance for events near the edge of a truncated time of flight."""


def numerator(n_events: int, grid: ImageGrid, tof: TofBins | None, order: str = "sorted") -> str:
    """Return the name of a case.

    Parameters
    ----------
    n_events
        number of events
    grid
        grid of the image
    tof
        timing; None without time of flight
    order
        "sorted" or "unsorted"
    """
    timed = f", {tof.fwhm_ps:g} ps" if tof else ""
    return f"list mode, EM numerator, {n_events} events {order}, {grid.shape[0]}³{timed}"


class ListModePeer:
    """Events on a device in the library's form.

    x, not z, is the slowest axis of its image. This order is the faster one for the library, on an
    H100 and on CPUs.

    Parameters
    ----------
    on : GPU or CPU
    rays : n events
    grid : grid of the image
    image : (n_z, n_y, n_x) on the host, positive where rays pass
    tof : resolution and bins; None without time of flight
    path : path of the library; None for the first one found
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
        # on a CPU it leaves the sums of rays that miss the image unchanged
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
        """Return the case, whose result is the sums p of its rays."""
        return PeerRun(self._library.build, self.numerator, self._checked_sums)

    def _checked_sums(self) -> Array:
        """Return p, after checking that the sum of x · Aᵀ (1 / A x) is the number of events."""
        n_counted = float(self.numerator().sum(dtype=np.float64))
        # Written so that NaN is refused, too
        if not abs(n_counted - self._n) < COUNTED_RTOL * self._n:
            raise ResourceError(
                f"{self._library.build}: the EM numerator adds up to {n_counted:g} events, "
                f"expected {self._n}; try another build."
            )
        return self._sums

    def numerator(self) -> Array:
        """Return x · Aᵀ (1 / A x) in the library's order of axes."""
        # on a GPU its kernels use our stream, so all are in order
        self._call("fwd", self._image, self._sums)
        # Rays that miss the image have p = 0
        self._on.xp.maximum(self._sums, np.float32(MIN_EXPECTED), out=self._ratios)
        self._on.xp.reciprocal(self._ratios, out=self._ratios)
        self._shares.fill(0)
        self._call("back", self._shares, self._ratios)
        return self._image * self._shares

    def _call(self, direction: Literal["fwd", "back"], image: Array, values: Array) -> None:
        arrays = (self._start, self._end, image, self._origin, self._voxel, values)
        rays = (*map(address, arrays), self._n, address(self._shape))
        self._library.call(direction, *rays, *self._timing, timed=bool(self._timing))
