"""Tests of the scatter scale, from lines that miss the object."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corrections.scatter_estimation.tails import fit_tails


def sample(rng: np.random.Generator, scale: float, randoms: float) -> tuple[np.ndarray, ...]:
    """Return events on lines with uneven scatter, and the scatter of all lines."""
    scatter = rng.uniform(0.01, 0.05, 100_000)
    counts = rng.poisson(scale * scatter + randoms)
    return np.repeat(scatter, counts), np.full(counts.sum(), randoms), scatter.sum()


@pytest.mark.parametrize("randoms", [0.0, 0.02])
@pytest.mark.parametrize("scale", [0.6, 1.1])
def test_scale_is_found_within_its_error(
    rng: np.random.Generator, scale: float, randoms: float
) -> None:
    fit = fit_tails(*sample(rng, scale, randoms))
    assert fit.is_used
    assert abs(fit.scale - scale) < 4 * fit.error
    assert fit.error < 0.05


def test_scale_without_randoms_is_the_ratio_of_counts() -> None:
    fit = fit_tails(np.full(900, 0.3), np.zeros(900), 1000.0)
    assert fit.scale == pytest.approx(0.9)
    assert fit.error == pytest.approx(0.9 / np.sqrt(900))
    assert fit.is_plausible
    assert fit.describe() == "scaled by 0.90 to 900 events outside the object"


def test_too_few_events_do_not_scale_the_simulation() -> None:
    fit = fit_tails(np.full(20, 0.3), np.zeros(20), 10.0)
    assert (fit.scale, fit.is_used) == (1.0, False)
    assert "too few" in fit.describe()
    empty = fit_tails(np.empty(0), np.empty(0), 0.0)
    assert (empty.scale, empty.is_used) == (1.0, False)


@pytest.mark.parametrize("n", [500, 1500])
def test_implausible_scale_is_reported(n: int) -> None:
    fit = fit_tails(np.full(n, 0.3), np.zeros(n), 1000.0)
    assert fit.is_used
    assert not fit.is_plausible
    assert "outside 0.8 to 1.3" in fit.describe()


def test_tails_of_only_randoms_give_no_scatter(rng: np.random.Generator) -> None:
    fit = fit_tails(*sample(rng, 0.0, 0.05))
    assert fit.is_used
    assert fit.scale < 0.1
