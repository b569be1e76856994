"""Expected randoms of lines, from a singles model of the delayeds or from counted singles.

Two unrelated photons meet within the coincidence window τ at a rate of 2τ S_i S_j, where S are
the rates of single photons: r_ij = σ_i σ_j. If n singles were counted in a frame of length T,

r_ij = 2τ n_i n_j / T

(rates that change within the frame give more: 1 % if they halve). Delayeds contain only randoms,
so σ is fitted to them: `engine.corrections.single_rates`. Randoms do not depend on time of
flight: each bin contains r / n_bins.

The finest model that the scan supports is chosen: counted singles; else a rate for each crystal of
a ring, if each has 20 delayeds and they differ within blocks; else for each block; else one rate.
Crystals differ if their delayeds D_i deviate from the values E_i expected from block rates by more
than chance: Σ (D_i − E_i)² / E_i > 1.5 n. Below that limit the noise of a separate rate, 1 / √D_i,
is larger than the difference within a block.
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
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import pair_product

MIN_COUNTS = 20
"""Delayeds that a crystal or a block must see on average to have a rate of its own."""
MIN_SPREAD = 1.5
"""Mean (D − E)² / E above which each crystal has its own rate; chance gives 1."""
PS_PER_S = 1e12

FIRST_AUTO = 4
"""First version of protocols that chose the finest model automatically."""

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
        "Use the singles rates recorded in the scan, or estimate the rates from the delayeds: one "
        "for each crystal, one for each block, or one for all blocks. auto uses the finest model "
        "that the counts support",
        label="Model",
    )

    @classmethod
    def as_of(cls, version: int) -> Plain:
        """Return the model that old protocols used: one rate for each block.

        Returns
        -------
        settings
            {"model": "blocks"} before version 4, because "auto" did not exist; empty since then
        """
        return {"model": "blocks"} if version < FIRST_AUTO else {}

    def obstacle(self, data: ListMode) -> str | None:
        """Return why randoms cannot be estimated.

        Returns
        -------
        obstacle
            a reason if the scan has neither delayeds nor singles, or lacks data for the chosen
            model; None otherwise
        """
        if self.model == "singles" and not data.has_singles:
            return (
                "the scan lacks singles rates of crystals, a coincidence window or a "
                "duration; choose another model"
            )
        if data.n_delayed == 0 and not data.has_singles:
            return "the scan has no delayed coincidences"
        return None

    def expected(self, data: ListMode, *, on: Backend) -> Array:
        """Return the expected randoms in the line and TOF bin of each event.

        Returns
        -------
        expected
            (n_events,) counts in the frame, σ_i σ_j divided by the number of TOF bins
        """
        rates, crystals, tof = self.rates(data), data.crystals, data.scanner.tof
        # Randoms have no preferred time difference, so every TOF bin of a line contains the same
        # share.
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
        """Return the finest model that the counts and the settings allow."""
        # Without delayeds, `obstacle` has already made sure that singles are available.
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
        # Fan sums need the regular rings; other scanners have no closed form for the partners of a
        # crystal.
        if self.model not in ("auto", "crystals") or not isinstance(scanner, RingScanner):
            return False
        if delayeds_per_crystal(data) < MIN_COUNTS:
            return False
        # The statistical test compares only within "auto"; an explicit choice of the user is
        # followed.
        if self.model == "crystals":
            return True
        from engine.corrections.single_rates import spread_in_blocks

        rates = self._rates_of(data, coarse)
        return spread_in_blocks(scanner, data.delayeds.crystals, rates) > MIN_SPREAD

    def _reason(self, data: ListMode, source: Source) -> str:
        """Return the reason for this choice of model, as a clause."""
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
        """Return σ of each crystal for all randoms in the frame, (n_crystals,).

        Parameters
        ----------
        data
            scan with delayeds or singles

        Returns
        -------
        rates
            square roots of counts: σ_i σ_j are the randoms of a line in all TOF bins
        """
        return self._rates_of(data, self._source(data))

    def _rates_of(self, data: ListMode, source: Source) -> NDArray[np.float64]:
        scanner = data.scanner
        if source == "singles" and data.singles is not None:
            # r = 2τ n_i n_j / T, so σ = n √(2τ / T).
            tau_s = data.coincidence_window_ps / PS_PER_S
            rates = np.sqrt(2 * tau_s / data.duration_s) * data.singles.astype(np.float64)
            return np.where(scanner.alive, rates, 0)
        # Most runs have no delayeds, and load no fit of their rates.
        from engine.corrections.single_rates import block_rates, crystal_rates

        delayeds = data.delayeds.crystals
        if source == "crystals" and isinstance(scanner, RingScanner):
            return crystal_rates(scanner, delayeds)
        weights = scanner.alive.astype(np.float64)
        # With efficiencies, the few delayeds of a block need only determine the rate of the block.
        if data.crystal_weights is not None:
            weights = data.crystal_weights.astype(np.float64)
        groups = scanner.groups if source == "blocks" else np.zeros(scanner.n_crystals, np.int32)
        return block_rates(scanner, delayeds, weights, groups)


def delayeds_per_crystal(data: ListMode) -> float:
    """Return the mean number of delayeds of a live crystal.

    Parameters
    ----------
    data
        scan with delayeds

    Returns
    -------
    delayeds_per_crystal
        each delayed counts for both of its crystals
    """
    return 2 * data.n_delayed / max(int(np.count_nonzero(data.scanner.alive)), 1)
