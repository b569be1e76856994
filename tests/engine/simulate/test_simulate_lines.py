"""Tests of drawn lines: both methods follow the rates for any first guess of the maximum."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.errors import DataError
from engine.geometry.ring import RingScanner
from engine.simulate import ShapePhantom, brain, point
from engine.simulate.candidate_lines import all_lines, lines_near
from engine.simulate.lines import by_enumeration, by_rejection, draw_lines

N = 60_000


def rate(crystals: np.ndarray) -> np.ndarray:
    """Return uneven rates; a few lines are thirty times as likely as the others."""
    rates = 1 + np.sin(crystals[:, 0]) * np.cos(2 * crystals[:, 1])
    return np.where(crystals.sum(axis=1) % 97 == 0, 30, rates)


def expected_of(scanner: RingScanner) -> tuple[np.ndarray, np.ndarray]:
    crystals = scanner.lors(np.arange(scanner.n_lors))
    return crystals, np.where(scanner.in_coincidence(crystals), rate(crystals), 0)


def chi_square(drawn: np.ndarray, scanner: RingScanner) -> float:
    """Return chi square per degree of freedom, over lines with at least 5 expected counts."""
    crystals, rates = expected_of(scanner)
    n = scanner.n_crystals
    counts = np.bincount(drawn[:, 0] * n + drawn[:, 1], minlength=n * n)
    counts = counts[crystals[:, 0].astype(int) * n + crystals[:, 1]]
    assert counts.sum() == len(drawn), "all lines must have a number"
    assert not counts[rates == 0].any(), "all lines must be in coincidence"
    expected = rates / rates.sum() * len(drawn)
    enough = expected >= 5
    return float((((counts - expected) ** 2)[enough] / expected[enough]).mean())


# χ²/ν of ν > 4000 lines: 1 ± √(2/ν) = 1 ± 0.022.
def test_enumeration_follows_the_rates(tiny_ring: RingScanner, rng: np.random.Generator) -> None:
    lines = by_enumeration(all_lines(tiny_ring), rate, N, rng)
    assert chi_square(lines.crystals, tiny_ring) == pytest.approx(1, abs=0.1)
    assert lines.total_rate == pytest.approx(expected_of(tiny_ring)[1].sum())


@pytest.mark.parametrize("peak", [30.0, 1.0])
def test_rejection_follows_the_rates_from_too_low_a_peak(
    peak: float, tiny_ring: RingScanner, rng: np.random.Generator
) -> None:
    lines = by_rejection(all_lines(tiny_ring), rate, N, rng, peak)
    assert len(lines.crystals) == N
    assert chi_square(lines.crystals, tiny_ring) == pytest.approx(1, abs=0.1)
    assert lines.total_rate == pytest.approx(expected_of(tiny_ring)[1].sum(), rel=0.02)


def test_few_events_are_drawn_without_enumeration(
    tiny_ring: RingScanner, rng: np.random.Generator
) -> None:
    n_evaluated = 0

    def counted(crystals: np.ndarray) -> np.ndarray:
        nonlocal n_evaluated
        n_evaluated += len(crystals)
        return np.ones(len(crystals))

    draw_lines(all_lines(tiny_ring), counted, 10, rng)
    few = n_evaluated
    draw_lines(all_lines(tiny_ring), counted, 5 * tiny_ring.n_lors, rng)
    assert few < 1.5 * tiny_ring.n_lors  # the pilot, and few more
    assert n_evaluated - few > 1.5 * tiny_ring.n_lors


def test_zero_events_give_the_total_rate(tiny_ring: RingScanner, rng: np.random.Generator) -> None:
    lines = draw_lines(all_lines(tiny_ring), rate, 0, rng)
    assert lines.crystals.shape == (0, 2)
    assert lines.total_rate == pytest.approx(expected_of(tiny_ring)[1].sum(), rel=0.1)


def test_source_outside_all_lines_is_refused(
    tiny_ring: RingScanner, rng: np.random.Generator
) -> None:
    with pytest.raises(DataError, match="crosses the activity"):
        draw_lines(all_lines(tiny_ring), lambda crystals: np.zeros(len(crystals)), 10, rng)


def test_progress_callback_can_stop_the_simulation(
    tiny_ring: RingScanner, rng: np.random.Generator
) -> None:
    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        draw_lines(all_lines(tiny_ring), rate, N, rng, stop)


@pytest.mark.parametrize("phantom", [point(12, -7, 3), brain(scale=0.3)], ids=lambda p: p.name)
def test_only_lines_without_activity_are_skipped(
    phantom: ShapePhantom, tiny_ring: RingScanner
) -> None:
    near = lines_near(phantom, tiny_ring)
    retained = {tuple(pair) for pair in near.crystals(np.arange(len(near))).tolist()}
    crystals = tiny_ring.lors(np.arange(tiny_ring.n_lors))
    is_active = (
        phantom.activity_integral(*(tiny_ring.positions_mm[crystals[:, k]] for k in (0, 1))) > 0
    )
    assert is_active.any()
    assert {tuple(pair) for pair in crystals[is_active].tolist()} <= retained
    assert len(retained) == len(near) < tiny_ring.n_lors
