"""Attenuation along each line of response: a_i = exp(−Σ l_in μ_n), over the whole line."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays import module_of
from engine.backend import Backend
from engine.backend.gpu import Array
from engine.corrections.base import Correction
from engine.data.listmode import ListMode
from engine.data.volume import Volume

BATCH = 4_000_000
"""Lines traced at a time."""


def attenuation_factors(
    mu_map: Volume,
    positions_mm: NDArray[np.float64],
    crystals: Array,
    *,
    on: Backend,
    reproducible: bool = True,
) -> Array:
    """Return a (n,) float32 of the lines between `crystals` (n, 2) at `positions_mm` (m, 3) [mm].

    They come to where `crystals` are, on the device or not. If reproducible, a GPU leaves the
    exponential to the processor: they round it differently.
    """
    from engine.operators.rays import RayProjector, Rays

    xp = module_of(crystals)
    mu = on.to_device(mu_map.values)
    factors = xp.empty(len(crystals), np.float32)
    for start in range(0, len(crystals), BATCH):
        rows = slice(start, start + BATCH)
        rays = Rays(positions_mm, on.to_device(crystals[rows]))
        integrals = RayProjector(rays, mu_map.grid, on=on, reproducible=reproducible)(mu)
        if reproducible or xp is np:
            integrals = on.to_host(integrals)
        factors[rows] = xp.asarray(module_of(integrals).exp(-integrals))
    return factors


class Attenuation(Correction[ListMode]):
    """Photons lost in the object, from a map of linear attenuation coefficients."""

    title: ClassVar[str] = "Attenuation"
    kind: ClassVar[str] = "attenuation"

    def obstacle(self, data: ListMode) -> str | None:
        return None if data.mu_map is not None else "no attenuation map is given; load a μ-map"

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        if data.mu_map is None:
            return data
        a = attenuation_factors(data.mu_map, data.scanner.positions_mm, data.crystals, on=on)
        factors = a if data.factors is None else a * data.factors
        return replace(data, factors=factors, attenuation=data.mu_map)

    def summary(self, before: ListMode, after: ListMode) -> str:
        if after.factors is None or not after.n_events:
            return "no events"
        before_factors = 1.0 if before.factors is None else np.maximum(before.factors, 1e-30)
        a = after.factors / before_factors
        mean, low = 100 * float(np.mean(a)), 100 * float(np.min(a))
        return (
            f"lines of the events pass {mean:.0f} % of their photons on average, least {low:.1f} %"
        )
