"""Penalised log-likelihood Φ(x) = L(x) − R(x), x ≥ 0, and the parts of its algorithms.

    D(x) = 1 / ( c_L(x) + c_R(x) ),    c_L = s / (x + δ) for counts

scales all steps. c_R is a diagonal above the Hessian of the prior, so the steps are short where the
prior is steep. δ lets voxels at 0 rise. Voxels without data, or outside the object, are 0.

How far an image is from the optimum is its KKT residual,

    Σ_n s_n | x_n − max(0, x_n + (x_n + δ) ∂Φ/∂x_n / s_n) | / Σ_n s_n x_n,

with s the diagonal c_L (x + δ). It is 0 at the optimum only: there the gradient is 0 in voxels with
activity and not positive in empty voxels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, module_of, to_host

if TYPE_CHECKING:
    from engine.recon.model import SubsetObjective
    from engine.recon.priors.smooth_prior import SmoothPrior


@dataclass(frozen=True, eq=False)
class Anchor:
    """Full gradient at an image.

    Attributes
    ----------
    x : (n_z, n_y, n_x) the image
    parts : ∇L_k of each subset
    total : ∇L
    gradient : ∇Φ
    log_likelihood, penalty : L and R, up to a constant of the data
    n_skipped : rows with counts but no expected counts
    """

    x: Array
    parts: list[Array]
    total: Array
    gradient: Array
    log_likelihood: float
    penalty: float
    n_skipped: int

    @property
    def value(self) -> float:
        """Φ."""
        return self.log_likelihood - self.penalty


@dataclass(frozen=True, eq=False)
class PenalisedLikelihood:
    """Penalised log-likelihood of a scan in subsets.

    Attributes
    ----------
    objective : L
    prior : R
    least : δ, activity well below that of the object
    inside : (n_z, n_y, n_x) bool, voxels that can contain activity; None for all
    """

    objective: SubsetObjective
    prior: SmoothPrior
    least: float
    inside: Array | None = None

    @cached_property
    def seen(self) -> Array:
        """(n_z, n_y, n_x) bool, voxels inside with data."""
        seen: Array = self.objective.sensitivity() > 0
        return seen if self.inside is None else seen & self.inside

    def anchor(self, x: Array) -> Anchor:
        """Return the full gradient, for one pass over the data.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        found = [self.objective.gradient(k, x) for k in range(self.objective.n_subsets)]
        total = module_of(x).zeros_like(x)
        for part in found:
            total += part.image
        return Anchor(
            x,
            [part.image for part in found],
            total,
            total - self.prior_gradient(x),
            sum(part.value for part in found),
            self.penalty(x),
            sum(part.n_skipped for part in found),
        )

    def prior_gradient(self, x: Array) -> Array:
        """Return ∇R(x), (n_z, n_y, n_x).

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        return self._back(self.prior.gradient(self._there(x)), x)

    def penalty(self, x: Array) -> float:
        """Return R(x).

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        return self.prior.value(self._there(x))

    def scaling(self, x: Array) -> Array:
        """Return D(x), (n_z, n_y, n_x); 0 in voxels without data.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        xp = module_of(x)
        curvature = self.objective.curvature(x, self.least)
        curvature = curvature + self._back(self.prior.curvature(self._there(x)), x)
        inverse: Array = xp.where(self.seen, 1 / xp.where(self.seen, curvature, 1), 0)
        return inverse.astype(x.dtype)

    def stepped(self, x: Array, scaling: Array, gradient: Array, length: float) -> Array:
        """Return max(0, x + length · D · gradient); 0 in voxels without data.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        scaling
            D
        gradient
            (n_z, n_y, n_x) estimate of ∇Φ
        length
            step length; 1 is a step of expectation maximisation without a prior
        """
        step = scaling * gradient
        step *= x.dtype.type(length)
        step += x
        step *= self.seen
        return module_of(x).maximum(step, 0, out=step)

    def kkt(self, anchor: Anchor) -> float:
        """Return the KKT residual of an image.

        Parameters
        ----------
        anchor
            its full gradient
        """
        xp, x = module_of(anchor.x), anchor.x.astype(np.float64)
        weights = self.objective.curvature(anchor.x, self.least) * (x + self.least) * self.seen
        steps = xp.where(self.seen, (x + self.least) / xp.where(self.seen, weights, 1), 0)
        left = weights * abs(x - xp.maximum(x + steps * anchor.gradient, 0))
        return float(left.sum()) / max(float((weights * x).sum()), 1e-300)

    def _there(self, x: Array) -> Array:
        """Return an image on the device of the projections, where the prior is computed."""
        on = self.objective.A.on
        return x if on is None or not on.is_cuda else on.to_device(x)

    def _back(self, values: Array, x: Array) -> Array:
        """Return values on the device of an image."""
        return to_host(values) if module_of(x) is np else values
