"""Scatter estimated in sinogram bins equals that of list mode and the simulated scatter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections import Attenuation, LineGeometry, Scatter
from engine.corrections.sinogram import BinScatter
from engine.data.sinogram import Sinogram, binned, events_of
from engine.geometry.sinogram_layout import SinogramLayout
from engine.modalities.listmode_pet.model import prepare
from engine.modalities.listmode_pet.scatter_counts import CountedEvents
from engine.modalities.ring_scatter.estimate import ScatterEstimate, estimate_scatter
from engine.modalities.ring_sinogram_pet import model as ring_sinogram_pet
from engine.modalities.ring_sinogram_pet.scatter_counts import CountedBins
from engine.modalities.ring_sinogram_pet.scatter_scan import with_scatter
from tests.engine.modalities.ring_sinogram_pet.scattering_scans import (
    TOF,
    Drawn,
    corrected,
    drawn,
    ring,
    water,
)

pytestmark = pytest.mark.slow

ON = cpu(2)
ROUNDS, POINTS = 2, 50


def estimated(data: Sinogram) -> tuple[ScatterEstimate, Sinogram]:
    """Return the scatter estimate of a sinogram with its mu-map, and its counts."""
    usable = ring_sinogram_pet.usable(corrected(replace(data, mu_map=water()))).data
    found = estimate_scatter(CountedBins(usable, on=ON), BinScatter(rounds=ROUNDS, points=POINTS))
    return found, with_scatter(usable, found.table)


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.slow)],
    ids=["no times", "times"],
)
def whole(request: pytest.FixtureRequest) -> Drawn:
    """Return a scan with a bin for each line of response, with or without TOF."""
    return drawn(SinogramLayout.of(ring(timed=request.param)))


def listed(whole: Drawn) -> np.ndarray:
    """Return the scatter per bin (n_bins,) that list mode of the same events gives."""
    scan = replace(events_of(whole.data), mu_map=water())
    for step in (LineGeometry(), Attenuation()):
        scan = step.apply(scan, on=ON)
    events = CountedEvents(prepare(scan, on=ON).data, on=ON)
    found = estimate_scatter(events, Scatter(rounds=ROUNDS, points=POINTS))
    layout, scanner = whole.data.layout, scan.scanner
    crystals = layout.crystals_of(np.arange(layout.n_bins))
    weights = scanner.geometric_factor(crystals) * scanner.in_coincidence(crystals)
    return weights * found.table.of_lines(scanner.positions_mm, crystals)


def test_events_and_sinogram_have_the_same_scatter(whole: Drawn) -> None:
    """Sums agree to 1 %, bins to 3 % of the mean: the subsets of the coarse images differ."""
    expected, (found, after) = listed(whole), estimated(whole.data)
    assert found.fit.is_used
    assert after.background.sum() == pytest.approx(expected.sum(), rel=0.01)
    assert np.sqrt(np.mean((after.background - expected) ** 2)) < 0.03 * expected.mean()


def test_tof_bins_add_up_to_the_scatter_of_the_line() -> None:
    found, after = estimated(drawn(SinogramLayout.of(ring(timed=True)), 20_000).data)
    assert after.timed is not None
    n = after.layout.n_bins
    every = replace(
        after.timed,
        starts=np.arange(TOF.n_bins + 1) * n,
        bins=np.tile(np.arange(n, dtype=np.int32), TOF.n_bins),
        counts=np.ones(TOF.n_bins * n, np.float32),
        background=None,
    )
    again = with_scatter(replace(after, timed=every, background=None), found.table)
    sums = again.timed.background.reshape(TOF.n_bins, n).sum(axis=0)
    assert np.abs(sums - again.background).max() < 1e-4 * again.background.max()


@pytest.mark.parametrize("randoms", [0.0, 0.1])
@pytest.mark.parametrize("name", ["spans and summed views", "arc-corrected"])
def test_simulated_scatter_is_recovered(name: str, randoms: float) -> None:
    """This also holds for bins of several lines, and for bins without a crystal of their own."""
    scanner = ring()
    layout = SinogramLayout.of(scanner, span=3, mashed=2)
    if name == "arc-corrected":
        layout = SinogramLayout(scanner, SinogramLayout.of(scanner).segments, 32, 41, 4.5)
    case = drawn(layout, randoms=randoms)
    flat = np.full(layout.n_bins, randoms * 300_000 / layout.n_bins, np.float32)
    data = corrected(replace(case.data, mu_map=water()))
    if data.layout.bin_mm is None:
        flat *= data.factors > 0
    usable = ring_sinogram_pet.usable(data.with_background(flat)).data
    settings = BinScatter(rounds=ROUNDS, points=100)
    found = estimate_scatter(CountedBins(usable, on=ON), settings)
    expected = with_scatter(replace(usable, background=None), found.table).background
    assert found.fit.is_plausible
    bar = 0.06 + 2 * found.fit.error  # few points, and few counts outside the object
    assert bar < 0.15
    for part in (case.scatter >= 0, case.scatter > 0.5 * case.scatter.max()):
        assert expected[part].sum() == pytest.approx(case.scatter[part].sum(), rel=bar)


def test_few_counts_give_an_unscaled_estimate() -> None:
    case = drawn(SinogramLayout.of(ring()), 300)
    found, after = estimated(case.data)
    assert not found.fit.is_used
    assert after.background.sum() == pytest.approx(case.scatter.sum(), rel=0.6)


def test_dead_bins_expect_nothing() -> None:
    case = drawn(SinogramLayout.of(ring()), 20_000)
    data = corrected(replace(case.data, mu_map=water()))
    dead = np.arange(data.layout.n_bins) % 7 == 0
    factors = np.where(dead, np.float32(0), data.factors)
    usable = ring_sinogram_pet.usable(replace(data, factors=factors)).data
    found = estimate_scatter(CountedBins(usable, on=ON), BinScatter(rounds=1, points=50))
    background = with_scatter(usable, found.table).background
    assert not background[dead].any()
    assert background[~dead].any()


@pytest.mark.slow
def test_bins_of_larger_span_have_as_much_scatter() -> None:
    """Tolerance 3 %: lines are evaluated at bin centres, where fewer of them miss the object."""
    whole = drawn(SinogramLayout.of(ring()))
    events = events_of(whole.data)
    spanned = binned(events, SinogramLayout.of(events.scanner, span=3))
    one, other = (estimated(data)[1].background.sum() for data in (whole.data, spanned))
    assert other == pytest.approx(one, rel=0.03)
