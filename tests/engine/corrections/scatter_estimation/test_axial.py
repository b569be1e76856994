"""Tests of the axial scatter scale: fitted if counts suffice, otherwise one scale for the scan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corrections.scatter_estimation.axial import TailEvents, fit_along_axis, shrunk_to_mean

LINES_MM = np.linspace(-100, 100, 20_000)


def sample(
    rng: np.random.Generator, n_events: int, slope: float = 0.0, randoms: float = 0.0
) -> TailEvents:
    """Return counts of lines with scatter of 1 + slope · z/100 mm times the simulated one."""
    scatter = 1.0 + 0.5 * np.cos(LINES_MM / 60)
    scatter *= n_events / scatter.sum()
    flat = np.full(len(LINES_MM), randoms * n_events / len(LINES_MM))
    counts = rng.poisson(scatter * (1 + slope * LINES_MM / 100) + flat)
    rows = np.flatnonzero(counts)
    return TailEvents(
        LINES_MM[rows], scatter[rows], flat[rows], counts[rows].astype(float), LINES_MM, scatter
    )


@pytest.mark.parametrize("randoms", [0.0, 0.5])
def test_slope_is_found_with_sufficient_counts(rng: np.random.Generator, randoms: float) -> None:
    found = fit_along_axis(sample(rng, 100_000, 0.2, randoms))
    z = np.array([-60.0, 0.0, 60.0])
    np.testing.assert_allclose(found.at(z), 1 + 0.2 * z / 100, atol=0.03)
    assert "along the axis" in found.describe()
    assert found.is_plausible
    assert len(found.record()) == len(found.scales) > 1


def test_few_counts_are_hardly_worse_than_one_scale(
    rng: np.random.Generator,
) -> None:
    """Over a hundred scans, compare the error of the groups with that of a single scale."""
    for n_events in (900, 4_000, 20_000):
        fits = [fit_along_axis(sample(rng, n_events)) for _ in range(100)]
        whole = np.sqrt(np.mean([(fit.whole.scale - 1) ** 2 for fit in fits]))
        along = np.sqrt(np.mean([np.mean((fit.scales - 1) ** 2) for fit in fits]))
        unshrunk = np.sqrt(8 / n_events)
        assert along < 0.6 * unshrunk, "shrinkage must reduce the error of the groups"
        assert along < 2 * whole


def test_too_few_counts_have_one_scale(rng: np.random.Generator) -> None:
    few = fit_along_axis(sample(rng, 500, 0.5))
    assert few.scales.tolist() == [few.whole.scale]
    none = fit_along_axis(sample(rng, 3))
    assert (none.whole.is_used, none.scales.tolist()) == (False, [1.0])
    assert "too few" in none.describe()


def test_implausible_end_is_reported(rng: np.random.Generator) -> None:
    found = fit_along_axis(sample(rng, 200_000, 0.5))
    assert found.whole.is_plausible
    assert not found.is_plausible
    assert "outside 0.8 to 1.3" in found.describe()


def test_groups_are_shrunk_to_the_whole_by_their_errors() -> None:
    scales, errors = np.array([0.8, 1.0, 1.2, 1.6]), np.array([0.02, 0.02, 0.02, 0.4])
    found = shrunk_to_mean(1.0, scales, errors)
    assert np.all(np.abs(found - 1) <= np.abs(scales - 1))
    np.testing.assert_allclose(found[:3], scales[:3], atol=0.01)
    assert found[3] < 1.2
    equal = shrunk_to_mean(1.0, np.array([0.99, 1.0, 1.01]), np.full(3, 0.02))
    assert equal.tolist() == [1, 1, 1]
    unknown = shrunk_to_mean(1.0, np.array([1.0, 1.3]), np.array([np.inf, np.inf]))
    assert unknown.tolist() == [1, 1]


def test_lines_of_few_planes_have_few_groups(rng: np.random.Generator) -> None:
    tails = sample(rng, 20_000, 0.2)
    planes = np.rint(tails.at_mm / 50) * 50, np.rint(LINES_MM / 50) * 50
    found = fit_along_axis(replace(tails, at_mm=planes[0], lines_at_mm=planes[1]))
    assert 1 < len(found.at_mm) <= 5
    assert np.all(np.diff(found.at_mm) > 0)
