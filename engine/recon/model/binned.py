"""Models of binned counts: each possible bin is a row of A, as in histograms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, as_like, as_supported, to_host
from engine.core.checked import checked_class
from engine.operators.base import LinearOperator
from engine.operators.lower_bound import MIN_EXPECTED
from engine.operators.matrix.orientation_rows import OrientationRows
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.matrix.symmetry_fold import folded, mirrored
from engine.operators.prior import Prior
from engine.operators.rays import RayProjector
from engine.recon.model.counts import (
    EmLoop,
    EmStep,
    HostLoop,
    RatioStep,
    SystemModel,
    log_sum_of,
)

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws


def _binned_step(model: SystemModel, counts: Array, x: Array) -> EmStep:
    step = _binned_ratio(model, counts, x)
    return EmStep(x * step.image, step.log_sum, step.n_skipped)


def _binned_ratio(model: SystemModel, counts: Array, x: Array) -> RatioStep:
    expected = to_host(model.A(x)) + model.background
    seen = expected > MIN_EXPECTED
    # Rows that expect nothing would divide by zero; their counts are reported as skipped.
    ratio = np.divide(counts, expected, out=np.zeros_like(expected), where=seen)
    log_sum, skipped = log_sum_of(expected, counts)
    return RatioStep(to_host(model.A.T(ratio)), log_sum, skipped)


def _expected_of_image(model: SystemModel, factors: Array | None, x: Array) -> float:
    """Return Σ_i f_i (A x)_i; with subsets there can be no common sensitivity."""
    lengths = to_host(model.A(x))
    weighted = lengths if factors is None else lengths * factors
    return float(np.sum(weighted, dtype=np.float64))


@checked_class()
@dataclass(frozen=True)
class BinnedModel(SystemModel):
    """Model with a row of A for each possible bin; s = Aᵀf, and each subset has its own.

    As in list mode the detection factors f of a bin are divided out of its row and background.

    Attributes
    ----------
    A : operator from images to bins
    background : (n_bins,) expected additive counts / factor of the bin
    sensitivity : (n_z, n_y, n_x) Aᵀf
    counts : (n_bins,) measured counts
    factors : (n_bins,) f; None: all 1

    Examples
    --------
    >>> import numpy as np, engine
    >>> rays = engine.Rays(np.array([[-9.0, 0, 0], [9.0, 0, 0]]), np.array([[0, 1]], np.int32))
    >>> grid = engine.ImageGrid(shape=(1, 1, 2), voxel_mm=(1.0, 1.0, 1.0))
    >>> A = engine.RayProjector(rays, grid, on=engine.cpu())
    >>> counts, none = np.array([6.0], np.float32), np.zeros(1, np.float32)
    >>> step = engine.BinnedModel.of(A, none, counts).em_step(np.ones(grid.shape, np.float32))
    >>> step.numerator.tolist()
    [[[3.0, 3.0]]]
    """

    counts: Array  # of each row
    factors: Array | None = None

    @classmethod
    def of(
        cls, A: LinearOperator, background: Array, counts: Array, factors: Array | None = None
    ) -> BinnedModel:
        """Return the model with its sensitivity.

        Parameters
        ----------
        A
            operator from images to bins
        background
            (n_bins,) expected additive counts / factor of the bin
        counts
            (n_bins,) measured counts
        factors
            (n_bins,) detection factors; None: all 1
        """
        counts, factors = as_supported(counts), None if factors is None else as_supported(factors)
        # Without factors the sensitivity is the sum of the rows.
        weights = np.ones(A.out_shape, counts.dtype) if factors is None else factors
        return cls(A, background, to_host(A.T(weights)), counts, factors)

    def em_step(self, x: Array) -> EmStep:
        return _binned_step(self, self.counts, x)

    def ratio_step(self, x: Array) -> RatioStep:
        return _binned_ratio(self, self.counts, x)

    @property
    def shares_rays(self) -> bool:
        A = self.A
        return isinstance(A, RayProjector) and A.shares_rays and not A.reproducible

    def em_numerators(self, images: Array, draws: Draws) -> Array:
        if isinstance(self.A, RayProjector) and self.shares_rays:
            found = self.A.em_numerators(images, self.background, self.counts, draws)
            return as_like(found, images)
        return super().em_numerators(images, draws)

    def noise_of_replicates(self, inverse: Array, draws: Draws) -> Array:
        if isinstance(self.A, RayProjector) and self.A.projects_batches:
            return self.A.noise_of_replicates(self.counts, inverse, draws)
        return super().noise_of_replicates(inverse, draws)

    def curvature_times(self, images: Array, weights: Array) -> Array:
        if isinstance(self.A, RayProjector) and self.A.projects_batches:
            return self.A.curvature_times(images, weights)
        return super().curvature_times(images, weights)

    def expected_of_image(self, x: Array) -> float:
        return _expected_of_image(self, self.factors, x)

    def subset(self, k: int, of: int) -> BinnedModel:
        # Interleaved bins: each subset sees all directions.
        rows = slice(k, None, of)
        factors = None if self.factors is None else self.factors[rows]
        return BinnedModel.of(
            self.A.subset(k, of), self.background[rows], self.counts[rows], factors
        )


@checked_class()
@dataclass(frozen=True)
class HistogramModel(SystemModel):
    """Counts of the lines of a dual-head scanner. A subset contains whole families of orientations.

    Orientations without counts contribute to an update only by their sensitivity, and
    are not projected.

    As in list mode the detection factors n·a of a line are divided out of its row and background,
    and act through the sensitivity, Aᵀ(n·a).

    Attributes
    ----------
    A : stored response of one crystal layer or of each pair of layers
    background : (n_lines,) expected additive counts / factor of the line; () : the same for
        all lines
    counts : (n_lines,), 0 where the factor is 0
    factors : (n_lines,) n·a; None: all 1
    sensitivity : (n_z, n_y, n_x) Aᵀ(n·a)
    prior : edge-preserving prior; None: no prior

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.modalities.dual_head_pet.response.building import build_analytic
    >>> from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
    >>> panels = engine.read_scanner("test-panels")
    >>> response = build_analytic(panels, AnalyticResponse(n_points=256), threads=1)
    >>> A = engine.MatrixProjector(response, on=engine.cpu())
    >>> counts = np.ones(panels.n_lors, np.float32)
    >>> engine.HistogramModel.of(A, np.zeros((), np.float32), counts).sensitivity.shape
    (24, 11, 16)
    """

    A: OrientationRows
    counts: Array
    factors: Array | None = None
    prior: Prior | None = None

    @classmethod
    def of(
        cls,
        A: OrientationRows,
        background: Array,
        counts: Array,
        factors: Array | None = None,
    ) -> HistogramModel:
        """Return the model with its sensitivity.

        Parameters
        ----------
        A
            stored response
        background
            (n_lines,) expected additive counts / factor of the line, or () the same for all
        counts
            (n_lines,) measured counts
        factors
            (n_lines,) detection factors; None: all 1
        """
        ones = np.ones(A.out_shape, A.dtype) if factors is None else as_supported(factors)
        # the sensitivity stays on a GPU
        return cls(A, background, A.T(A.on.to_device(ones)), counts, factors)

    def em_step(self, x: Array) -> EmStep:
        return _binned_step(self, self.counts, x)

    def ratio_step(self, x: Array) -> RatioStep:
        return _binned_ratio(self, self.counts, x)

    def expected_of_image(self, x: Array) -> float:
        return _expected_of_image(self, self.factors, x)

    def subset(self, k: int, of: int) -> HistogramModel:
        """Return the model of a share of the orientations that have counts.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets; each contains complete families of orientations

        Returns
        -------
        model with the sensitivity of all its lines, with and without counts
        """
        return self._of_members(self.A.members(k, of)) if of > 1 else self._counting()

    def balanced_subset(self, k: int, of: int) -> HistogramModel:
        return self._of_members(self.A.balanced_members(k, of)) if of > 1 else self._counting()

    def _of_members(self, members: NDArray[np.int64]) -> HistogramModel:
        """Return the model of the orientations of a subset that have counts."""
        # Complete families keep the symmetry of the sensitivity, which is then stored once.
        part = self._among(members)
        return HistogramModel.of(part.A, part.background, part.counts, part.factors)._counting()

    def _counting(self) -> HistogramModel:
        """Return the model of the orientations with counts, with the sensitivity of all."""
        # Most orientations of a short scan have no counts; skipping them saves their projection.
        counting = self.A.counting(self.counts)
        return self if len(counting) == len(self.A.orientations) else self._among(counting)

    def _back_of_counted(self, values: Array) -> Array:
        places = self.A.counting(self.counts)
        return self.A.among(places).T(self.A.lines(values, places))

    def curvature_times(self, images: Array, weights: Array) -> Array:
        # Rows without counts have no weight.
        places = self.A.counting(self.counts)
        A, own = self.A.among(places), self.A.lines(weights, places)
        return np.stack([to_host(A.T(own * to_host(A(each)))) for each in images])

    def _among(self, places: NDArray[np.int64]) -> HistogramModel:
        """Return the model of some orientations, with the sensitivity of all."""
        A, rest, factors = self.A, self.background, self.factors
        return HistogramModel(
            A.among(places),
            A.lines(rest, places) if rest.ndim else rest,
            self.sensitivity,
            A.lines(self.counts, places),
            None if factors is None else A.lines(factors, places),
        )

    @property
    def is_penalised(self) -> bool:
        return self.prior is not None

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        # Only a single matrix has a loop on the GPU; layered responses use the host loop.
        if self.A.on.is_cuda and isinstance(self.A, MatrixProjector):
            return self.A.em_loop(
                self.counts, self.background, self.factors, x, n_subsets, self.prior
            )
        return _MirroredLoop(self, x, n_subsets)


class _MirroredLoop(HostLoop):
    """Loop that stores an eighth of a sensitivity that is symmetric along all axes.

    Complete families of orientations have such a sensitivity, unless factors break the symmetry.
    """

    def __init__(self, model: HistogramModel, x: Array, n_subsets: int) -> None:
        super().__init__(model, x, n_subsets)
        self._penalty, self._n_subsets = None, n_subsets
        if model.prior is not None:
            # The penalty needs the sensitivity of all subsets, which no part has.
            whole = np.sum([self._part(k).sensitivity for k in range(n_subsets)], axis=0)
            self._penalty = model.prior.within(self._seen, whole)

    def _stored(self, part: SystemModel) -> SystemModel:
        return replace(part, sensitivity=folded(part.sensitivity))

    def _part(self, k: int) -> SystemModel:
        part = super()._part(k)
        # Not symmetric, so it was stored completely.
        if part.sensitivity.shape == part.A.in_shape:
            return part
        return replace(part, sensitivity=mirrored(part.sensitivity, part.A.in_shape))

    def _updated(self, shared: Array, sensitivity: Array) -> Array:
        if self._penalty is None:
            return super()._updated(shared, sensitivity)
        return self._penalty.updated(self._x, shared, sensitivity, self._n_subsets)
