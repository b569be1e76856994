"""Log-cosh prior: Σ κ_n κ_m δ² log cosh((x_n − x_m) / δ) over neighbours along the axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.settings import setting
from engine.recon.algorithms.prior_choices import PriorChoice
from engine.recon.priors.scale import PriorScale
from engine.recon.priors.smooth_prior import SmoothPrior


class LogCosh(PriorChoice):
    """Prior that is quadratic for small differences and linear for edges."""

    title: ClassVar[str] = "Log-cosh"
    uses_edges: ClassVar[bool] = False
    kind: Literal["log_cosh"] = "log_cosh"
    edge: float = setting(0.2, "δ relative to the typical activity", label="Edge", gt=0, le=9)

    def prior_for(self, scale: PriorScale) -> SmoothPrior:
        return LogCoshPrior(scale, self.edge * scale.activity)


class LogCoshPrior(SmoothPrior):
    """Log-cosh prior of a scan with edges from δ."""

    def __init__(self, scale: PriorScale, delta: float) -> None:
        self.weight, self.delta = scale.kappa * scale.strength**0.5, delta

    def value(self, x: Array) -> float:
        half = self._summed(x, lambda d: self.delta**2 * _log_cosh(d / self.delta) / 2, 1)
        return float(half.sum(dtype=np.float64))

    def gradient(self, x: Array) -> Array:
        return self._summed(x, lambda d: self.delta * module_of(x).tanh(d / self.delta), -1)

    def hessian_times(self, x: Array, vector: Array) -> Array:
        return self._summed(x, lambda d, v: v * self._bend(d), -1, vector)

    def curvature(self, x: Array) -> Array:
        # (v − u)² ≤ 2 v² + 2 u²
        return self._summed(x, lambda d: 2 * self._bend(d), 1)

    def _bend(self, d: Array) -> Array:
        bend: Array = 1 - module_of(d).tanh(d / self.delta) ** 2
        return bend

    def _summed(self, x: Array, term: Callable[..., Array], sign: int, *more: Array) -> Array:
        """Add the term of each pair to its first voxel, and with a sign to its second one."""
        sums: Array = module_of(x).zeros_like(x)
        for axis in range(x.ndim):
            a, b = ((slice(None),) * axis + (end,) for end in (slice(1, None), slice(-1)))
            found = self.weight[a] * self.weight[b] * term(*(e[a] - e[b] for e in (x, *more)))
            sums[a] += found
            sums[b] += sign * found
        return sums


def _log_cosh(u: Array) -> Array:
    found: Array = module_of(u).logaddexp(u, -u) - np.log(2).astype(u.dtype)
    return found  # cosh itself overflows in float32 beyond 89
