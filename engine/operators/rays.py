"""Rays between points through the voxels of an image, with or without time of flight.

A_jn is the exact length of ray j in voxel n [mm], times the probability of the ray's time bin
at the middle of the slab when there is time of flight.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.errors import DataError, NumericalError, ResourceError
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels import rays as kernels
from engine.kernels.blocks import Tick, pad, padded, run_blocks, sum_blocks
from engine.kernels.tof import weight_table
from engine.operators.base import LinearOperator

Array = NDArray[Any]

_FARTHEST_VOXELS = 1e6
"""Distance from the box, in voxels, at which a point cannot belong to the scan."""
_MOST_VOXELS = 2**31
"""Voxels, border included, that 32-bit indices can tell apart."""
_SUM_BITS = 62
_MOST_UNIT_BITS = 32


@dataclass(frozen=True)
class Rays:
    """Rows of a projector.

    Attributes
    ----------
    points_mm : (m, 3) float64, (x, y, z) of the crystals, or of the ends themselves [mm]
    ends : (n, 2) int32, the two points of each ray; order matters for time of flight
    tof_bins : (n,) int16, time bin of each ray, counted towards its second point; None: no time
    """

    points_mm: NDArray[np.float64]
    ends: NDArray[np.int32]
    tof_bins: NDArray[np.int16] | None = None


class RayProjector(LinearOperator):
    """Line integrals along rays, their adjoint, and the EM update fused into one pass.

    Parameters
    ----------
    rays : the rows
    grid : the image
    on : device and threads
    tof : bins of the scanner; without it, or without rays.tof_bins, rows are plain integrals
    dtype : float32 or float64, of images, values and arithmetic
    reproducible : sum in 64-bit integers, so that `adjoint` and `em_shares` return the same bits
        for any number of threads and any order of the rays; otherwise the bits depend on both
    tick : called with (rays done, all rays) several times a second and at the end; it may raise
        to stop the work
    """

    adjoint_rtol: ClassVar[float] = 1e-5

    def __init__(
        self,
        rays: Rays,
        grid: ImageGrid,
        *,
        on: Backend,
        tof: TofBins | None = None,
        dtype: str = "float32",
        reproducible: bool = False,
        tick: Tick | None = None,
    ) -> None:
        _check_device(on, grid)
        self.grid, self.on, self.reproducible = grid, on, reproducible
        self.in_shape = grid.shape
        self.dtype = np.dtype(dtype)
        self._tick = tick
        self._rows = _rows(rays, grid, tof, self.dtype)
        self.out_shape = (len(rays.ends),)
        self._subsets: dict[tuple[int, int], RayProjector] = {}

    def forward(self, x: Array) -> Array:
        """Line integrals of `x` along the rays, (n,) [mm times the unit of x]."""
        self._expect(x, self.in_shape)
        image = pad(x, self.dtype).ravel()
        out = np.empty(self.out_shape, self.dtype)

        def work(_: int, start: int, stop: int) -> None:
            kernels.forward(start, stop, *self._trace(), image, out)

        run_blocks(work, len(out), self.on.threads, self._tick)
        return out

    def adjoint(self, y: Array) -> Array:
        """Sum the rays, each times its value of `y`, into an image."""
        self._expect(y, self.out_shape)
        values = np.ascontiguousarray(y, self.dtype)
        unit = self._value_unit(values) if self.reproducible else 1.0

        def work(sums: Array, start: int, stop: int) -> None:
            kernels.back(start, stop, *self._trace(), values, unit, sums)

        return self._sum(work, unit)

    def em_shares(self, x: Array, background: Array | None = None) -> tuple[Array, Array]:
        """Share each event out over the voxels: x · Aᵀ(1 / q) with q = A x + background.

        One fused pass. The EM update is then shares / sensitivity. Rays that expect nothing add
        nothing and have q = 0.

        Parameters
        ----------
        x
            image, not negative
        background
            (n,) expected counts that are not of the image, not negative; None: none

        Returns
        -------
        shares
            image
        expected
            (n,) q
        """
        self._expect(x, self.in_shape)
        image = pad(x, self.dtype).ravel()
        rest = self._background(background)
        expected = np.empty(self.out_shape, self.dtype)
        unit = 2.0 ** self._share_bits() if self.reproducible else 1.0

        def work(sums: Array, start: int, stop: int) -> None:
            kernels.update(start, stop, *self._trace(), image, rest, expected, unit, sums)

        if not image.min() >= 0:
            raise NumericalError(
                "the image holds negative numbers or NaN, which have no expected counts; "
                "start from a positive image."
            )
        shares = self._sum(work, unit)
        if not np.isfinite(expected.sum(dtype=np.float64)):
            raise NumericalError(
                f"expected counts are too large for {self.dtype}; scale the image down."
            )
        return shares, expected

    def subset(self, k: int, of: int) -> RayProjector:
        """Rays k, k + of, ...; made once and kept."""
        if (k, of) not in self._subsets:
            part = copy(self)
            ends = np.ascontiguousarray(self._rows.ends[k::of])
            bins = np.ascontiguousarray(self._rows.bins[k::of])
            part._rows = self._rows._replace(ends=ends, bins=bins)
            part.out_shape = (len(ends),)
            part._subsets = {}
            self._subsets[k, of] = part
        return self._subsets[k, of]

    def _trace(self) -> tuple[kernels.Rows, tuple[int, ...], kernels.Taps]:
        """Return what a thread needs to trace the rays: the list, the padded shape, room."""
        shape = padded(self.grid.shape)
        return self._rows, shape, kernels.taps(shape, self.dtype)

    def _sum(self, work: Callable[[Array, int, int], None], unit: float) -> Array:
        """Run a kernel that adds into images, in integers if the sum must be reproducible."""
        total = sum_blocks(
            work,
            self.out_shape[0],
            self.grid.shape,
            dtype=np.int64 if self.reproducible else self.dtype,
            threads=self.on.threads,
            tick=self._tick,
        )
        image = np.empty(self.grid.shape, self.dtype)
        np.multiply(total, 1 / unit, out=image, casting="unsafe")  # exact: a power of two
        return image

    def _share_bits(self) -> int:
        """Largest k for which the shares of all rays, in units of 2⁻ᵏ, fit the sums."""
        return min(_MOST_UNIT_BITS, _SUM_BITS - self.out_shape[0].bit_length())

    def _value_unit(self, values: Array) -> float:
        """Power of two by which the largest possible sum of `values` times lengths still fits."""
        longest_mm = float(np.linalg.norm(self.grid.size_mm))
        largest = float(np.abs(values).max(initial=0)) * longest_mm * len(values)
        if not np.isfinite(largest):
            raise NumericalError("cannot project values back that are infinite or NaN.")
        bits = _SUM_BITS - int(np.ceil(np.log2(largest))) if largest > 0 else 0
        return float(2.0**bits)

    def _background(self, background: Array | None) -> Array:
        if background is None:
            return np.empty(0, self.dtype)
        self._expect(background, self.out_shape)
        bad = ~(np.isfinite(background) & (background >= 0))
        if bad.any():
            first = int(np.argmax(bad))
            raise DataError(
                f"event {first}: background {background[first]}, needs a count of 0 or more; "
                "estimate randoms and scatter again."
            )
        return np.ascontiguousarray(background, self.dtype)


def _rows(rays: Rays, grid: ImageGrid, tof: TofBins | None, dtype: np.dtype[Any]) -> kernels.Rows:
    """Check the rays and put them into the form of the kernels."""
    points = np.array(grid.to_voxels(rays.points_mm), np.float64, order="C")
    _check_points(rays.points_mm, points)
    _check_ends(rays.ends, len(points))
    ends = np.array(rays.ends, np.int32, order="C")
    voxel_mm = np.array(grid.voxel_mm, np.float64)
    if tof is None or rays.tof_bins is None:
        no_bins, no_table = np.empty(0, np.int16), np.empty(0, dtype)
        return kernels.Rows(points, ends, voxel_mm, no_bins, no_table, 1, 1.0, 1.0)
    _check_bins(rays.tof_bins, tof.n_bins, len(ends))
    bins = np.array(rays.tof_bins, np.int16, order="C")
    table = weight_table(tof.sigma_mm, tof.bin_mm, dtype)
    timing = (table.weights, tof.n_bins, tof.bin_mm, table.step_mm)
    return kernels.Rows(points, ends, voxel_mm, bins, *timing)


def _check_device(on: Backend, grid: ImageGrid) -> None:
    if on.is_cuda:
        raise ResourceError("rays are traced on the CPU in this version; use --device cpu.")
    if np.prod([n + 2 for n in grid.shape], dtype=np.float64) >= _MOST_VOXELS:
        raise ResourceError(
            f"{grid.describe()}: more than {_MOST_VOXELS} voxels; choose larger voxels."
        )


def _check_points(points_mm: Array, voxels: Array) -> None:
    bad = ~(np.abs(voxels) < _FARTHEST_VOXELS).all(axis=1)
    if bad.any():
        first = int(np.argmax(bad))
        raise DataError(
            f"point {first} lies at {tuple(points_mm[first].tolist())} mm, not within "
            f"{_FARTHEST_VOXELS:g} voxels of the image; check the units of the scanner."
        )


def _check_ends(ends: Array, n_points: int) -> None:
    bad = ((ends < 0) | (ends >= n_points)).any(axis=1)
    if bad.any():
        first = int(np.argmax(bad))
        raise DataError(
            f"event {first} joins crystals {tuple(ends[first].tolist())}, the scanner has "
            f"0 to {n_points - 1}; choose the scanner that recorded the data."
        )


def _check_bins(bins: Array, n_bins: int, n_rays: int) -> None:
    if bins.shape != (n_rays,):
        raise DataError(f"{len(bins)} time-of-flight bins for {n_rays} events; one each is needed.")
    bad = (bins < 0) | (bins >= n_bins)
    if bad.any():
        first = int(np.argmax(bad))
        raise DataError(
            f"event {first} has time-of-flight bin {bins[first]}, the scanner has 0 to "
            f"{n_bins - 1}; correct the scanner's time-of-flight bins."
        )
