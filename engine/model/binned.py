"""Counts of bins: every possible bin is a row of A, as of histograms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import to_host
from engine.model.counts import EmLoop, EmStep, HostLoop, SystemModel, log_sum_of
from engine.operators.base import LinearOperator
from engine.operators.matrix import MatrixProjector
from engine.operators.matrix_em import LEAST_EXPECTED
from engine.operators.symmetry_fold import first_octant, mirrored

Array = NDArray[Any]


def _binned_step(model: SystemModel, counts: NDArray[Any], x: NDArray[Any]) -> EmStep:
    expected = to_host(model.A(x)) + model.background
    seen = expected > LEAST_EXPECTED
    ratio = np.divide(counts, expected, out=np.zeros_like(expected), where=seen)
    log_sum, skipped = log_sum_of(expected, counts)
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


class _MirroredLoop(HostLoop):
    """Keeps an eighth of each sensitivity: that of whole families is symmetric in all axes."""

    def _kept(self, part: SystemModel) -> SystemModel:
        return replace(part, sensitivity=first_octant(part.sensitivity))

    def _part(self, k: int) -> SystemModel:
        part = super()._part(k)
        return replace(part, sensitivity=mirrored(part.sensitivity, part.A.in_shape))
