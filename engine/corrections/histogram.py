"""Corrections of histograms of dual-head scanners, in the order they may run.

Expected counts of line (i, j): n_ij Σ h x + r_ij + s_ij. Randoms are r_ij = σ_i τ_j with the
singles rates σ of panel 0 and τ of panel 1. Every pair of crystals is a line, so the
maximum-likelihood rates have a closed form in the delayeds d,

r_ij = (Σ_j d_ij) (Σ_i d_ij) / Σ d.

If crystals have too few delayeds, those of a block are averaged over the block.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.core.settings import setting
from engine.corrections.attenuation import BATCH, attenuation_factors
from engine.corrections.base import Correction, Multiplicative, with_added
from engine.corrections.roles import ATTENUATION_MAP, EFFICIENCIES
from engine.corrections.scatter import NO_MAP, ONLY_IN_A_RUN, SIMULATED_SINCE, RingScatter
from engine.data.histogram import Histogram, total
from engine.data.input_role import InputRole
from engine.geometry.panel_sums import crystal_sums, line_products

MIN_COUNTS = 20
"""Delayeds a crystal, or a block, must see on average to have a rate of its own."""


class LineNormalisation(Multiplicative[Histogram]):
    """Detection factors of lines from the histogram, and of crystals from a file."""

    title: ClassVar[str] = "Normalisation"
    kind: ClassVar[str] = "normalisation"
    inputs: ClassVar[tuple[InputRole, ...]] = (EFFICIENCIES,)
    since: ClassVar[int | None] = 1

    def obstacle(self, data: Histogram) -> str | None:
        if data.normalisation is None and data.efficiencies is None:
            return "there are no detection factors; load a normalisation file"
        return None

    def factor(self, data: Histogram, *, on: Backend) -> Array:
        """Return the detection factor of each line.

        Returns
        -------
        factors
            (n_lors,): the factors of the histogram times the efficiencies of both crystals

        Raises
        ------
        DataError
            if the scan has neither
        """
        factors = data.normalisation
        if data.efficiencies is not None:
            # Both can be present: factors of lines from the scan, efficiencies of crystals from a
            # file.
            of_lines = line_products(data.scanner, data.efficiencies)
            factors = of_lines if factors is None else of_lines * factors
        if factors is None:
            raise DataError("the normalisation needs detection factors; load a normalisation file.")
        return factors

    def summary(self, before: Histogram, after: Histogram) -> str:
        if after.factors is None:
            return ""
        used = after.factors[after.factors > 0]
        spread = 100 * float(used.std(dtype=np.float64) / used.mean(dtype=np.float64))
        n_dead = len(after.factors) - len(used)
        return f"factors of {len(used):,} lines vary by {spread:.1f} %, {n_dead:,} dead"


class CrystalEdges(Multiplicative[Histogram]):
    """Efficiency loss of crystals at the edges of blocks and panels, computed from the scanner."""

    title: ClassVar[str] = "Block edges"
    kind: ClassVar[str] = "edges"
    since: ClassVar[int | None] = 4

    def obstacle(self, data: Histogram) -> str | None:
        """Return why edge losses are not computed.

        Returns
        -------
        obstacle
            a reason if measured factors already contain them; None otherwise
        """
        if data.normalisation is not None or data.efficiencies is not None:
            return "the measured detection factors already include it"
        return None

    def is_needless(self, data: Histogram) -> bool:
        return data.normalisation is not None or data.efficiencies is not None

    def factor(self, data: Histogram, *, on: Backend) -> Array:
        """Return the product of the edge efficiencies of both crystals.

        Returns
        -------
        factor
            (n_lors,), computed from the geometry of blocks and panels
        """
        from engine.operators.crystal_edges import edge_efficiencies

        return line_products(data.scanner, edge_efficiencies(data.scanner, threads=on.threads))

    def summary(self, before: Histogram, after: Histogram) -> str:
        if after.factors is None:
            return ""
        # The floor avoids 0 / 0 on dead lines.
        earlier = 1.0 if before.factors is None else np.maximum(before.factors, 1e-30)
        used = after.factors / earlier
        low, mean = 100 * float(used.min()), 100 * float(used.mean(dtype=np.float64))
        return (
            f"mean efficiency of the lines at block and panel edges {mean:.0f} %, "
            f"minimum {low:.0f} %"
        )


class LineAttenuation(Multiplicative[Histogram]):
    """Attenuation in the object, from a map of linear attenuation coefficients."""

    title: ClassVar[str] = "Attenuation"
    kind: ClassVar[str] = "attenuation"
    inputs: ClassVar[tuple[InputRole, ...]] = (ATTENUATION_MAP,)
    since: ClassVar[int | None] = 4

    def obstacle(self, data: Histogram) -> str | None:
        return None if data.mu_map is not None else "there is no attenuation map; load a μ-map"

    def factor(self, data: Histogram, *, on: Backend) -> Array:
        """Return the attenuation factor of each line.

        Returns
        -------
        factors
            (n_lors,) float32

        Raises
        ------
        DataError
            if there is no μ-map
        """
        if data.mu_map is None:
            raise DataError("there is no attenuation map; load a μ-map.")
        scanner = data.scanner
        # Every crystal pair of two panels is a line, so lines are traced in batches.
        factors = np.empty(scanner.n_lors, np.float32)
        for start in range(0, scanner.n_lors, BATCH):
            crystals = scanner.lors(np.arange(start, min(start + BATCH, scanner.n_lors)))
            factors[start : start + BATCH] = attenuation_factors(
                data.mu_map, scanner.positions_mm, crystals, on=on
            )
        return factors

    def summary(self, before: Histogram, after: Histogram) -> str:
        if after.factors is None:
            return ""
        earlier = 1.0 if before.factors is None else np.maximum(before.factors, 1e-30)
        passing = after.factors / earlier
        seen = before.prompts > 0
        # Weighted by prompts: lines through air with few counts would hide the attenuation.
        mean = 100 * float(np.average(passing[seen], weights=before.prompts[seen]))
        return (
            f"mean transmission along the lines of the prompts {mean:.0f} %, minimum "
            f"{100 * float(passing[seen].min()):.1f} %"
        )


class LineRandoms(Correction[Histogram]):
    """Random coincidences, from the delayeds of the same scan."""

    title: ClassVar[str] = "Randoms"
    kind: ClassVar[str] = "randoms"
    since: ClassVar[int | None] = 1
    method: Literal["background", "subtract"] = setting(
        "background",
        "Add the expected randoms to the model, or subtract the delayeds from the "
        "prompts and set negative counts to zero",
        label="Method",
    )

    def obstacle(self, data: Histogram) -> str | None:
        return None if data.n_delayeds else "the scan has no delayed coincidences"

    def apply(self, data: Histogram, *, on: Backend) -> Histogram:
        """Return the histogram with its randoms modelled or subtracted.

        Returns
        -------
        data
            "background" adds expected counts. "subtract" changes the prompts: negative counts
            become 0, which biases weak regions.
        """
        if data.delayeds is None:
            return data
        if self.method == "subtract":
            # The maximum is written in place, because a histogram can fill much of the memory.
            left = data.prompts - data.delayeds
            return replace(data, prompts=np.maximum(left, 0, out=left))
        rates = _rates(data, data.delayeds)
        return data.with_background(line_products(data.scanner, rates))

    def summary(self, before: Histogram, after: Histogram) -> str:
        share = 100 * before.n_delayeds / max(before.n_prompts, 1)
        message = f"{before.n_delayeds:,.0f} delayeds, {share:.1f} % of the prompts"
        if self.method == "background":
            return f"{message}; added to the model, one rate for each {_unit(before)}"
        cut = after.n_prompts - before.n_prompts + before.n_delayeds
        return f"{message}; subtracted, {cut:,.0f} negative counts set to 0"


class LineScatter(RingScatter[Histogram]):
    """Expected scatter, supplied with the scan (column `additive`) or simulated."""

    since: ClassVar[int | None] = 1
    rounds: int = setting(
        2,
        "Number of scatter simulations; each one uses the image corrected with the "
        "previous result",
        label="Rounds",
        ge=1, le=6,
    )  # fmt: skip

    @classmethod
    def as_of(cls, version: int) -> Plain:
        """Return {"method": "supplied"} before scatter was simulated; empty since then.

        Returns
        -------
        settings
            old protocols keep their image, even if the scan has a μ-map
        """
        return {} if version >= SIMULATED_SINCE else {"method": "supplied"}

    def is_brought(self, data: Histogram) -> bool:
        return data.additive is not None

    def obstacle(self, data: Histogram) -> str | None:
        """Return why there is no scatter estimate.

        Returns
        -------
        obstacle
            missing μ-map for a simulation, missing column for a supplied one; None if there is an
            estimate
        """
        if self.simulates(data):
            return NO_MAP if data.mu_map is None else None
        if data.additive is None:
            return "the scan has no expected background (an additive term for each line)"
        return None

    def runs(self, data: Histogram) -> bool:
        """Return True if a run simulates the scatter of this scan.

        Parameters
        ----------
        data
            scan before this correction

        Returns
        -------
        runs
            False if scatter is off, supplied, or cannot be simulated
        """
        return self.use != "off" and self.simulates(data) and self.obstacle(data) is None

    def expected(self, data: Histogram, *, on: Backend) -> Array:
        """Return the supplied scatter of each line.

        Returns
        -------
        expected
            (n_lors,) expected counts; zeros without a supplied estimate

        Raises
        ------
        DataError
            if scatter is simulated, which only a run can do
        """
        if self.simulates(data):
            raise DataError(ONLY_IN_A_RUN)
        return np.zeros_like(data.prompts) if data.additive is None else data.additive

    def summary(self, before: Histogram, after: Histogram) -> str:
        counts = 0.0 if before.additive is None else total(before.additive)
        return f"{counts:,.0f} expected counts in total"


def _rates(data: Histogram, delayeds: Array) -> Array:
    """Return rates whose products are the expected randoms, (n_crystals,)."""
    scanner, unit = data.scanner, _unit(data)
    seen = crystal_sums(scanner, delayeds)
    if unit != "crystal":
        # Rear layers see fewer photons than front layers, so layers never share a rate.
        slabs = np.arange(scanner.n_crystals) // scanner.n_per_layer
        groups = scanner.groups if unit == "block" else slabs
        means = np.bincount(groups, seen) / np.bincount(groups)
        seen = means[groups]
    # Dividing by √Σd makes the product of two rates equal to the closed form in the module
    # docstring.
    return seen / np.sqrt(data.n_delayeds)


def _unit(data: Histogram) -> str:
    """Return the name of the unit that has its own rate."""
    # Each delayed counts for both of its crystals.
    seen = 2 * data.n_delayeds
    if seen >= MIN_COUNTS * data.scanner.n_crystals:
        return "crystal"
    if seen >= MIN_COUNTS * (int(data.scanner.groups.max()) + 1):
        return "block"
    return "panel" if data.scanner.settings.n_layers == 1 else "layer of a panel"


HISTOGRAM_CORRECTIONS: tuple[type[Correction[Histogram]], ...] = with_added(
    (LineNormalisation, CrystalEdges, LineAttenuation, LineRandoms, LineScatter), Histogram
)
