"""Expected randoms of sinogram bins from their delayeds.

Counted delayeds are few in most bins, and a bin that expects none by chance keeps all of its
randoms in the image: with 0.1 of them in a bin nearly nothing would be taken off. As for events,
lines expect r_ij = σ_i σ_j, σ fitted to the delayeds (`engine.corrections.single_rates`), and a bin
what its live lines expect. A delayed of a bin that sums lines is put on one of them by a seeded
draw; all of them have nearly the same rates.
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
from engine.data.sinogram import MOST_EVENTS
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import pair_product
from engine.geometry.sinogram_layout import SinogramLayout

SEED, DRAWS = 1, 8
"""Seed of the draws; how often a line that falls on a gap is drawn anew."""


def are_counted(layout: SinogramLayout, values: Array) -> bool:
    """Return True if values (n_bins,) are measured delayeds of bins with known lines."""
    if layout.bin_mm is not None or not 0 < total(values) <= MOST_EVENTS:
        return False
    return bool(np.all(values == np.rint(values)))


def source_of(layout: SinogramLayout, n_delayeds: float) -> Source:
    """Return what so many delayeds allow a rate for: each crystal, each block or all alike."""
    scanner, seen = layout.scanner, 2 * n_delayeds
    if seen >= MIN_COUNTS * int(np.count_nonzero(scanner.alive)):
        return "crystals"
    return "blocks" if seen >= MIN_COUNTS * (int(scanner.groups.max()) + 1) else "uniform"


def words_of(layout: SinogramLayout, n_delayeds: float) -> str:
    """Say how randoms are expected from so many delayeds."""
    return f"from {n_delayeds:,.0f} delayeds, {WORDS[source_of(layout, n_delayeds)]}"


def expected_randoms(layout: SinogramLayout, delayeds: Array) -> NDArray[np.float32]:
    """Return the randoms (n_bins,) that counted delayeds (n_bins,) let expect."""
    scanner, source = _fan_of(layout), source_of(layout, total(delayeds))
    pairs = lines_drawn(layout, delayeds)
    if source == "crystals":
        rates = crystal_rates(scanner, pairs)
    else:
        blocks = source == "blocks"
        groups = scanner.groups if blocks else np.zeros(scanner.n_crystals, np.int32)
        rates = block_rates(scanner, pairs, scanner.alive.astype(np.float64), groups)
    expected = of_rates(layout, rates)
    scale = total(delayeds) / max(total(expected), 1e-30)
    return (expected * np.float32(scale)).astype(np.float32)


def _fan_of(layout: SinogramLayout) -> RingScanner:
    """Return the scanner with those lines alone that the bins hold."""
    settings = layout.scanner.settings
    most = max(max(abs(each.least), abs(each.most)) for each in layout.segments)
    lines = {"max_ring_difference": most, "n_tangential": layout.n_tangential}
    return RingScanner(settings.model_copy(update=lines))


def of_rates(layout: SinogramLayout, rates: Array) -> NDArray[np.float32]:
    """Return the randoms (n_bins,) of crystals with rates σ (n_crystals,)."""
    scanner, sums = layout.scanner, np.zeros(layout.n_bins)
    for start in range(0, scanner.n_lors, BATCH):
        pairs = scanner.lors(np.arange(start, min(start + BATCH, scanner.n_lors)))
        bins, inside = layout.bins_of(pairs)
        inside &= scanner.in_coincidence(pairs)
        sums += np.bincount(bins[inside], pair_product(rates, pairs[inside]), layout.n_bins)
    return sums.astype(np.float32)


def lines_drawn(layout: SinogramLayout, counts: Array) -> NDArray[np.int32]:
    """(n, 2) crystals of a live line for each count of the bins (n_bins,), where there is one."""
    rng, rings = np.random.default_rng(SEED), _RingPairs.of(layout)
    inside = np.flatnonzero(counts)
    numbers = np.repeat(inside, counts[inside].astype(np.int64))
    found = [np.empty((0, 2), np.int32)]
    for start in range(0, len(numbers), BATCH):
        bins = numbers[start : start + BATCH]
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
        order = np.flatnonzero(inside)[np.argsort(plane[inside], kind="stable")]
        begin = np.searchsorted(plane[order], np.arange(layout.n_planes + 1))
        return cls(layout, first[order], second[order], begin)

    def drawn(self, bins: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int32]:
        """(n, 2) crystals of one of the lines of each bin."""
        layout, scanner = self.layout, self.layout.scanner
        plane, rest = np.divmod(bins, layout.n_views * layout.n_tangential)
        view, t = np.divmod(rest, layout.n_tangential)
        pick = self.begin[plane] + rng.integers(self.begin[plane + 1] - self.begin[plane])
        view = layout.n_mashed * view + rng.integers(layout.n_mashed, size=len(view))
        places = np.stack(scanner.places(view, t - layout.n_tangential // 2), -1)
        rings = np.stack([self.first[pick], self.second[pick]], -1)
        return (rings * scanner.settings.n_crystals_per_ring + places).astype(np.int32)
