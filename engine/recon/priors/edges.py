"""Edge-preserving prior: quadratic for small differences, weaker for edges.

    R(x) = κ Σ w_jk ( √(1 + (x_j − x_k)² / δ²) − 1 )  over pairs of neighbours along the axes,
    δ = √(N / n) / s̄,   w = (least edge of a voxel / distance)²

for N counts above the background on n voxels that can contain activity, with mean sensitivity s̄. δ
is the noise √(x̄ / s̄) of a voxel that alone emits its share of the counts. The scan therefore
defines the noise level, and κ the weight of neighbours relative to one count.

With the B subsets of expectation maximisation, e_k = x · A_kᵀ( y_k / (A_k x + b_k) ), each voxel is
set to the positive root of

    2Ω x² + (s_k − M) x − e_k = 0,   ω_jk = κ w_jk / (B δ²) / √(1 + (x_j − x_k)² / δ²),
    Ω_j = Σ_k ω_jk,   M_j = Σ_k ω_jk (x_j + x_k)

This is the maximum of a separable surrogate that is below the penalised log-likelihood and equal to
it at the previous image. With one subset, log-likelihood − R never decreases.

Potential and parabolas: Charbonnier et al., IEEE Trans Image Process 6 (1997) 298. Separation into
voxels, and the root: De Pierro, IEEE TMI 14 (1995) 132.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.checked import checked_class
from engine.operators.lower_bound import min_update_factor
from engine.recon.priors.smooth_prior import SmoothPrior

Cut = tuple[slice, ...]


@checked_class()
@dataclass(frozen=True)
class EdgePrior:
    """Edge-preserving prior, before the sensitivity of a scan is known.

    Attributes
    ----------
    strength : κ; 0 has no effect
    spacing_mm : (z, y, x) edges of a voxel [mm]
    n_counts : N, counts above the expected background
    inside : (n_z, n_y, n_x) bool, voxels that can contain activity; None: all with data
    """

    strength: float
    spacing_mm: tuple[float, ...]
    n_counts: float
    inside: Array | None = None

    def within(self, seen: Array, sensitivity: Array) -> EdgePenalty:
        """Return the penalty for a scan.

        Parameters
        ----------
        seen
            (n_z, n_y, n_x) bool, voxels with data
        sensitivity
            (n_z, n_y, n_x) of all data, on the device of the images
        """
        inside = seen if self.inside is None else seen & module_of(seen).asarray(self.inside)
        # Only voxels inside share the counts: air around the object would lower δ.
        n_voxels = max(int(inside.sum()), 1)
        mean = float((sensitivity * inside).sum(dtype=np.float64)) / n_voxels
        delta = sqrt(max(self.n_counts, 1.0) / n_voxels) / max(mean, 1e-30)
        # Close neighbours count more; for cubic voxels all weights are 1.
        weights = tuple((min(self.spacing_mm) / h) ** 2 for h in self.spacing_mm)
        return EdgePenalty(self.strength, delta, weights, inside)


@checked_class()
@dataclass(frozen=True, eq=False)
class EdgePenalty(SmoothPrior):
    """Penalty κ Σ w ( √(1 + (x_j − x_k)² / δ²) − 1 ), and the EM update with it.

    Attributes
    ----------
    strength : κ
    delta : δ, in units of the image
    weights : w along each axis
    inside : (n_z, n_y, n_x) voxels that are compared with their neighbours
    """

    strength: float
    delta: float
    weights: tuple[float, ...]
    inside: Array

    @cached_property
    def _axes(self) -> list[tuple[Cut, Cut, Array]]:
        """Both ends of the pairs along each axis, and their weights κ w, 0 outside."""
        found = []
        for axis, weight in enumerate(self.weights):
            before = (slice(None),) * axis
            here, there = (*before, slice(None, -1)), (*before, slice(1, None))
            pairs = self.inside[here] & self.inside[there]
            # Pairs across the border of the inside get weight 0, so air does not pull on the edge
            # of the object.
            found.append((here, there, pairs * np.float32(self.strength * weight)))
        return found

    def value(self, x: Array) -> float:
        total = 0.0
        for here, there, weights in self._axes:
            t = (x[here] - x[there]).astype(np.float64) / self.delta
            total += float((weights * (module_of(x).sqrt(1 + t * t) - 1)).sum())
        return total

    def gradient(self, x: Array) -> Array:
        out = module_of(x).zeros_like(x)
        for here, there, weights in self._axes:
            one = x.dtype.type(1)
            t = (x[here] - x[there]) * x.dtype.type(1 / self.delta)
            pull = weights * t / module_of(x).sqrt(one + t * t) * x.dtype.type(1 / self.delta)
            out[here] += pull
            out[there] -= pull
        return out

    def hessian_times(self, x: Array, vector: Array) -> Array:
        out = module_of(x).zeros_like(x)
        for here, there, weights in self._axes:
            one = x.dtype.type(1)
            t = (x[here] - x[there]) * x.dtype.type(1 / self.delta)
            root = module_of(x).sqrt(one + t * t)
            change = weights * (vector[here] - vector[there]) * x.dtype.type(1 / self.delta**2)
            change /= root * root * root
            out[here] += change
            out[there] -= change
        return out

    def curvature(self, x: Array) -> Array:
        # Ω of De Pierro's surrogate, which separates the voxels of a pair by a factor of 2.
        return 2 * self._curvature(x)[0]

    def updated(self, x: Array, shared: Array, sensitivity: Array, n_subsets: int = 1) -> Array:
        """Return the image after the update with a subset.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image before the update
        shared
            e_k, expected emissions of each voxel
        sensitivity
            s_k; voxels outside of the subset do not change
        n_subsets
            B
        """
        xp = module_of(x)
        squares, means = self._curvature(x)
        a = squares * np.float32(2 / n_subsets)
        b = sensitivity - means * np.float32(1 / n_subsets)
        root = xp.sqrt(b * b + 4 * a * shared)
        # the form of the root without cancellation; without neighbours it is e / s
        large = 2 * shared / xp.where(b > 0, b + root, np.float32(1))
        small = (root - b) / xp.where(a > 0, 2 * a, np.float32(1))
        found = xp.where((sensitivity > 0) & self.inside, xp.where(b > 0, large, small), x)
        return xp.maximum(found, min_update_factor(n_subsets) * x)

    def _curvature(self, x: Array) -> tuple[Array, Array]:
        """Return Ω and M for one subset."""
        xp = module_of(x)
        squares, means = xp.zeros_like(x), xp.zeros_like(x)
        for here, there, weights in self._axes:
            one, other = x[here], x[there]
            # float32 throughout: a float64 scalar would convert a GPU image to float64.
            t = (one - other) * np.float32(1 / self.delta)
            omega = weights / xp.sqrt(1 + t * t) * np.float32(1 / self.delta**2)
            # Each pair acts on both of its voxels.
            squares[here] += omega
            squares[there] += omega
            omega *= one + other
            means[here] += omega
            means[there] += omega
        return squares, means
