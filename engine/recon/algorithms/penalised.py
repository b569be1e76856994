"""Penalised log-likelihood Φ(x) = L(x) − R(x), x ≥ 0, and the parts of its algorithms.

    D(x) = 1 / max( c_L(x), c_R(x) ),    c_L = s / (x + δ) for counts

scales all steps. c_R is a diagonal above the Hessian of the prior, so the steps are short where the
prior is steep. The larger of both is enough: smooth changes have the curvature of the data and
hardly any of the prior, changes between neighbours the opposite. δ lets voxels at 0 rise. Voxels
without data, or outside the object, are 0.

The distance of an image from the optimum is its KKT residual,

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


ROUNDING = 2.0**-23
"""Step between float32 numbers near 1. References in float64 accept as much as runs do."""


@dataclass(frozen=True, eq=False)
class DataGradient:
    """Gradient of the log-likelihood of all data at an image.

    Attributes
    ----------
    x : (n_z, n_y, n_x) the image
    parts : ∇L_k of each subset
    total : ∇L
    log_likelihood : L, up to a constant of the data
    n_skipped : rows with counts but no expected counts
    """

    x: Array
    parts: list[Array]
    total: Array
    log_likelihood: float
    n_skipped: int

    @classmethod
    def at(cls, x: Array, objective: SubsetObjective) -> DataGradient:
        """Return the gradient at an image, for one pass over the data.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        objective
            L
        """
        total, parts, value, n_skipped = module_of(x).zeros_like(x), [], 0.0, 0
        for k in range(objective.n_subsets):
            found = objective.gradient(k, x)
            _add(objective, found.image, total)
            parts.append(found.image)
            value, n_skipped = value + found.value, n_skipped + found.n_skipped
        return cls(x, parts, total, value, n_skipped)


@dataclass(frozen=True, eq=False)
class Anchor:
    """Full gradient at an image.

    Attributes
    ----------
    x : (n_z, n_y, n_x) the image
    parts : ∇L_k of each subset; empty after the cycle that begins at this image
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
    delta : δ, activity well below that of the object
    inside : (n_z, n_y, n_x) bool, voxels that can contain activity; None for all
    strength : weight of the prior relative to the data, for the report
    momentum : share of the last change of the image that an update of SVRG adds, below 1
    """

    objective: SubsetObjective
    prior: SmoothPrior
    delta: float
    inside: Array | None = None
    strength: float = 0.0
    momentum: float = 0.0

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
        return self.anchor_of(DataGradient.at(x, self.objective))

    def anchor_of(self, data: DataGradient) -> Anchor:
        """Return the full gradient from that of the data.

        Parameters
        ----------
        data
            gradient of the log-likelihood
        """
        x, total = data.x, data.total
        gradient = self.prior_gradient(x)

        def subtract(planes: slice) -> None:
            module_of(x).subtract(total[planes], gradient[planes], out=gradient[planes])

        self.objective.by_planes(subtract, x)
        penalty = self.penalty(x)
        return Anchor(x, data.parts, total, gradient, data.log_likelihood, penalty, data.n_skipped)

    def rounding(self, anchor: Anchor) -> float:
        """Return how much Φ can be wrong, if each term of its sums is rounded to float32.

        Sums are computed in float64, their terms in the type of the data. The constant in L does
        not matter: L itself can be 0.

        Parameters
        ----------
        anchor
            full gradient at an image
        """
        return ROUNDING * (self.objective.size(anchor.log_likelihood) + anchor.penalty)

    def prior_gradient(self, x: Array) -> Array:
        """Return ∇R(x), (n_z, n_y, n_x), which the caller can change.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        return self._on_device_of(self.prior.gradient(self._on_projection_device(x)), x)

    def prior_hessian_times(self, x: Array, vector: Array) -> Array:
        """Return R''(x) v, (n_z, n_y, n_x).

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        vector
            (n_z, n_y, n_x) v
        """
        return self._on_device_of(
            self.prior.hessian_times(
                self._on_projection_device(x), self._on_projection_device(vector)
            ),
            x,
        )

    def prior_curvature(self, x: Array) -> Array:
        """Return c_R, a diagonal above R''(x), (n_z, n_y, n_x), which the caller can change.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        return self._on_device_of(self.prior.curvature(self._on_projection_device(x)), x)

    def penalty(self, x: Array) -> float:
        """Return R(x).

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        return self.prior.value(self._on_projection_device(x))

    def pull(self, anchor: Anchor) -> float:
        """Return x · ∇R(x), the counts by which the prior lowers those of the optimum.

        Parameters
        ----------
        anchor
            full gradient at an image
        """
        if self.prior.grows_linearly:
            return anchor.penalty
        x = anchor.x
        return float(module_of(x).sum(x * self.prior_gradient(x), dtype=np.float64))

    def scaling(self, x: Array) -> Array:
        """Return D(x), (n_z, n_y, n_x); 0 in voxels without data.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        """
        curvature = self.objective.curvature(x, self.delta)
        inverse, seen = self.prior_curvature(x), self.seen

        def invert(planes: slice) -> None:
            found = inverse[planes]
            module_of(x).maximum(found, curvature[planes], out=found)
            # Not 0 in voxels without data, in which the result is 0.
            found += ~seen[planes]
            module_of(x).divide(1, found, out=found)
            found *= seen[planes]

        self.objective.by_planes(invert, x)
        return inverse

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
        found, seen = module_of(x).empty_like(x), self.seen

        def step(planes: slice) -> None:
            found[planes] = gradient[planes]
            self.step(planes, x, scaling, found, length)
            found[planes] *= seen[planes]

        self.objective.by_planes(step, x)
        return found

    def step(self, planes: slice, x: Array, scaling: Array, gradient: Array, length: float) -> None:
        """Write max(0, x + length · D · gradient) to some planes of the gradient.

        Parameters
        ----------
        planes
            the planes
        x
            (n_z, n_y, n_x) image
        scaling
            D
        gradient
            (n_z, n_y, n_x) estimate of ∇Φ, which becomes the new image
        length
            step length
        """
        found = gradient[planes]
        found *= scaling[planes]
        found *= x.dtype.type(length)
        found += x[planes]
        module_of(x).maximum(found, 0, out=found)

    def kkt(self, anchor: Anchor) -> float:
        """Return the KKT residual of an image.

        Parameters
        ----------
        anchor
            its full gradient
        """
        curvature, n = self.objective.curvature(anchor.x, self.delta), len(anchor.x)
        xp, is_seen = module_of(anchor.x), self.seen
        left, whole = xp.zeros(n), xp.zeros(n)

        def add(planes: slice) -> None:
            x, seen = anchor.x[planes].astype(np.float64), is_seen[planes]
            weights = curvature[planes] * (x + self.delta) * seen
            steps = (x + self.delta) * seen / (weights + ~seen)
            change = x - xp.maximum(x + steps * anchor.gradient[planes], 0)
            # One sum for each plane, so that bits do not depend on threads.
            left[planes] = (weights * abs(change)).sum(axis=(1, 2))
            whole[planes] = (weights * x).sum(axis=(1, 2))

        self.objective.by_planes(add, anchor.x)
        return float(left.sum()) / max(float(whole.sum()), 1e-300)

    def _on_projection_device(self, x: Array) -> Array:
        """Return an image on the device of the projections, where the prior is computed."""
        on = self.objective.A.on
        return x if on is None or not on.is_cuda else on.to_device(x)

    def _on_device_of(self, values: Array, x: Array) -> Array:
        """Return values on the device of an image."""
        return to_host(values) if module_of(x) is np else values


def _add(objective: SubsetObjective, image: Array, total: Array) -> None:
    """Add an image to a total."""

    def add(planes: slice) -> None:
        total[planes] += image[planes]

    objective.by_planes(add, total)
