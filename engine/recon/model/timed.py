"""Model of TOF sinograms: rows are the TOF bins with counts.

The TOF bins of a line divide its lengths in voxels, Σ_t A_jtn = l_jn. The sensitivity is therefore
that of the lines,

    s_n = Σ_j f_j l_jn,    x ← x / s · Σ_jt A_jt y_jt / (A_jt x + g_jt),

and bins without counts act only through it. Subset k contains the lines k, k + B, k + 2B, ....
Watson, IEEE TNS 54 (2007) 1642.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, to_host
from engine.operators.algebra import stack
from engine.operators.base import LinearOperator
from engine.operators.rays import RayProjector
from engine.recon.model.binned import BinnedModel
from engine.recon.model.counts import EmStep, RatioStep, SystemModel

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws


@dataclass(frozen=True)
class TimedModel(SystemModel):
    """Model of the non-empty TOF bins, in the subsets of their lines.

    Attributes
    ----------
    A : rows of all subsets, one after the other
    background : (n_rows,) expected additive counts / factor of the line
    sensitivity : (n_z, n_y, n_x) of all lines; () if each subset computes its own
    counts : (n_rows,) measured counts
    parts : rows of each subset
    lines : operator from images to all live lines, without TOF
    factors : (n_lines,) detection factors of the lines; None: all 1

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.geometry.tof import TofBins
    >>> from engine.recon.model import TimedModel
    >>> tof, on = TofBins(fwhm_ps=30, bin_ps=100, n_bins=2), engine.cpu()
    >>> points, ends = np.array([[-9.0, 0, 0], [9.0, 0, 0]]), np.array([[0, 1]], np.int32)
    >>> grid = engine.ImageGrid(shape=(1, 1, 2), voxel_mm=(10.0, 1.0, 1.0))
    >>> line = engine.RayProjector(engine.Rays(points, ends), grid, on=on)
    >>> late = engine.Rays(points, ends, np.array([1], np.int16))
    >>> part = engine.RayProjector(late, grid, on=on, tof=tof)
    >>> one, none = np.ones(1, np.float32), np.zeros(1, np.float32)
    >>> model = TimedModel.of((part,), none, one, line)
    >>> x = np.ones(grid.shape, np.float32)
    >>> bool(model.em_step(x).numerator[0, 0, 1] > 0.8)  # it came from nearer the second end
    True
    """

    parts: tuple[LinearOperator, ...]
    lines: LinearOperator
    factors: Array | None = None

    @classmethod
    def of(
        cls,
        parts: tuple[LinearOperator, ...],
        background: Array,
        counts: Array,
        lines: LinearOperator,
        factors: Array | None = None,
    ) -> TimedModel:
        """Return the model; with one subset also its sensitivity.

        Parameters
        ----------
        parts
            rows of each subset
        background
            (n_rows,) expected additive counts / factor of the line
        counts
            (n_rows,) measured counts
        lines
            operator from images to all live lines, without TOF
        factors
            (n_lines,) detection factors; None: all 1
        """
        A = parts[0] if len(parts) == 1 else stack(*parts)
        model = cls(A, background, np.zeros((), np.float32), counts, parts, lines, factors)
        # With one subset the sensitivity is that of all lines, which the final scaling needs too.
        return (
            replace(model, sensitivity=model._subset_sensitivity(0)) if len(parts) == 1 else model
        )

    @property
    def sorted_subsets(self) -> int | None:
        return len(self.parts)

    def em_step(self, x: Array) -> EmStep:
        return self._rows(slice(None), self.A, self.sensitivity).em_step(x)

    def ratio_step(self, x: Array) -> RatioStep:
        return self._rows(slice(None), self.A, self.sensitivity).ratio_step(x)

    @property
    def shares_rays(self) -> bool:
        part = self.parts[0]
        return isinstance(part, RayProjector) and part.shares_rays

    def noise_of_replicates(self, inverse: Array, draws: Draws) -> Array:
        total = np.zeros((draws.n, *self.A.in_shape), np.float32)
        for k in range(len(self.parts)):
            part = self._rows(self._range(k), self.parts[k], self.sensitivity)
            own = self.draws_of_subset(draws, k, len(self.parts))
            total += part.noise_of_replicates(inverse[self._range(k)], own)
        return total

    def curvature_times(self, images: Array, weights: Array) -> Array:
        total = np.zeros_like(images)
        for k in range(len(self.parts)):
            part = self._rows(self._range(k), self.parts[k], self.sensitivity)
            total += part.curvature_times(images, weights[self._range(k)])
        return total

    def draws_of_subset(self, draws: Draws, k: int, of: int) -> Draws:
        return draws.of_rows(self._range(k).start, 1) if of > 1 else draws

    def expected_of_image(self, x: Array) -> float:
        lengths = to_host(self.lines(x))
        weighted = lengths if self.factors is None else lengths * self.factors
        return float(np.sum(weighted, dtype=np.float64))

    def subset(self, k: int, of: int) -> SystemModel:
        """Return the model of the rows of one subset.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets that the rows are sorted by

        Raises
        ------
        ValueError
            if the rows are sorted by another number of subsets
        """
        if of != len(self.parts):
            raise ValueError(
                f"the rows are sorted into {len(self.parts)} subsets, expected {of}; sort them "
                f"again for {of} subsets."
            )
        if of == 1:
            return self
        return self._rows(self._range(k), self.parts[k], self._subset_sensitivity(k))

    def _range(self, k: int) -> slice:
        """Return the rows of a subset: they are sorted by subset."""
        begin = sum(part.out_shape[0] for part in self.parts[:k])
        return slice(begin, begin + self.parts[k].out_shape[0])

    def _rows(self, rows: slice, A: LinearOperator, sensitivity: Array) -> BinnedModel:
        return BinnedModel(A, self.background[rows], sensitivity, np.asarray(self.counts)[rows])

    def _subset_sensitivity(self, k: int) -> Array:
        """Return the sensitivity of the lines of a subset, (n_z, n_y, n_x)."""
        of = len(self.parts)
        lines = self.lines if of == 1 else self.lines.subset(k, of)
        weights = np.ones(lines.out_shape, np.float32)
        return to_host(lines.T(weights if self.factors is None else self.factors[k::of]))
