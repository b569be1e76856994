"""Smoothed total variation: a total variation with a gradient everywhere.

    R(x) = strength · Σ_n ( √(|∇x|²_n + ε²) − ε )

with the differences to the next voxel along each axis, per mm (`engine.recon.priors.gradient`).
Slopes well above ε cost as much as in the total variation, smaller ones less. It is array
arithmetic on the device of the image.

Rudin, Osher & Fatemi, Physica D 60 (1992) 259; smoothing: Acar & Vogel, Inverse Problems 10 (1994)
1217.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.checked import checked_class
from engine.recon.priors.gradient import Gradient
from engine.recon.priors.smooth_prior import SmoothPrior


@checked_class(
    positive=(
        "spacing_mm",
        "epsilon",
    )
)
@dataclass(frozen=True, eq=False)
class SmoothedTotalVariation(SmoothPrior):
    """Smoothed total variation.

    Attributes
    ----------
    spacing_mm : (z, y, x) voxel spacing
    epsilon : ε, slope in units of the image per mm, above 0
    strength : factor of the penalty

    Examples
    --------
    >>> import numpy as np
    >>> from engine.priors import SmoothedTotalVariation
    >>> prior = SmoothedTotalVariation((1.0, 1.0, 1.0), epsilon=1e-6)
    >>> round(prior.value(np.array([[[1.0, 3.0, 3.0]]])), 3)
    2.0
    """

    spacing_mm: tuple[float, ...]
    epsilon: float
    strength: float = 1.0

    def value(self, x: Array) -> float:
        slopes = self._gradient(x)(x)
        excess = self._lengths(slopes) - self._number(x, self.epsilon)
        return self.strength * float(module_of(x).sum(excess, dtype=np.float64))

    def gradient(self, x: Array) -> Array:
        nabla = self._gradient(x)
        slopes = nabla(x)
        slopes /= self._lengths(slopes)
        return nabla.adjoint(slopes) * self._number(x, self.strength)

    def hessian_times(self, x: Array, vector: Array) -> Array:
        nabla = self._gradient(x)
        slopes, change = nabla(x), nabla(vector)
        lengths = self._lengths(slopes)
        slopes /= lengths
        # Changes along the slope count less: the root flattens in this direction.
        change -= slopes * (slopes * change).sum(axis=0)
        change /= lengths
        return nabla.adjoint(change) * self._number(x, self.strength)

    def curvature(self, x: Array) -> Array:
        nabla, out = self._gradient(x), module_of(x).zeros_like(x)
        inverse = 1 / self._lengths(nabla(x))
        for axis, h in enumerate(self.spacing_mm):
            before = (slice(None),) * axis
            here, following = (*before, slice(None, -1)), (*before, slice(1, None))
            # (v_n − v_m)² ≤ 2 v_n² + 2 v_m², in the voxel and in the next one
            bound = inverse[here] * self._number(x, 2 * self.strength / h**2)
            out[here] += bound
            out[following] += bound
        return out

    def _gradient(self, x: Array) -> Gradient:
        return Gradient(x.shape, self.spacing_mm)

    def _lengths(self, slopes: Array) -> Array:
        squares = (slopes * slopes).sum(axis=0) + self._number(slopes, self.epsilon**2)
        return module_of(slopes).sqrt(squares)

    def _number(self, like: Array, value: float) -> Array:
        """Return a number in the type of an image; float64 would convert a GPU image."""
        number: Array = like.dtype.type(value)
        return number
