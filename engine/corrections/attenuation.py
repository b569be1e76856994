"""Attenuation along each line of response: a_i = exp(−Σ l_in μ_n), over the whole line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.corrections.base import Correction
from engine.data.listmode import ListMode
from engine.data.volume import Volume


def attenuation_factors(
    mu_map: Volume, positions_mm: NDArray[Any], crystals: NDArray[Any], *, on: Backend
) -> NDArray[np.float32]:
    """Return a (n,) of the lines between `crystals` (n, 2) at `positions_mm` (m, 3) [mm]."""
    from engine.operators.rays import RayProjector, Rays

    projector = RayProjector(Rays(positions_mm, crystals), mu_map.grid, on=on)
    integrals = projector(mu_map.values)
    return np.exp(-integrals).astype(np.float32)


class Attenuation(Correction):
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
