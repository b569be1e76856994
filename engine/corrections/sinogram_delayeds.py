"""Expected randoms of sinogram bins from their delayeds.

Most bins contain few delayeds. A bin with none by chance would keep all of its randoms in the
image: at a mean of 0.1 delayeds, subtraction would remove hardly anything. As for events, lines
expect r_ij = σ_i σ_j with σ fitted to the delayeds (`engine.corrections.single_rates`). A bin
expects the sum over its live lines. If a bin sums several lines, a seeded draw assigns each of its
delayeds to one of them; their rates are nearly equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.corrections.attenuation import BATCH
from engine.corrections.randoms import MIN_COUNTS, WORDS, Source
from engine.corrections.single_rates import block_rates, crystal_rates
from engine.data.histogram import total
from engine.data.sinogram import MAX_EVENTS
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import pair_product
from engine.geometry.sinogram_layout import SinogramLayout

SEED, DRAWS = 1, 8
"""Seed of the draws; number of draws if a line is in a gap."""


def are_counted(layout: SinogramLayout, values: Array) -> bool:
    """Return True if values are measured delayeds of bins with known lines.

    Parameters
    ----------
    layout
        bins of the sinogram
    values
        (n_bins,) delayeds or already estimated randoms

    Returns
    -------
    are_counted
        False after arc correction, for empty data, more counts than can be listed, or fractions
    """
    # Arc-corrected bins mix crystals, so a count cannot be traced back to a line.
    if layout.bin_mm is not None or not 0 < total(values) <= MAX_EVENTS:
        return False
    # Estimated randoms have fractions; smoothing them again would only add model errors.
    return bool(np.all(values == np.rint(values)))


def source_of(layout: SinogramLayout, n_delayeds: float) -> Source:
    """Return the finest rate model that this number of delayeds supports.

    Parameters
    ----------
    layout
        bins of the sinogram
    n_delayeds
        counts in all bins

    Returns
    -------
    source
        "crystals" or "blocks" if each has 20 delayeds on average, otherwise "uniform"
    """
    # Each delayed counts for both of its crystals.
    scanner, seen = layout.scanner, 2 * n_delayeds
    if seen >= MIN_COUNTS * int(np.count_nonzero(scanner.alive)):
        return "crystals"
    return "blocks" if seen >= MIN_COUNTS * (int(scanner.groups.max()) + 1) else "uniform"


def words_of(layout: SinogramLayout, n_delayeds: float) -> str:
    """Describe the randoms model that this number of delayeds leads to.

    Parameters
    ----------
    layout
        bins of the sinogram
    n_delayeds
        counts in all bins

    Returns
    -------
    words
        a clause for the summary
    """
    return f"from {n_delayeds:,.0f} delayeds, {WORDS[source_of(layout, n_delayeds)]}"


def expected_randoms(layout: SinogramLayout, delayeds: Array) -> NDArray[np.float32]:
    """Return the randoms that a model fitted to the delayeds expects in each bin.

    Parameters
    ----------
    layout
        bins of the sinogram
    delayeds
        (n_bins,) whole counts; see `are_counted`

    Returns
    -------
    expected_randoms
        (n_bins,) float32 with the same total as the delayeds
    """
    scanner, source = _fan_of(layout), source_of(layout, total(delayeds))
    pairs = lines_drawn(layout, delayeds)
    if source == "crystals":
        rates = crystal_rates(scanner, pairs)
    else:
        blocks = source == "blocks"
        groups = scanner.groups if blocks else np.zeros(scanner.n_crystals, np.int32)
        rates = block_rates(scanner, pairs, scanner.alive.astype(np.float64), groups)
    expected = of_rates(layout, rates)
    # Draws that end in gaps are lost, so the total is restored from the counts.
    scale = total(delayeds) / max(total(expected), 1e-30)
    return (expected * np.float32(scale)).astype(np.float32)


def _fan_of(layout: SinogramLayout) -> RingScanner:
    """Return the scanner with only the lines that the bins contain."""
    settings = layout.scanner.settings
    # The fit sums over partners in coincidence; lines outside the sinogram would bias every rate.
    max_difference = max(
        max(abs(each.min_difference), abs(each.max_difference)) for each in layout.segments
    )
    lines = {"max_ring_difference": max_difference, "n_tangential": layout.n_tangential}
    return RingScanner(settings.model_copy(update=lines))


def of_rates(layout: SinogramLayout, rates: Array) -> NDArray[np.float32]:
    """Return the randoms of bins expected from rates of crystals.

    Parameters
    ----------
    layout
        bins of the sinogram
    rates
        (n_crystals,) σ, square roots of counts

    Returns
    -------
    rates
        (n_bins,) float32, summed over the live lines of each bin
    """
    # float64, because a bin can sum thousands of small products.
    scanner, sums = layout.scanner, np.zeros(layout.n_bins)
    for start in range(0, scanner.n_lors, BATCH):
        pairs = scanner.lors(np.arange(start, min(start + BATCH, scanner.n_lors)))
        bins, inside = layout.bins_of(pairs)
        inside &= scanner.in_coincidence(pairs)
        sums += np.bincount(bins[inside], pair_product(rates, pairs[inside]), layout.n_bins)
    return sums.astype(np.float32)


def lines_drawn(layout: SinogramLayout, counts: Array) -> NDArray[np.int32]:
    """Return the crystals of a live line for each count.

    Parameters
    ----------
    layout
        bins of the sinogram
    counts
        (n_bins,) whole numbers

    Returns
    -------
    lines_drawn
        (n, 2) int32. Counts for which no draw found a live line are missing.
    """
    rng, rings = np.random.default_rng(SEED), _RingPairs.of(layout)
    inside = np.flatnonzero(counts)
    numbers = np.repeat(inside, counts[inside].astype(np.int64))
    found = [np.empty((0, 2), np.int32)]
    for start in range(0, len(numbers), BATCH):
        bins = numbers[start : start + BATCH]
        # Without mashing or axial compression every bin has one line, so a second draw changes
        # nothing.
        for _ in range(1 if layout.is_whole else DRAWS):
            pairs = rings.drawn(bins, rng)
            live = layout.scanner.in_coincidence(pairs)
            found.append(pairs[live])
            bins = bins[~live]
    return np.concatenate(found)


@dataclass(frozen=True)
class _RingPairs:
    """Pairs of rings, plane by plane; those of plane p begin at number `begin[p]`."""

    layout: SinogramLayout
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    begin: NDArray[np.int64]

    @classmethod
    def of(cls, layout: SinogramLayout) -> Self:
        n_rings = layout.scanner.settings.n_rings
        first, second = (each.reshape(-1) for each in np.indices((n_rings, n_rings)))
        plane, inside = layout.plane_of(first, second)
        # Sorted by plane, the ring pairs of a plane follow one another and can be drawn by an
        # offset.
        order = np.flatnonzero(inside)[np.argsort(plane[inside], kind="stable")]
        begin = np.searchsorted(plane[order], np.arange(layout.n_planes + 1))
        return cls(layout, first[order], second[order], begin)

    def drawn(self, bins: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int32]:
        """(n, 2) crystals of one of the lines of each bin."""
        layout, scanner = self.layout, self.layout.scanner
        plane, rest = np.divmod(bins, layout.n_views * layout.n_tangential)
        view, t = np.divmod(rest, layout.n_tangential)
        pick = self.begin[plane] + rng.integers(self.begin[plane + 1] - self.begin[plane])
        # A mashed view sums neighbouring views; each is equally likely.
        view = layout.n_mashed * view + rng.integers(layout.n_mashed, size=len(view))
        places = np.stack(scanner.places(view, t - layout.n_tangential // 2), -1)
        rings = np.stack([self.first[pick], self.second[pick]], -1)
        return (rings * scanner.settings.n_crystals_per_ring + places).astype(np.int32)
