"""Expected randoms of lines, from a singles model of the delayeds or from counted singles.

Two photons that have nothing to do with each other meet within the coincidence window τ at a rate
of 2τ S_i S_j, S the rates of single photons: r_ij = σ_i σ_j. Of n counted singles in a frame of
length T, that is

r_ij = 2τ n_i n_j / T

(rates that change within the frame give more: 1 % where they halve). Of delayeds, which count
nothing but randoms, σ is fitted: `engine.corrections.single_rates`. Flat in time of flight:
r / n_bins in each bin.

The finest model that the scan supports is chosen: counted singles; else a rate for each crystal of
a ring, if each sees 20 delayeds and they differ within blocks; else for each block; else one rate.
Crystals differ where the delayeds D_i of one are farther from those E_i that rates of blocks
expect than by chance: Σ (D_i − E_i)² / E_i > 1.5 n. Below that, the noise of a rate of its own,
1 / √D_i, adds more than the difference within a block takes away.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.core.settings import setting
from engine.corrections.base import Additive
from engine.corrections.single_rates import block_rates, crystal_rates, spread_in_blocks
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import pair_product

MIN_COUNTS = 20
"""Delayeds that a crystal or a block must see on average to have a rate of its own."""
LEAST_SPREAD = 1.5
"""(D − E)² / E of crystals from which on each has a rate of its own; 1 is chance."""
PS_PER_S = 1e12

FIRST_AUTO = 4
"""Version of protocols that first took the finest model by themselves."""

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
    model: Literal["auto", Source] = setting(
        "auto",
        "Use the singles of the scan, or estimate singles rates from delayeds for "
        "each crystal, each block or all blocks together. auto takes the finest model "
        "that the counts support",
        label="Model",
    )

    @classmethod
    def as_of(cls, version: int) -> Plain:
        return {"model": "blocks"} if version < FIRST_AUTO else {}

    def obstacle(self, data: ListMode) -> str | None:
        if self.model == "singles" and not data.has_singles:
            return (
                "the scan lacks singles rates of crystals, a coincidence window or a "
                "duration; choose another model"
            )
        if data.n_delayed == 0 and not data.has_singles:
            return "the scan has no delayed coincidences"
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
        counted = f"{before.n_delayed:,} delayeds, {share:.1f} % of the prompts"
        return f"{counted}; {WORDS[source]}, {self._reason(before, source)}"

    def _source(self, data: ListMode) -> Source:
        """Return what the counts allow of what is wanted."""
        if self.model == "singles" or data.n_delayed == 0:
            return "singles"
        if self.model == "auto" and data.has_singles:
            return "singles"
        n_groups = int(data.scanner.groups.max()) + 1
        by_block = self.model != "uniform" and 2 * data.n_delayed >= MIN_COUNTS * n_groups
        coarse: Source = "blocks" if by_block else "uniform"
        return "crystals" if self._by_crystal(data, coarse) else coarse

    def _by_crystal(self, data: ListMode, coarse: Source) -> bool:
        """Return True if each crystal has a rate of its own; coarse : the model if not."""
        scanner = data.scanner
        if self.model not in ("auto", "crystals") or not isinstance(scanner, RingScanner):
            return False
        if delayeds_per_crystal(data) < MIN_COUNTS:
            return False
        if self.model == "crystals":
            return True
        rates = self._rates_of(data, coarse)
        return spread_in_blocks(scanner, data.delayeds.crystals, rates) > LEAST_SPREAD

    def _reason(self, data: ListMode, source: Source) -> str:
        """Say why this is the model."""
        if source == self.model:
            return "set in the protocol"
        each = delayeds_per_crystal(data)
        if source == "crystals":
            return f"because each crystal has {each:,.0f} and crystals differ within blocks"
        if not isinstance(data.scanner, RingScanner):
            return f"because crystals of this scanner have no rates of their own ({each:,.0f} each)"
        if each < MIN_COUNTS:
            return f"because each crystal has {each:,.1f}, fewer than {MIN_COUNTS}"
        return f"because crystals differ only by chance ({each:,.0f} each)"

    def rates(self, data: ListMode) -> NDArray[np.float64]:
        """Return σ of each crystal, (n_crystals,), of all randoms in the frame."""
        return self._rates_of(data, self._source(data))

    def _rates_of(self, data: ListMode, source: Source) -> NDArray[np.float64]:
        scanner = data.scanner
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


def delayeds_per_crystal(data: ListMode) -> float:
    """Return how many delayeds a live crystal sees on average."""
    return 2 * data.n_delayed / max(int(np.count_nonzero(data.scanner.alive)), 1)
