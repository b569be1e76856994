"""Randoms of bins from counted delayeds equal the expectation for crystals with known rates."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corrections.sinogram_delayeds import (
    are_counted,
    expected_randoms,
    lines_drawn,
    of_rates,
    source_of,
)
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import SinogramLayout

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=6, n_crystals_per_ring=64, radius_mm=100, ring_pitch_mm=5,
        max_ring_difference=5, n_tangential=41, fov_mm=(100, 30), gap_places=(0, 16, 32, 48),
        block_rings=3, block_places=16,
    )
)  # fmt: skip
LAYOUTS = {
    "lines": SinogramLayout.of(RING),
    "mashed": SinogramLayout.of(RING, span=3, mashed=2),
    "fewer": SinogramLayout.of(RING, max_difference=2),
}


def rates() -> np.ndarray:
    """Return rates that vary by half between blocks, and are 0 in gaps."""
    of_block = np.random.default_rng(7).uniform(0.5, 1.5, int(RING.groups.max()) + 1)
    return np.where(RING.alive, of_block[RING.groups], 0)


@pytest.mark.parametrize("name", list(LAYOUTS))
def test_sparse_delayeds_give_the_true_expectation(name):
    """With 0.3 delayeds per bin, bins have errors of at least 170 %, the fitted rates of 2 %."""
    layout = LAYOUTS[name]
    truth = of_rates(layout, rates())
    truth *= 0.3 * layout.n_bins / truth.sum()
    delayeds = np.random.default_rng(5).poisson(truth).astype(np.float32)
    assert are_counted(layout, delayeds)
    found = expected_randoms(layout, delayeds)
    possible_bins = truth > 0
    assert found.sum() == pytest.approx(delayeds.sum(), rel=1e-4)
    assert np.all(found[~possible_bins] == 0)
    error, noise = (
        np.sqrt(np.mean((each - truth)[possible_bins] ** 2)) for each in (found, delayeds)
    )
    assert error < 0.25 * truth[possible_bins].mean() and error < 0.15 * noise


def test_each_delayed_is_assigned_to_a_live_line_of_its_bin():
    layout = LAYOUTS["mashed"]
    counts = np.random.default_rng(1).poisson(0.5, layout.n_bins)
    possible = of_rates(layout, np.where(RING.alive, 1.0, 0.0)) > 0
    pairs = lines_drawn(layout, counts * possible)
    bins, is_measured = layout.bins_of(pairs)
    assert is_measured.all() and RING.in_coincidence(pairs).all()
    missing = counts * possible - np.bincount(bins, minlength=layout.n_bins)
    assert missing.min() >= 0 and missing.sum() < 0.01 * counts.sum()


def test_few_delayeds_give_few_rates():
    layout = LAYOUTS["lines"]
    assert [source_of(layout, n) for n in (50, 2_000, 100_000)] == ["uniform", "blocks", "crystals"]


def test_expected_counts_are_distinguished_from_counted_ones():
    layout = LAYOUTS["lines"]
    values = np.ones(layout.n_bins, np.float32)
    assert are_counted(layout, values)
    values[3] = 0.5
    assert not are_counted(layout, values) and not are_counted(layout, 0 * values)
