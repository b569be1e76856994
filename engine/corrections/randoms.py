"""Randoms from delayed coincidences, smoothed by a model of the singles.

r_ij = σ_i σ_j with σ_i = ε_i τ_g(i), ε the crystal's efficiency (0 in gaps) and τ one rate for each
detector block g. The delayeds seen by block g are D_g = τ_g Σ_h M_gh τ_h with
M_gh = Σ ε_i ε_j over the lines of response between g and h; the fixed point of
τ_g ← τ_g √(D_g / (τ_g Σ_h M_gh τ_h)) solves it. Flat in time of flight: r / n_bins in each bin.
After Casey & Hoffman, J Comput Assist Tomogr 10 (1986) 845.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.backend import Backend
from engine.corrections.base import Additive
from engine.data.listmode import ListMode
from engine.geometry.sampling import lattice
from engine.geometry.scanner import Scanner, pair_product
from engine.settings import setting

MIN_COUNTS = 20
"""Delayeds a block must see on average before blocks get their own rate."""
N_LINES = 4_000_000
"""Lines of response sampled for M."""
N_STEPS = 100


class Randoms(Additive[ListMode]):
    """Expected randoms of each event's line, from the delayeds of the same scan."""

    title: ClassVar[str] = "Randoms"
    kind: ClassVar[str] = "randoms"
    since: ClassVar[int | None] = 1
    model: Literal["blocks", "uniform"] = setting(
        "blocks", "One singles rate for each detector block, or for all", label="Model"
    )

    def obstacle(self, data: ListMode) -> str | None:
        if data.n_delayed == 0:
            return "the scan holds no delayed coincidences"
        return None

    def expected(self, data: ListMode, *, on: Backend) -> Array:
        randoms = pair_product(self._singles(data), data.crystals)
        if data.tof_bins is not None and data.scanner.tof is not None:
            randoms /= data.scanner.tof.n_bins
        return randoms

    def summary(self, before: ListMode, after: ListMode) -> str:
        share = 100 * before.n_delayed / max(before.n_prompts, 1)
        model = "one rate for each block" if self._by_block(before) else "one rate for all blocks"
        return f"{before.n_delayed:,} delayeds, {share:.1f} % of the prompts; {model}"

    def _by_block(self, data: ListMode) -> bool:
        n_groups = int(data.scanner.groups.max()) + 1
        return self.model == "blocks" and 2 * data.n_delayed >= MIN_COUNTS * n_groups

    def _singles(self, data: ListMode) -> NDArray[np.float64]:
        scanner = data.scanner
        groups = scanner.groups if self._by_block(data) else np.zeros(scanner.n_crystals, np.int32)
        n_groups = int(groups.max()) + 1
        weights = scanner.alive.astype(np.float64)
        if data.crystal_weights is not None:
            weights = data.crystal_weights.astype(np.float64)
        delayeds = data.delayeds.crystals
        seen = np.bincount(groups[delayeds].ravel(), minlength=n_groups)
        pairs = _pair_weights(scanner, weights, groups, n_groups)
        rates = _solve_rates(seen.astype(np.float64), pairs)
        singles = weights * rates[groups]
        return singles


def _pair_weights(
    scanner: Scanner, weights: Array, groups: Array, n_groups: int
) -> NDArray[np.float64]:
    """M (n_groups, n_groups): Σ ε_i ε_j over lines of response, both directions counted."""
    n = min(scanner.n_lors, N_LINES)
    pairs = np.zeros(n_groups * n_groups)
    for numbers in np.array_split(lattice(scanner.n_lors, n, shift=0.5), max(1, n // 1_000_000)):
        crystals = scanner.lors(numbers)
        w = pair_product(weights, crystals) * scanner.in_coincidence(crystals)
        g = groups[crystals].astype(np.int64)
        pairs += np.bincount(g[:, 0] * n_groups + g[:, 1], w, n_groups * n_groups)
    m = pairs.reshape(n_groups, n_groups) * (scanner.n_lors / n)
    return m + m.T


def _solve_rates(seen: NDArray[np.float64], pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    total = pairs.sum()
    rates = np.full(len(seen), np.sqrt(seen.sum() / total) if total > 0 else 0.0)
    for _ in range(N_STEPS):
        expected = rates * (pairs @ rates)
        ratio = np.divide(seen, expected, out=np.zeros_like(rates), where=expected > 0)
        rates = rates * np.sqrt(ratio)
    return rates
