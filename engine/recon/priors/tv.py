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

import numpy as np

from engine.core.arrays import Array, module_of
from engine.recon.priors.gradient import Gradient

Bounds = Callable[[Array], Array]
"""Clips an image."""


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
        self, v: Array, weight: float, *, bounds: Bounds, flow: Array, steps: int
    ) -> tuple[Array, Array]:
        """Return argmin ½‖x − v‖² + weight · TV(x) within the bounds, and its dual image.

        Parameters
        ----------
        v
            (n_z, n_y, n_x) image
        weight
            weight of TV
        bounds
            clips to the bounds
        flow
            (3, n_z, n_y, n_x) dual image to go on from
        steps
            number of dual steps; more are more accurate
        """
        most = self.gradient.norm_bound
        if weight == 0 or most == 0:
            return bounds(v), flow
        p, q, t = flow, flow, 1.0
        for _ in range(steps):
            following = self.gradient.forward(self._image(v, weight, q, bounds))
            following *= 1 / (weight * most)
            following += q
            _shorten(following)
            t_next = (1 + sqrt(1 + 4 * t**2)) / 2
            q = following - p
            q *= (t - 1) / t_next
            q += following
            p, t = following, t_next
        return self._image(v, weight, p, bounds), p

    def _image(self, v: Array, weight: float, flow: Array, bounds: Bounds) -> Array:
        """Return the image that belongs to a dual one."""
        x = self.gradient.adjoint(flow)
        x *= -weight
        x += v
        return bounds(x)


def _length(flow: Array) -> Array:
    """Length of the arrow at every voxel."""
    squares = flow[0] * flow[0]
    for part in flow[1:]:
        squares += part * part
    return module_of(flow).sqrt(squares)


def _shorten(flow: Array) -> None:
    """Leave no arrow longer than 1."""
    flow /= module_of(flow).maximum(_length(flow), 1)
