"""Total variation, TV(x) = Σ |∇x|: small for images of a few flat parts with sharp edges.

    prox(v) = argmin ½‖x − v‖² + w TV(x)  within the bounds, from its dual:
    x ← P( v − w ∇ᵀq ),   p⁺ ← q + ∇x / (w‖∇‖²)  with |p| ≤ 1
    t⁺ = (1 + √(1 + 4t²)) / 2,   q ← p⁺ + (t − 1) / t⁺ (p⁺ − p)

Rudin, Osher & Fatemi, Physica D 60 (1992) 259; Beck & Teboulle, IEEE Trans Image Process 18 (2009)
2419 (FGP).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.checked import checked_class
from engine.recon.priors.gradient import Gradient

Bounds = Callable[[Array], Array]
"""Function that limits the values of an image."""


@checked_class()
@dataclass(frozen=True)
class TotalVariation:
    """Isotropic total variation, Σ |∇x| over all voxels.

    Attributes
    ----------
    gradient : ∇ of the images
    """

    gradient: Gradient

    def value(self, x: Array) -> float:
        """Return Σ |∇x|."""
        xp = module_of(x)
        return float(xp.sum(_length(self.gradient(x)), dtype=np.float64))

    def no_flow(self, x: Array) -> Array:
        """Return the initial dual image p, (3, n_z, n_y, n_x), all zero."""
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
            limits the values of an image
        flow
            (3, n_z, n_y, n_x) dual image to continue from
        steps
            number of dual steps; more are more accurate
        """
        # An image of one voxel has no gradient, and a weight of 0 no penalty.
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
            # In place, in the order of the formula: dual images are the largest arrays here.
            q = following - p
            q *= (t - 1) / t_next
            q += following
            p, t = following, t_next
        return self._image(v, weight, p, bounds), p

    def _image(self, v: Array, weight: float, flow: Array, bounds: Bounds) -> Array:
        """Return the image of a dual image."""
        # In place from here on: one image of temporary memory instead of three.
        x = self.gradient.adjoint(flow)
        x *= -weight
        x += v
        return bounds(x)


def _length(flow: Array) -> Array:
    """Return the length of the gradient vector in each voxel."""
    squares = flow[0] * flow[0]
    # Axis by axis, to avoid a temporary copy of the whole dual image.
    for part in flow[1:]:
        squares += part * part
    return module_of(flow).sqrt(squares)


def _shorten(flow: Array) -> None:
    """Limit all vectors to length 1, in place."""
    flow /= module_of(flow).maximum(_length(flow), 1)
