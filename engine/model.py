"""What an algorithm may know about a scan: E[y] = A x + b, the counts y and the sensitivity s.

List mode (facts: Barrett, White & Parra, JOSA A 14 (1997) 2914; Parra & Barrett, IEEE TMI 17
(1998) 228): every event is a row of A with y = 1. Detection factors n·a of a line are divided
out, so a row is A_j, its background g_j = c_j / (n_j a_j), and n·a acts only through
s_n = Σ over all lines of n·a·A_in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays import module_of, to_host
from engine.operators.base import LinearOperator
from engine.operators.matrix import MatrixProjector
from engine.operators.matrix_em import LEAST_EXPECTED
from engine.operators.rays import RayProjector
from engine.operators.symmetry_fold import first_octant, mirrored

if TYPE_CHECKING:
    from engine.filtering.settings import FilterSettings

Array = NDArray[Any]
Inverse = Callable[[Array, "FilterSettings"], Array]
"""Line integrals, and how to filter them, to the image that they are of."""
T = TypeVar("T")


class Model(ABC):
    """What the driver of an algorithm asks of a scan, whatever was measured.

    Attributes
    ----------
    remedy : what helps where an image holds values that are not numbers
    """

    remedy: ClassVar[str]

    def beside_data(self, x: Array) -> Array:
        """Return an image where the algorithm works on it."""
        return x

    def log_likelihood(self, x: Array) -> tuple[float, int] | None:
        """Log-likelihood of an image, and rows skipped; None where the noise is not Poisson's."""
        return None

    def residual(self, x: Array) -> float | None:
        """‖A x − y‖ / ‖y‖; None where rows do not weigh the same."""
        return None


@dataclass(frozen=True)
class EmStep:
    """One pass over (a subset of) the data.

    Attributes
    ----------
    numerator : (n_z, n_y, n_x) x · Aᵀ(y / (A x + b)): the counts each voxel is held to have sent
    log_sum : Σ y log(A x + b)
    n_skipped : rows with counts but none expected; they are left out
    """

    numerator: NDArray[Any]
    log_sum: float
    n_skipped: int


class EmLoop(Protocol):
    """The state of an EM reconstruction, wherever its image lives."""

    def update(self, k: int) -> None:
        """Update the image with subset k, x / s_k · A_kᵀ(y_k / (A_k x + b_k)); may not wait."""

    def snapshot(self) -> Callable[[], NDArray[Any]]:
        """Return what fetches the present image (n_z, n_y, n_x), until the next update."""

    def smooth(self, change: Callable[[Any], Any]) -> None:
        """Replace the image by `change` of it, an array where the image lives."""

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        """Log-likelihood and rows skipped since the last call, on top of those `before`."""

    @property
    def is_finite(self) -> bool:
        """Whether the image holds numbers only."""


@dataclass(frozen=True)
class SystemModel(Model):
    """E[y] = A x + background, with the measured y and the sensitivity image.

    Attributes
    ----------
    A : rows of data from images
    background : (n_rows,) expected additive counts, or () the same in all rows
    sensitivity : (n_z, n_y, n_x)
    counts : (n_rows,) what was measured, or one value for all rows
    """

    remedy: ClassVar[str] = "check the corrections, or use fewer subsets"

    A: LinearOperator
    background: NDArray[Any]
    sensitivity: NDArray[Any]
    counts: NDArray[Any] | float

    @abstractmethod
    def em_step(self, x: NDArray[Any]) -> EmStep:
        """Share the counts out over the voxels of the image `x`."""

    @abstractmethod
    def subset(self, k: int, of: int) -> SystemModel:
        """Rows k, k + of, ... with the sensitivity that belongs to them."""

    def em_loop(self, x: NDArray[Any], n_subsets: int) -> EmLoop:
        """Expectation maximisation from the image `x`, in so many subsets."""
        return _HostLoop(self, x, n_subsets)

    def log_likelihood(self, x: Array) -> tuple[float, int]:
        """Poisson log-likelihood of `x`, up to a constant of the data, and rows skipped."""
        log_sum, n_skipped = _log_sum(to_host(self.A(x)) + self.background, self.counts)
        return log_sum - float(np.sum(to_host(self.sensitivity) * x, dtype=np.float64)), n_skipped

    def log_likelihood_of(self, step: EmStep, x: NDArray[Any]) -> float:
        """Poisson log-likelihood of `x`, up to a constant of the data."""
        return step.log_sum - float(np.sum(self.sensitivity * x, dtype=np.float64))


class _HostLoop:
    """The loop through `em_step`, image in the host's memory."""

    def __init__(self, model: SystemModel, x: NDArray[Any], n_subsets: int) -> None:
        self._parts = [self._kept(model.subset(k, n_subsets)) for k in range(n_subsets)]
        self._x, self._seen = x, np.zeros(x.shape, bool)
        for k in range(n_subsets):
            self._seen |= self._part(k).sensitivity > 0
        self._figures: list[tuple[float, int]] = []

    def _kept(self, part: SystemModel) -> SystemModel:
        return part

    def _part(self, k: int) -> SystemModel:
        return self._parts[k]

    def update(self, k: int) -> None:
        part = self._part(k)
        step = part.em_step(self._x)
        self._figures.append((part.log_likelihood_of(step, self._x), step.n_skipped))
        stays = (self._x * self._seen).astype(step.numerator.dtype)
        seen = part.sensitivity > 0
        self._x = np.divide(step.numerator, part.sensitivity, out=stays, where=seen)

    def snapshot(self) -> Callable[[], NDArray[Any]]:
        x = self._x
        return lambda: x

    def smooth(self, change: Callable[[Any], Any]) -> None:
        self._x = change(self._x)

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        log_sum, n_skipped = before
        for part, skipped in self._figures:  # in order, so that no last bit depends on who asks
            log_sum, n_skipped = log_sum + part, n_skipped + skipped
        self._figures = []
        return log_sum, n_skipped

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self._x).all())


def _log_sum(expected: NDArray[Any], counts: NDArray[Any] | float) -> tuple[float, int]:
    seen = expected > LEAST_EXPECTED
    logs = np.log(expected, where=seen, out=np.zeros(expected.shape, np.float64))
    skipped = np.count_nonzero(~seen & (np.asarray(counts) > 0))
    return float(np.sum(counts * logs)), int(skipped)


def _binned_step(model: SystemModel, counts: NDArray[Any], x: NDArray[Any]) -> EmStep:
    expected = to_host(model.A(x)) + model.background
    seen = expected > LEAST_EXPECTED
    ratio = np.divide(counts, expected, out=np.zeros_like(expected), where=seen)
    log_sum, skipped = _log_sum(expected, counts)
    return EmStep(x * to_host(model.A.T(ratio)), log_sum, skipped)


@dataclass(frozen=True)
class BinnedModel(SystemModel):
    """Every possible bin is a row of A, so s = Aᵀ1 and each subset has its own."""

    counts: NDArray[Any]  # of each row

    @classmethod
    def of(cls, A: LinearOperator, background: NDArray[Any], counts: NDArray[Any]) -> BinnedModel:
        """Build the model with its sensitivity."""
        return cls(A, background, A.T(np.ones(A.out_shape, counts.dtype)), counts)

    def em_step(self, x: NDArray[Any]) -> EmStep:
        return _binned_step(self, self.counts, x)

    def subset(self, k: int, of: int) -> BinnedModel:
        return BinnedModel.of(self.A.subset(k, of), self.background[k::of], self.counts[k::of])


@dataclass(frozen=True)
class HistogramModel(SystemModel):
    """Counts of the lines of a dual-head scanner; a subset takes whole families of orientations.

    Orientations without a count add nothing to an update but their part of the sensitivity, and
    are not projected.

    As in list mode the detection factors n·a of a line are divided out of its row and background,
    and act through the sensitivity, Aᵀ(n·a).

    Attributes
    ----------
    A : the stored response
    background : (n_lines,) expected additive counts over the factor of the line; () : the same of
        all lines
    counts : (n_lines,), 0 where the factor is 0
    factors : (n_lines,) n·a; None: all 1
    """

    A: MatrixProjector
    counts: NDArray[Any]
    factors: NDArray[Any] | None = None

    @classmethod
    def of(
        cls,
        A: MatrixProjector,
        background: NDArray[Any],
        counts: NDArray[Any],
        factors: NDArray[Any] | None = None,
    ) -> HistogramModel:
        """Build the model with its sensitivity."""
        ones = np.ones(A.out_shape, A.dtype) if factors is None else factors
        return cls(A, background, A.T(ones), counts, factors)

    def em_step(self, x: NDArray[Any]) -> EmStep:
        return _binned_step(self, self.counts, x)

    def subset(self, k: int, of: int) -> HistogramModel:
        part = self
        if of > 1:
            part = self._among(self.A.members(k, of))
            part = HistogramModel.of(part.A, part.background, part.counts, part.factors)
        counting = part.A.counting(part.counts)
        return part if len(counting) == len(part.A.orientations) else part._among(counting)

    def _among(self, places: NDArray[np.int64]) -> HistogramModel:
        """Return some orientations alone, with the sensitivity of all."""
        A, rest, factors = self.A, self.background, self.factors
        return HistogramModel(
            A.among(places),
            A.lines(rest, places) if rest.ndim else rest,
            self.sensitivity,
            A.lines(self.counts, places),
            None if factors is None else A.lines(factors, places),
        )

    def em_loop(self, x: NDArray[Any], n_subsets: int) -> EmLoop:
        if self.A.on.is_cuda:
            return self.A.em_loop(self.counts, self.background, self.factors, x, n_subsets)
        if self.factors is None:
            return _MirroredLoop(self, x, n_subsets)
        return super().em_loop(x, n_subsets)


class _MirroredLoop(_HostLoop):
    """Keeps an eighth of each sensitivity: that of whole families is symmetric in all axes."""

    def _kept(self, part: SystemModel) -> SystemModel:
        return replace(part, sensitivity=first_octant(part.sensitivity))

    def _part(self, k: int) -> SystemModel:
        part = super()._part(k)
        return replace(part, sensitivity=mirrored(part.sensitivity, part.A.in_shape))


@dataclass(frozen=True)
class ListModeModel(SystemModel):
    """Rows of A are the events; s comes from all possible lines, shared out over the subsets."""

    A: RayProjector
    counts: float = 1.0  # of every event

    def em_loop(self, x: NDArray[Any], n_subsets: int) -> EmLoop:
        if self.A.on.is_cuda:
            return self.A.em_loop(x, self.background, self.sensitivity, n_subsets)
        return super().em_loop(x, n_subsets)

    def em_step(self, x: NDArray[Any]) -> EmStep:
        on = self.A.on
        numerator, expected = map(on.to_host, self.A.em_numerator(x, self.background))
        log_sum, skipped = _log_sum(expected, 1.0)
        return EmStep(numerator, log_sum, skipped)

    def subset(self, k: int, of: int) -> ListModeModel:
        if of == 1:
            return self
        background = np.ascontiguousarray(self.background[k::of])
        return ListModeModel(self.A.subset(k, of), background, self.sensitivity / of)


@dataclass(frozen=True)
class ReadyModel(SystemModel):
    """A model that has computed all that expectation maximisation needs before its first update.

    Attributes
    ----------
    model : the same, without the loop
    n_subsets : of the loop
    loop : holds an image and the subsets
    """

    model: SystemModel
    n_subsets: int
    loop: EmLoop

    @classmethod
    def of(cls, model: SystemModel, x: Array, n_subsets: int) -> ReadyModel:
        """Prepare the loop of so many subsets for the image `x`."""
        loop = model.em_loop(x, n_subsets)
        return cls(
            model.A, model.background, model.sensitivity, model.counts, model, n_subsets, loop
        )

    def em_step(self, x: Array) -> EmStep:
        return self.model.em_step(x)

    def subset(self, k: int, of: int) -> SystemModel:
        return self.model.subset(k, of)

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        """Return the loop that was made, with the image `x` in it."""
        if n_subsets != self.n_subsets:
            return self.model.em_loop(x, n_subsets)
        self.loop.smooth(lambda _: x)
        self.loop.figures()  # those of another run, if any
        return self.loop


@dataclass(frozen=True)
class LinearModel(Model):
    """y = A x + noise: line integrals, as of X-ray CT.

    Attributes
    ----------
    A : the projector
    y : (of A.out_shape) measured line integrals [1]
    spacing_mm : from one voxel to the next along each axis of the image; None: 1 along all
    inverse : solves for x in one step; None where nobody knows how
    """

    remedy: ClassVar[str] = "check the projections for bad pixels"

    A: LinearOperator
    y: Array
    spacing_mm: tuple[float, ...] | None = None
    inverse: Inverse | None = None
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def beside_data(self, x: Array) -> Array:
        """Return an image where y lies, in the host's memory or a GPU's."""
        beside: Array = module_of(self.y).asarray(x)
        return beside

    def residual(self, x: Array) -> float:
        """‖A x − y‖ / ‖y‖."""
        squares = [_square(self.A(x) - self.y), _square(self.y)]
        return float(np.sqrt(squares[0] / (squares[1] or 1.0)))

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """Return what depends on the model alone; it is computed once and kept under a name."""
        if name not in self._kept:
            self._kept[name] = compute()
        kept: T = self._kept[name]
        return kept

    def subset(self, k: int, of: int) -> LinearModel:
        """Rows k, k + of, ..."""
        if of == 1:
            return self
        return LinearModel(self.A.subset(k, of), self.y[k::of], self.spacing_mm)


def _square(a: Array) -> float:
    """‖a‖², summed in double precision."""
    return float(module_of(a).sum(a * a, dtype=np.float64))
