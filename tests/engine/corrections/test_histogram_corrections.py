"""Corrections of histograms, each compared with known counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.corrections.histogram import LineNormalisation, LineRandoms, LineScatter
from engine.corrections.normalisation import EFFICIENCIES
from engine.data.components import Components
from engine.data.histogram import Histogram
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import pair_product
from tests.engine.geometry.panels import panels

ON = cpu(1)
SCANNER = panels(n_rows=6, n_columns=4, block_crystals=2)
LORS = SCANNER.lors(np.arange(SCANNER.n_lors))
WATER = Volume(
    np.full((1, 1, 1), 0.0096, np.float32), ImageGrid((1, 1, 1), (9.0, 9.0, 9.0)), "1/mm"
)


def scan(**columns: Any) -> Histogram:
    return Histogram(SCANNER, np.full(SCANNER.n_lors, 5, np.float32), **columns)


def delayeds(rng: np.random.Generator, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Return expected and drawn delayeds of crystals with uneven rates."""
    singles = rng.uniform(0.5, 2, SCANNER.n_crystals)
    expected = pair_product(singles, LORS)
    expected *= mean / expected.mean()
    return expected, rng.poisson(expected).astype(np.float32)


def test_randoms_follow_the_rates_of_the_crystals(rng: np.random.Generator) -> None:
    expected, delayed_counts = delayeds(rng, 4.0)
    data = scan(delayeds=delayed_counts)
    found = LineRandoms().apply(data, on=ON)
    np.testing.assert_allclose(found.background.sum(), delayed_counts.sum(), rtol=1e-5)
    smooth = np.sqrt(np.mean((found.background / expected - 1) ** 2))
    raw = np.sqrt(np.mean((delayed_counts / expected - 1) ** 2))
    assert smooth < 0.3 * raw  # a crystal has about 96 delayeds, a line 4
    np.testing.assert_array_equal(found.prompts, data.prompts)
    assert "one rate for each crystal" in LineRandoms().summary(data, found)


def test_noise_free_rates_are_recovered(rng: np.random.Generator) -> None:
    expected, _ = delayeds(rng, 50.0)
    found = LineRandoms().apply(scan(delayeds=expected.astype(np.float32)), on=ON)
    np.testing.assert_allclose(found.background, expected, rtol=1e-5)


def test_randoms_are_added_to_a_background(rng: np.random.Generator) -> None:
    data = scan(delayeds=delayeds(rng, 4.0)[1])
    without_background = LineRandoms().apply(data, on=ON).background
    with_more = replace(data, background=np.full(SCANNER.n_lors, 3, np.float32))
    np.testing.assert_allclose(
        LineRandoms().apply(with_more, on=ON).background, without_background + 3
    )


@pytest.mark.parametrize(("mean", "unit"), [(0.5, "block"), (0.02, "panel")])
def test_few_delayeds_are_distributed_uniformly(
    rng: np.random.Generator, mean: float, unit: str
) -> None:
    _, delayed_counts = delayeds(rng, mean)
    data = scan(delayeds=delayed_counts)
    found = LineRandoms().apply(data, on=ON)
    assert f"one rate for each {unit}" in LineRandoms().summary(data, found)
    np.testing.assert_allclose(found.background.sum(), delayed_counts.sum(), rtol=1e-4)
    groups = SCANNER.groups[LORS] if unit == "block" else np.zeros_like(LORS)
    for pair in np.unique(groups, axis=0):
        assert np.ptp(found.background[(groups == pair).all(axis=1)]) < 1e-6


def test_subtraction_clips_negative_counts(rng: np.random.Generator) -> None:
    _, delayed_counts = delayeds(rng, 4.0)
    data, randoms = scan(delayeds=delayed_counts), LineRandoms(method="subtract")
    found = randoms.apply(data, on=ON)
    np.testing.assert_array_equal(found.prompts, np.maximum(5 - delayed_counts, 0))
    assert found.background is None
    n_cut = np.maximum(delayed_counts - 5, 0).sum()
    assert f"{n_cut:,.0f} negative counts set to 0" in randoms.summary(data, found)


def test_factors_of_lines_and_crystals_multiply(rng: np.random.Generator) -> None:
    of_lines = rng.random(SCANNER.n_lors).astype(np.float32)
    of_crystals = rng.random(SCANNER.n_crystals).astype(np.float32)
    of_crystals[3] = 0
    both = scan(normalisation=of_lines, efficiencies=of_crystals)
    expected = of_lines * pair_product(of_crystals, LORS)
    found = LineNormalisation().apply(both, on=ON)
    np.testing.assert_allclose(found.factors, expected, rtol=1e-5)
    assert f"{np.count_nonzero(expected == 0):,} dead" in LineNormalisation().summary(both, found)
    lines_only = LineNormalisation().apply(replace(both, efficiencies=None), on=ON)
    np.testing.assert_array_equal(lines_only.factors, of_lines)


def test_supplied_background_is_added(rng: np.random.Generator) -> None:
    additive = rng.random(SCANNER.n_lors).astype(np.float32)
    first = LineScatter().apply(scan(additive=additive), on=ON)
    np.testing.assert_array_equal(first.background, additive)
    again = LineScatter().apply(first, on=ON)
    np.testing.assert_allclose(again.background, 2 * additive)


def test_missing_inputs_are_named() -> None:
    bare = scan()
    assert "load a normalisation file" in (LineNormalisation().obstacle(bare) or "")
    assert "no delayed coincidences" in (LineRandoms().obstacle(bare) or "")
    assert "load a μ-map" in (LineScatter().obstacle(bare) or "")
    supplied = LineScatter(method="supplied")
    assert "no expected background" in (supplied.obstacle(bare) or "")


def test_scatter_is_simulated_only_in_runs_without_supplied_scatter() -> None:
    with_map = replace(scan(), mu_map=WATER)
    assert LineScatter().runs(with_map)
    assert not LineScatter(use="off").runs(with_map)
    supplied = replace(with_map, additive=np.ones(SCANNER.n_lors, np.float32))
    assert not LineScatter().runs(supplied)
    assert LineScatter(method="simulated").runs(supplied)
    with pytest.raises(DataError, match="reconstruct the scan"):
        LineScatter().apply(with_map, on=ON)
    assert LineScatter.as_of(3) == {"method": "supplied"}


@pytest.mark.parametrize("given", ["normalisation", "efficiencies"])
def test_either_kind_of_detection_factors_is_sufficient(given: str) -> None:
    n = {"normalisation": SCANNER.n_lors, "efficiencies": SCANNER.n_crystals}[given]
    data = scan(**{given: np.ones(n, np.float32)})
    assert LineNormalisation().obstacle(data) is None
    assert "there are no detection factors" in str(LineNormalisation().obstacle(scan()))


def test_randoms_state_their_fraction_of_the_prompts() -> None:
    delayed_counts = np.ones(SCANNER.n_lors, np.float32)  # 5 prompts on each line
    data = scan(delayeds=delayed_counts)
    words = LineRandoms().summary(data, LineRandoms().apply(data, on=ON))
    assert words.startswith(f"{SCANNER.n_lors:,} delayeds, 20.0 % of the prompts")


def test_efficiencies_of_a_file_are_attached_to_the_scan() -> None:
    given = np.linspace(0.5, 1.5, SCANNER.n_crystals, dtype=np.float32)
    found = EFFICIENCIES.attached(scan(), Components(crystals=given))
    np.testing.assert_array_equal(found.efficiencies, given)
