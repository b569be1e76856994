"""Expectation maximisation on histograms, entirely on a GPU: counts, images, sensitivities.

The update is that of `engine.recon.algorithms.osem`. The image leaves the device only for previews.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.core.backend.gpu import Array
from engine.core.profiling import Profiler
from engine.operators.lower_bound import MIN_EXPECTED, min_update_factor
from engine.operators.matrix.symmetry_fold import first_octant, folded, mirrored
from engine.operators.prior import Prior

if TYPE_CHECKING:
    from engine.operators.matrix.projector import MatrixProjector

RESERVED_IMAGES = 10
"""Number of images reserved on the device; sensitivities that need more are on the host."""


@dataclass(frozen=True)
class _Subset:
    """Lines of a subset with their data.

    Attributes
    ----------
    A : projector of its orientations
    counts : (n_lines,) on the device
    background : (n_lines,) or (1,) on the device
    sensitivity : (n_z, n_y, n_x) or its first octant, on the device or on the host
    """

    A: MatrixProjector
    counts: Array
    background: Array
    sensitivity: Array


class MatrixEm:
    """State of an EM reconstruction on a GPU; see `engine.recon.model.EmLoop`.

    Parameters
    ----------
    A : projector of all lines
    counts : (n_lines,)
    background : (n_lines,) expected additive counts, or () the same for all
    factors : (n_lines,) detection factors, which act through the sensitivity; None: all 1
    x : (n_z, n_y, n_x) initial image
    n_subsets : number of subsets, each with complete families of orientations
    prior : prior of the image; None: no prior
    """

    def __init__(
        self,
        A: MatrixProjector,
        counts: NDArray[Any],
        background: NDArray[Any],
        factors: NDArray[Any] | None,
        x: Array,
        n_subsets: int,
        prior: Prior | None = None,
    ) -> None:
        self._on, self._profiler, self._xp = A.on, A.profiler or Profiler(A.on), A.on.xp
        self._x = self._device_array(x)
        self._subsets = []
        for k in range(n_subsets):
            self._subsets.append(
                self._subset(A, A.members(k, n_subsets), counts, background, factors)
            )
        sensitivity = self._xp.zeros(x.shape, np.float32)
        for part in self._subsets:
            sensitivity += self._whole(part.sensitivity)
        # a voxel outside of all subsets is 0; one outside of this subset waits for the next
        self._seen = sensitivity > 0
        self._penalty = None if prior is None else prior.within(self._seen, sensitivity)
        self._min_factor = min_update_factor(n_subsets)
        self._log_sums: list[Array] = []
        self._skipped: list[Array] = []

    def _subset(
        self, A: MatrixProjector, places: NDArray[np.int64], counts: NDArray[Any],
        background: NDArray[Any], factors: NDArray[Any] | None,
    ) -> _Subset:  # fmt: skip
        """Select the lines of a subset, and back-project its factors."""
        part = A.among(places)
        # without factors the sensitivity is symmetric in x, y and z, so an eighth of it is enough
        if factors is None:
            sensitivity = first_octant(part.T(self._xp.ones(part.out_shape, np.float32)))
        else:
            # factors can also be symmetric, such as those of block edges
            sensitivity = folded(part.T(self._on.to_device(A.lines(factors, places))))
        # After the sensitivity, which needs all lines of the subset.
        counting = part.counting(A.lines(counts, places))
        if len(counting) < len(places):  # lines without counts act only through the sensitivity
            part, places = part.among(counting), places[counting]
        rest = A.lines(background, places) if background.ndim else background.reshape(1)
        return _Subset(
            part,
            self._device_array(A.lines(counts, places)),
            self._device_array(rest),
            self._stored(sensitivity),
        )

    def update(self, k: int) -> None:
        """Queue the update with subset k."""
        part, xp, nothing = self._subsets[k], self._xp, np.float32(0)
        expected = part.A(self._x)
        with self._updating():
            expected = expected + part.background
            seen = expected > np.float32(MIN_EXPECTED)
            # division by 1 if no counts are expected: the quotient is discarded, and no NaN arises
            safe = xp.where(seen, expected, np.float32(1))
            ratio = xp.where(seen, part.counts / safe, nothing)
            # logarithm and sum in float64: terms of both signs cancel over millions of lines
            log_sum = xp.sum(part.counts * xp.log(safe, dtype=np.float64))
            self._skipped.append(xp.count_nonzero(~seen & (part.counts > 0)))
        numerator = part.A.T(ratio)
        with self._updating():
            s = self._whole(part.sensitivity)
            # expected counts of the image before the update: the second term of the
            # likelihood
            mass = xp.sum(s * self._x, dtype=np.float64)
            self._log_sums.append(log_sum - mass)
            self._x = self._updated(self._x * numerator, s)

    def _updated(self, shared: Array, sensitivity: Array) -> Array:
        """Return the image after expected emissions are divided by the sensitivity."""
        if self._penalty is not None:
            return self._penalty.updated(self._x, shared, sensitivity, len(self._subsets))
        xp, sees = self._xp, sensitivity > 0
        safe = xp.where(sees, sensitivity, np.float32(1))
        before = self._x * self._seen
        return xp.maximum(xp.where(sees, shared / safe, before), self._min_factor * before)

    def snapshot(self) -> Callable[[], NDArray[Any]]:
        """Return a getter of the current image (n_z, n_y, n_x)."""
        # an update makes a new array, so this one does not change before it is fetched
        x = self._x

        def fetch() -> NDArray[Any]:
            with self._profiler.span("preview", bytes=x.nbytes):
                return self._on.to_host(x)

        return fetch

    def smooth(self, change: Callable[[Array], Array]) -> None:
        """Replace the image by `change` of it, on the device."""
        self._x = self._device_array(change(self._x))

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        """Return log-likelihood and skipped lines since the last call, added to `before`."""
        log_sum, n_skipped = before
        # numbers are fetched only here: a fetch per update would wait for the GPU each time
        for part, skipped in zip(self._log_sums, self._skipped, strict=True):
            log_sum, n_skipped = log_sum + float(part), n_skipped + int(skipped)
        self._log_sums, self._skipped = [], []
        return log_sum, n_skipped

    @property
    def is_finite(self) -> bool:
        """True if all values of the image are finite; waits for the updates."""
        return bool(self._xp.isfinite(self._x).all())

    def _device_array(self, values: Array) -> Array:
        """Return float32 values on the device."""
        return self._on.to_device(values.astype(np.float32))

    def _stored(self, sensitivity: Array) -> Array:
        """Return a sensitivity on the device, or on the host if memory is scarce."""
        gpu, needed = self._on.gpu, RESERVED_IMAGES * self._x.nbytes
        # Uploads for each update are slow, but better than a run that fails for lack of memory.
        is_scarce = gpu is not None and gpu.free_bytes() < needed
        return self._on.to_host(sensitivity) if is_scarce else sensitivity

    def _whole(self, sensitivity: Array) -> Array:
        """Return a complete sensitivity on the device."""
        there = self._on.to_device(sensitivity)
        return there if there.shape == self._x.shape else mirrored(there, self._x.shape)

    @contextmanager
    def _updating(self) -> Iterator[None]:
        with self._profiler.span("update"), self._on.faults("updating the image"):
            yield
