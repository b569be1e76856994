"""Tests of simulated histograms: Poisson around the means of the response."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import SettingsError
from engine.data.response import ResponseMatrix
from engine.io import read_scanner
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.operators.matrix.projector import MatrixProjector
from engine.simulate import ShapePhantom, derenzo, point, uniform_cylinder
from engine.simulate.histogram import simulate_histogram

ON = cpu(2)
BALL = point(0.5, 1.0, -0.5, diameter_mm=5.0)


@pytest.fixture(scope="module")
def response() -> ResponseMatrix:
    return build_analytic(read_scanner("test-panels"), AnalyticResponse(n_points=512))


def chi2_per_line(counts: np.ndarray, mean: np.ndarray) -> float:
    enough = mean > 0.5
    return float(np.mean((counts[enough] - mean[enough]) ** 2 / mean[enough]))


def test_counts_are_poisson_around_the_projection(response: ResponseMatrix) -> None:
    data = simulate_histogram(
        BALL, response, n_prompts=50_000, seed=1, on=ON, efficiencies=np.ones(48)
    )
    truth = BALL.rasterise(response.scanner.grid).values * data.info["decays_per_activity"]
    mean = MatrixProjector(response, on=ON)(truth.astype(np.float32))
    assert mean.sum() == pytest.approx(50_000, rel=1e-4)
    assert data.n_prompts == pytest.approx(50_000, abs=5 * 50_000**0.5)
    assert chi2_per_line(data.prompts, mean) == pytest.approx(1, abs=0.2)
    assert data.delayeds is None


def test_number_of_delayeds_equals_the_randoms(response: ResponseMatrix) -> None:
    data = simulate_histogram(BALL, response, n_prompts=50_000, seed=1, on=ON, randoms_fraction=0.4)
    assert data.n_prompts == pytest.approx(50_000, abs=5 * 50_000**0.5)
    assert data.n_delayeds == pytest.approx(20_000, abs=5 * 20_000**0.5)


def test_dead_crystals_count_nothing(response: ResponseMatrix) -> None:
    efficiencies = np.ones(response.scanner.n_crystals)
    efficiencies[[3, 30]] = 0
    data = simulate_histogram(
        BALL, response, n_prompts=9_000, seed=1, on=ON, randoms_fraction=0.2,
        efficiencies=efficiencies,
    )  # fmt: skip
    dead = np.isin(response.scanner.lors(np.arange(response.scanner.n_lors)), [3, 30]).any(axis=1)
    assert data.delayeds is not None
    assert not data.prompts[dead].any() and not data.delayeds[dead].any()


def test_seed_determines_the_counts(
    response: ResponseMatrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again, other = (
        simulate_histogram(BALL, response, n_prompts=900, seed=seed, on=ON).prompts
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_rods_along_the_normal_are_rotated_rods_along_z(response: ResponseMatrix) -> None:
    upright, lying = derenzo(along="z"), derenzo(along="y")
    rng = np.random.default_rng(4)
    points = rng.uniform(-20, 20, (4000, 3))
    np.testing.assert_array_equal(
        lying.activity_at(points), upright.activity_at(points[:, [0, 2, 1]])
    )
    assert 0 < lying.activity_at(points).mean() < 1


@pytest.mark.parametrize(
    ("phantom", "changes", "sentence"),
    [
        (BALL, {"n_prompts": 0}, "n_prompts is 0"),
        (BALL, {"randoms_fraction": 1.0}, "randoms_fraction is 1"),
        (point(500.0), {}, "'point source' is outside the field of view of 'Test panels'"),
    ],
)
def test_invalid_settings_are_refused(
    response: ResponseMatrix, phantom: ShapePhantom, changes: dict[str, float], sentence: str
) -> None:
    with pytest.raises(SettingsError, match=sentence):
        simulate_histogram(phantom, response, **{"n_prompts": 100, "seed": 1, "on": ON, **changes})


def test_wide_cylinder_is_cut_to_the_image(response: ResponseMatrix) -> None:
    data = simulate_histogram(uniform_cylinder(), response, n_prompts=5_000, seed=1, on=ON)
    assert data.n_prompts > 4_000
