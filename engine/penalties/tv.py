"""Total variation, TV(x) = Σ |∇x|: small for images of a few flat parts with sharp edges.

prox(v) = argmin ½‖x − v‖² + w TV(x)  within the bounds, from its dual:

x ← P( v − w ∇ᵀq ),   p⁺ ← q + ∇x / (w‖∇‖²)  with |p| ≤ 1
t⁺ = (1 + √(1 + 4t²)) / 2,   q ← p⁺ + (t − 1) / t⁺ (p⁺ − p)

Rudin, Osher & Fatemi, Physica D 60 (1992) 259; Beck & Teboulle, IEEE Trans Image Process 18
(2009) 2419 (FGP).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import module_of
from engine.penalties.gradient import Gradient

Array = NDArray[Any]


@dataclass(frozen=True)
class TotalVariation:
    """Σ |∇x| over all voxels, the same in every direction."""

    gradient: Gradient

    def value(self, x: Array) -> float:
        """Σ |∇x|."""
        xp = module_of(x)
        return float(xp.sum(_length(self.gradient(x)), dtype=np.float64))

    def no_flow(self, x: Array) -> Array:
        """Return the dual image p to begin with, (3, n_z, n_y, n_x)."""
        return module_of(x).zeros(self.gradient.out_shape, x.dtype)

    def prox(
        self, v: Array, weight: float, *, bounds: Callable[[Array], Array], flow: Array, steps: int
    ) -> tuple[Array, Array]:
        """Return argmin ½‖x − v‖² + weight · TV(x) within the bounds, and its dual image.

        Parameters
        ----------
        v
            (n_z, n_y, n_x) image
        weight
            of TV
        bounds
            clips to the bounds
        flow
            (3, n_z, n_y, n_x) dual image to go on from
        steps
            of the dual; the more, the nearer
        """
        most = self.gradient.norm_bound
        if weight == 0 or most == 0:
            return bounds(v), flow
        p, q, t = flow, flow, 1.0
        for _ in range(steps):
            x = bounds(v - weight * self.gradient.adjoint(q))
            following = _shortened(q + self.gradient.forward(x) / (weight * most))
            t_next = (1 + sqrt(1 + 4 * t**2)) / 2
            q = following + (t - 1) / t_next * (following - p)
            p, t = following, t_next
        return bounds(v - weight * self.gradient.adjoint(p)), p


def _length(flow: Array) -> Array:
    """Length of the arrow at every voxel."""
    return module_of(flow).sqrt((flow * flow).sum(axis=0))


def _shortened(flow: Array) -> Array:
    """Arrows no longer than 1."""
    return flow / module_of(flow).maximum(_length(flow), 1)
