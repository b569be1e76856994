"""Expected randoms of lines, from delayeds by a model of the singles, or from counted singles.

Two photons that have nothing to do with each other meet within the coincidence window τ at a rate
of 2τ S_i S_j, S the rates of single photons: r_ij = σ_i σ_j. Of n counted singles in a frame of
length T, that is

r_ij = 2τ n_i n_j / T

(rates that change within the frame give more: 1 % where they halve). Of delayeds, which count
nothing but randoms, σ is fitted: `engine.corrections.single_rates`. Flat in time of flight:
r / n_bins in each bin.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.backend import Backend
from engine.corrections.base import Additive
from engine.corrections.single_rates import block_rates, crystal_rates
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import pair_product
from engine.settings import setting

MIN_COUNTS = 20
"""Delayeds that a crystal or a block must see on average to have a rate of its own."""
PS_PER_S = 1e12

Source = Literal["singles", "crystals", "blocks", "uniform"]
WORDS: dict[Source, str] = {
    "singles": "from the singles of each crystal",
    "crystals": "one rate for each crystal",
    "blocks": "one rate for each block",
    "uniform": "one rate for all blocks",
}


class Randoms(Additive[ListMode]):
    """Expected randoms of each event's line, from delayeds or singles of the same scan."""

    title: ClassVar[str] = "Randoms"
    kind: ClassVar[str] = "randoms"
    since: ClassVar[int | None] = 1
    model: Source = setting(
        "blocks",
        "Singles rates, from delayeds, of each detector block, of each crystal (rings with many "
        "delayeds) or of all; or singles as the scan counted them",
        label="Model",
    )

    def obstacle(self, data: ListMode) -> str | None:
        if self.model == "singles" and not data.has_singles:
            return (
                "the scan holds no singles of crystals with a coincidence window and a duration; "
                "choose another model"
            )
        if data.n_delayed == 0 and not data.has_singles:
            return "the scan holds no delayed coincidences"
        return None

    def expected(self, data: ListMode, *, on: Backend) -> Array:
        rates, crystals, tof = self.rates(data), data.crystals, data.scanner.tof
        n_times = tof.n_bins if data.tof_bins is not None and tof is not None else 1
        return data.column(lambda rows: pair_product(rates, crystals[rows]) / n_times)

    def summary(self, before: ListMode, after: ListMode) -> str:
        source = self._source(before)
        if source == "singles":
            return f"{before.describe_singles()}; {WORDS[source]}"
        share = 100 * before.n_delayed / max(before.n_prompts, 1)
        return f"{before.n_delayed:,} delayeds, {share:.1f} % of the prompts; {WORDS[source]}"

    def _source(self, data: ListMode) -> Source:
        """Return what the counts allow of what is wanted."""
        if self.model == "singles" or data.n_delayed == 0:
            return "singles"
        scanner, seen = data.scanner, 2 * data.n_delayed
        enough = seen >= MIN_COUNTS * int(np.count_nonzero(scanner.alive))
        if self.model == "crystals" and enough and isinstance(scanner, RingScanner):
            return "crystals"
        n_groups = int(scanner.groups.max()) + 1
        by_block = self.model != "uniform" and seen >= MIN_COUNTS * n_groups
        return "blocks" if by_block else "uniform"

    def rates(self, data: ListMode) -> NDArray[np.float64]:
        """Return σ of each crystal, (n_crystals,), of all randoms in the frame."""
        source, scanner = self._source(data), data.scanner
        if source == "singles" and data.singles is not None:
            tau_s = data.coincidence_window_ps / PS_PER_S
            rates = np.sqrt(2 * tau_s / data.duration_s) * data.singles.astype(np.float64)
            return np.where(scanner.alive, rates, 0)
        delayeds = data.delayeds.crystals
        if source == "crystals" and isinstance(scanner, RingScanner):
            return crystal_rates(scanner, delayeds)
        weights = scanner.alive.astype(np.float64)
        if data.crystal_weights is not None:
            weights = data.crystal_weights.astype(np.float64)
        groups = scanner.groups if source == "blocks" else np.zeros(scanner.n_crystals, np.int32)
        return block_rates(scanner, delayeds, weights, groups)
