"""Edge-preserving prior: quadratic for small differences, weaker for edges.

R(x) = κ Σ w_jk ( √(1 + (x_j − x_k)² / δ²) − 1 )  over pairs of neighbours along the axes,
δ = √(N / n) / s̄,   w = (least edge of a voxel / distance)²

of N counts beyond the background on n voxels that may hold activity, of mean sensitivity s̄: a voxel
that alone sent out its share of the counts has so much noise, √(x̄ / s̄). So the scan says what is
noise; κ says how much less than a count the neighbours are believed.

With the B subsets of expectation maximisation, e_k = x · A_kᵀ( y_k / (A_k x + b_k) ), each voxel
takes the positive root of

2Ω x² + (s_k − M) x − e_k = 0,   ω_jk = κ w_jk / (B δ²) / √(1 + (x_j − x_k)² / δ²),
Ω_j = Σ_k ω_jk,   M_j = Σ_k ω_jk (x_j + x_k)

the maximum of a sum of functions of one voxel each that lies below the penalised log-likelihood and
meets it at the image before: with one subset log-likelihood − R never falls.

The potential, and its parabolas: Charbonnier et al., IEEE Trans Image Process 6 (1997) 298. Its
share of each voxel, and the root: De Pierro, IEEE TMI 14 (1995) 132.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from engine.core.arrays import Array, module_of
from engine.operators.lower_bound import least_factor

Cut = tuple[slice, ...]


@dataclass(frozen=True)
class EdgePrior:
    """Edge-preserving prior, before the sensitivity of a scan is known.

    Attributes
    ----------
    strength : κ; 0 has no effect
    spacing_mm : (z, y, x) edges of a voxel [mm]
    n_counts : N, counts beyond the expected background
    inside : (n_z, n_y, n_x) bool voxels that may hold activity; None: all that are seen
    """

    strength: float
    spacing_mm: tuple[float, ...]
    n_counts: float
    inside: Array | None = None

    def within(self, seen: Array, sensitivity: Array) -> EdgePenalty:
        """Return the penalty among voxels that are seen, (n_z, n_y, n_x) bool, and may be active.

        sensitivity : (n_z, n_y, n_x) of all data, where the images live
        """
        inside = seen if self.inside is None else seen & module_of(seen).asarray(self.inside)
        n_voxels = max(int(inside.sum()), 1)
        mean = float((sensitivity * inside).sum(dtype=np.float64)) / n_voxels
        delta = sqrt(max(self.n_counts, 1.0) / n_voxels) / max(mean, 1e-30)
        weights = tuple((min(self.spacing_mm) / h) ** 2 for h in self.spacing_mm)
        return EdgePenalty(self.strength, delta, weights, inside)


@dataclass(frozen=True, eq=False)
class EdgePenalty:
    """κ Σ w ( √(1 + (x_j − x_k)² / δ²) − 1 ) of an image, and the EM update with it.

    Attributes
    ----------
    strength : κ
    delta : δ, in units of the image
    weights : w along each axis
    inside : (n_z, n_y, n_x) voxels that have neighbours: others have none
    """

    strength: float
    delta: float
    weights: tuple[float, ...]
    inside: Array

    @cached_property
    def _axes(self) -> list[tuple[Cut, Cut, Array]]:
        """Places of both ends of the pairs along each axis, and their κ w, 0 beside the inside."""
        found = []
        for axis, weight in enumerate(self.weights):
            before = (slice(None),) * axis
            here, there = (*before, slice(None, -1)), (*before, slice(1, None))
            pairs = self.inside[here] & self.inside[there]
            found.append((here, there, pairs * np.float32(self.strength * weight)))
        return found

    def value(self, x: Array) -> float:
        """R of an image."""
        total = 0.0
        for here, there, weights in self._axes:
            t = (x[here] - x[there]).astype(np.float64) / self.delta
            total += float((weights * (module_of(x).sqrt(1 + t * t) - 1)).sum())
        return total

    def updated(self, x: Array, shared: Array, sensitivity: Array, n_subsets: int = 1) -> Array:
        """Return the image after a subset.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) before it
        shared
            e_k, the counts that each voxel is held to have sent
        sensitivity
            s_k; voxels that the subset does not see stay as they are
        n_subsets
            B
        """
        xp = module_of(x)
        squares, means = self._curvature(x)
        a = squares * np.float32(2 / n_subsets)
        b = sensitivity - means * np.float32(1 / n_subsets)
        root = xp.sqrt(b * b + 4 * a * shared)
        # each form where nothing cancels; without neighbours it is e / s
        large = 2 * shared / xp.where(b > 0, b + root, np.float32(1))
        small = (root - b) / xp.where(a > 0, 2 * a, np.float32(1))
        found = xp.where((sensitivity > 0) & self.inside, xp.where(b > 0, large, small), x)
        return xp.maximum(found, least_factor(n_subsets) * x)

    def _curvature(self, x: Array) -> tuple[Array, Array]:
        """Ω and M of one subset."""
        xp = module_of(x)
        squares, means = xp.zeros_like(x), xp.zeros_like(x)
        for here, there, weights in self._axes:
            one, other = x[here], x[there]
            t = (one - other) * np.float32(1 / self.delta)
            omega = weights / xp.sqrt(1 + t * t) * np.float32(1 / self.delta**2)
            squares[here] += omega
            squares[there] += omega
            omega *= one + other
            means[here] += omega
            means[there] += omega
        return squares, means
