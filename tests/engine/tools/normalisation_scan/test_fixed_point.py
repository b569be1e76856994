"""Tests of a measured normalisation with known factors and a known source."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_scanner
from engine.kernels.rays.line_sums import activity
from engine.tools.normalisation_scan.fixed_point import likeliest
from engine.tools.normalisation_scan.line_tally import LineTally
from engine.tools.normalisation_scan.source import CylinderSource

ON = cpu(2)
RING = RingScanner(RingSettings(
    name="Ring", n_rings=8, n_crystals_per_ring=64, radius_mm=150, ring_pitch_mm=5,
    max_ring_difference=7, n_tangential=36, fov_mm=(120, 40), block_rings=4, block_places=8,
    gap_places=(0, 32),
))  # fmt: skip
N_COUNTS = 1e8
MU, RADIUS_MM = 0.0096, 110.0


def lines() -> np.ndarray:
    found = RING.lors(np.arange(RING.n_lors))
    return found[RING.in_coincidence(found)]


def cylinder(crystals: np.ndarray, x: float = 0.0) -> np.ndarray:
    """Return attenuated activity along lines through an infinite cylinder at x."""
    a, b = (RING.positions_mm[crystals[:, k]] - (x, 0, 0) for k in (0, 1))
    d = b - a
    flat = np.hypot(d[:, 0], d[:, 1])
    s = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / flat
    tilted = np.linalg.norm(d, axis=1) / flat
    outer = 2 * np.sqrt(np.maximum(RADIUS_MM**2 - s**2, 0)) * tilted
    return outer * np.exp(-MU * outer)


class Planted:
    """Known factors, normalised like those of the program, and their lines."""

    def __init__(self) -> None:
        rng = np.random.default_rng(20)
        n_ring_classes, n_off = RING.n_classes
        crystals = rng.uniform(0.7, 1.3, RING.n_crystals) * RING.alive
        crystals[37] = 0  # dead crystal
        place = np.arange(RING.n_crystals) % 64 % 8
        for p in range(8):
            crystals[place == p] /= crystals[(place == p) & (crystals > 0)].mean()
        self.crystals = crystals
        self.axial = rng.uniform(0.8, 1.2, n_ring_classes)
        self.tangential = rng.uniform(0.8, 1.2, n_off)
        self.interference = rng.uniform(0.9, 1.1, (8, n_off))
        self.lines = lines()
        self.ring_class, self.off, self.near = RING.line_classes(self.lines)

    def expected(self, activity: np.ndarray, interference: bool) -> np.ndarray:
        found = self.crystals[self.lines].prod(axis=1) * RING.geometric_factor(self.lines)
        found *= self.axial[self.ring_class] * self.tangential[self.off] * activity
        return found * self.interference[self.near, self.off] if interference else found


@pytest.fixture(scope="module")
def planted() -> Planted:
    return Planted()


def measured(planted: Planted, source: CylinderSource, activity: np.ndarray, **options: bool):
    """Draw counts of lines and fit factors; return the fit and a mask of its lines."""
    expected = planted.expected(activity, options.get("interference", True))
    tally = LineTally(RING, source)
    used = activity_within(planted.lines, source)
    counts = np.random.default_rng(21).poisson(expected * N_COUNTS / expected[used].sum())
    tally.add_lines(planted.lines, counts.astype(float))
    return likeliest(tally, on=ON, **options), used


def activity_within(crystals: np.ndarray, source: CylinderSource) -> np.ndarray:
    a, b = (RING.positions_mm[crystals[:, k]] - source.centre_mm for k in (0, 1))
    flat = np.hypot(*(b - a)[:, :2].T)
    s = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / flat
    return s <= source.reach_mm


def ratio(found: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return found over true factors, normalised to mean 1, because the mean is not measurable."""
    quotient = found / true
    return quotient / quotient.mean()


def worst(quotient: np.ndarray) -> float:
    return float(np.abs(quotient - 1).max())


def test_known_factors_are_found_within_one_percent(planted: Planted) -> None:
    source = CylinderSource(RADIUS_MM, mu_per_mm=MU)
    fit, _ = measured(planted, source, cylinder(planted.lines), interference=False)
    assert fit.counts == pytest.approx(N_COUNTS, rel=1e-3)
    found, live = fit.components, planted.crystals > 0
    assert (found.crystals[~live] == 0).all()
    assert found.crystals[live].mean() == pytest.approx(1, abs=1e-6)
    known = np.isfinite(fit.errors.geometry[0])
    table = found.geometry[:, known]
    expected = planted.axial[:, None] * planted.tangential[known]
    assert worst(ratio(found.crystals[live], planted.crystals[live])) < 0.01
    assert worst(ratio(table.mean(axis=1), expected.mean(axis=1))) < 0.01
    assert worst(ratio(table.mean(axis=0), expected.mean(axis=0))) < 0.01
    assert worst(ratio(table, expected)) < 0.01
    pull = (ratio(found.crystals[live], planted.crystals[live]) - 1) / fit.errors.crystals[live]
    assert 0.9 < pull.std() < 1.2, "stated standard errors differ from the actual ones"


def test_interference_and_an_off_axis_source_are_fitted(planted: Planted) -> None:
    source = CylinderSource(RADIUS_MM, mu_per_mm=MU, centre_mm=(12.0, 0.0, 0.0))
    fit, used = measured(planted, source, cylinder(planted.lines, x=12.0))
    found, lines = fit.components, planted.lines
    assert found.interference is not None
    product = found.crystals[lines].prod(axis=1) * found.geometry[planted.ring_class, planted.off]
    product = product * found.interference[planted.near, planted.off]
    expected = planted.expected(np.ones(len(lines)), True) / RING.geometric_factor(lines)
    live = used & (expected > 0)
    quotient = ratio(product[live], expected[live])
    assert quotient.std() < 0.006
    for row, known in zip(
        found.interference.T, np.isfinite(fit.errors.interference.T), strict=True
    ):
        assert not known.any() or row[known].mean() == pytest.approx(1, abs=1e-5)


def test_lines_through_a_short_hollow_source_have_their_length_in_it() -> None:
    source = CylinderSource.rotating_line(60.0, 4.0, length_mm=17.0)
    crystals = lines()[::211]
    tally = LineTally(RING, source)
    tally.add_lines(crystals, np.ones(len(crystals)))
    used = activity_within(crystals, source)
    a, b = (RING.positions_mm[crystals[used, k]][None] for k in (0, 1))
    at = np.linspace(0, 1, 20_001)[:, None, None]
    points = a + at * (b - a)
    radius = np.hypot(points[..., 0], points[..., 1])
    inside = (radius > 58) & (radius < 62) & (np.abs(points[..., 2]) < 8.5)
    expected = inside.mean(axis=0) * np.linalg.norm(b - a, axis=2)[0]
    found = [activity(*ends, source.numbers) for ends in zip(a[0], b[0], strict=True)]
    np.testing.assert_allclose(found, expected, atol=0.1)
    assert tally.counts.geometry.sum() == np.count_nonzero(np.array(found) > 0)


def test_delayeds_are_subtracted_and_increase_the_variance() -> None:
    rng = np.random.default_rng(4)
    crystals = lines()[rng.integers(0, len(lines()), 5_000)]
    delayed = rng.random(5_000) < 0.2
    tally = LineTally(RING, CylinderSource(RADIUS_MM))
    tally.add(ListMode(RING, crystals, delayed=delayed))
    used = activity_within(crystals, tally.source)
    assert tally.squares.geometry.sum() == np.count_nonzero(used)
    assert tally.counts.geometry.sum() == np.count_nonzero(used & ~delayed) - np.count_nonzero(
        used & delayed
    )
    assert tally.counts.crystals.sum() == 2 * tally.counts.geometry.sum()


def test_too_few_counts_are_refused_with_a_remedy() -> None:
    tally = LineTally(RING, CylinderSource(RADIUS_MM))
    tally.add(ListMode(RING, lines()[::50]))
    with pytest.raises(DataError, match=r"counts on average .* measure longer"):
        likeliest(tally, on=ON)


def test_scanners_without_rings_are_refused() -> None:
    with pytest.raises(GeometryError, match="has no rings"):
        LineTally(read_scanner("test-panels"), CylinderSource(10.0))


@pytest.mark.parametrize("wrong", [{"radius_mm": 0}, {"inner_mm": 60}, {"mu_per_mm": -1}])
def test_invalid_sources_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(DataError, match="expected 0 ≤ inner radius < radius"):
        CylinderSource(**({"radius_mm": 50.0} | wrong))
