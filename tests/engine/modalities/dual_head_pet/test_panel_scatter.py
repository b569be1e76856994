"""Scatter between two panels is recovered from counts that contain it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.core.errors import DataError
from engine.corrections.histogram import LineAttenuation, LineScatter
from engine.corrections.scatter_estimation.multiple import over_single
from engine.corrections.scatter_estimation.panels import simulate_panels
from engine.data.runs.events import Corrected, StageStarted
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.dual_head_pet.scatter_estimate import _on_lines, _weights, estimate_scatter
from engine.operators.panel_energies import relative_efficiency
from engine.protocols.study.assignments import with_settings
from tests.engine.geometry.panels import panels

ON = engine.cpu(1)
SETTINGS = LineScatter(points=60)
SCANNER = panels(
    n_rows=12, n_columns=8, pitch_mm=4.0, crystal_mm=3.8, thickness_mm=20.0, separation_mm=40.0,
    n_planes=10, plane_mm=4.0, voxels_per_pitch=1,
)  # fmt: skip


def water() -> engine.Volume:
    grid = SCANNER.grid
    inside = np.zeros(grid.shape, np.float32)
    inside[1:-1, 1:-1, 1:-1] = 0.0096
    return engine.Volume(inside, grid, "1/mm")


@pytest.fixture(scope="module")
def response() -> engine.ResponseMatrix:
    return build_analytic(SCANNER, AnalyticResponse(n_points=256, scatter=False), threads=1)


@pytest.fixture(scope="module")
def scan(response: engine.ResponseMatrix) -> tuple[engine.Histogram, np.ndarray]:
    """Return noise-free counts of an uneven object and its scatter, at half line efficiency."""
    body = water()
    image = np.where(body.values > 0, np.float32(1e4), np.float32(0))
    image[4:7, 3:6, 2:5] *= 3
    own = np.full(SCANNER.n_lors, 0.5, np.float32)
    data = engine.Histogram(SCANNER, np.ones(SCANNER.n_lors, np.float32), mu_map=body)
    data = data.with_factor(own, on=ON)
    data = LineAttenuation().apply(data, on=ON)
    trues = data.factors * engine.MatrixProjector(response, on=ON)(image)
    table = simulate_panels(
        engine.Volume(image, SCANNER.grid, "decays"), body, SCANNER,
        lambda kev: relative_efficiency(SCANNER, kev), n_points=200, seed=9, on=ON,
    )  # fmt: skip
    scatter = _on_lines(table, SCANNER, _weights(response, own), 1)
    scatter *= np.float32(over_single(scatter.sum() / trues.sum()))
    return replace(data, prompts=trues + scatter), scatter


def test_scatter_is_recovered(
    scan: tuple[engine.Histogram, np.ndarray], response: engine.ResponseMatrix
) -> None:
    data, scatter = scan
    assert 0.05 < scatter.sum() / data.n_prompts < 0.5, "the counts must contain scatter"
    start = np.where(data.mu_map.values > 0, np.float32(1e4), np.float32(0))
    own, ticks = np.full(SCANNER.n_lors, 0.5, np.float32), []
    found = estimate_scatter(
        data, own, response, start, SETTINGS, on=ON, on_tick=lambda *at: ticks.append(at)
    )
    assert found.expected.sum() == pytest.approx(scatter.sum(), rel=0.05)
    assert found.fraction == pytest.approx(scatter.sum() / data.n_prompts, rel=0.05)
    difference = found.expected - scatter
    assert np.abs(difference).sum() < 0.1 * scatter.sum()
    assert ticks == [(1, 2), (2, 2)]


def test_half_the_line_efficiency_gives_half_the_scatter(response: engine.ResponseMatrix) -> None:
    own = np.linspace(0, 1, SCANNER.n_lors, dtype=np.float32)
    assert np.array_equal(_weights(response, own), own * _weights(response, None))


def events_of(path: Path, *settings: str, **inputs: Path) -> Iterator[Any]:
    chosen = ("response.n_points=256", "response.scatter=false", "corrections.scatter.points=50")
    algorithm = ("algorithm.iterations=1", "algorithm.subsets=2")
    protocol = with_settings(DualHeadProtocol(), (*chosen, *algorithm, *settings))
    return run(engine.Study(data=path, protocol=protocol, inputs=inputs), on=ON)


@pytest.fixture
def files(scan: tuple[engine.Histogram, np.ndarray], tmp_path: Path) -> dict[str, Path]:
    data, _ = scan
    bare = engine.Histogram(SCANNER, np.rint(data.prompts))
    paths = {"path": tmp_path / "scan.h5", "attenuation": tmp_path / "mu.h5"}
    engine.save(bare, paths["path"])
    engine.save(water(), paths["attenuation"])
    return paths


def test_run_with_a_mu_map_simulates_scatter(files: dict[str, Path]) -> None:
    events = list(events_of(**files))
    reported = {e.kind: e for e in events if isinstance(e, Corrected)}
    assert reported["scatter"].state == "applied"
    assert "simulated in 2 rounds: " in reported["scatter"].text
    assert "scatter" in [e.stage for e in events if isinstance(e, StageStarted)]


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        ("corrections.attenuation.use='off'", "unavailable"),
        ("corrections.scatter.use='off'", "off"),
        ("corrections.scatter.method='supplied'", "unavailable"),
    ],
)
def test_run_without_scatter_states_the_reason(
    files: dict[str, Path], settings: str, state: str
) -> None:
    reported = {
        e.kind: e.state
        for e in events_of(files["path"], settings, attenuation=files["attenuation"])
        if isinstance(e, Corrected)
    }
    assert reported["scatter"] == state


def test_impossible_correction_that_is_switched_on_is_refused(files: dict[str, Path]) -> None:
    with pytest.raises(DataError, match="attenuation correction is off"):
        list(
            events_of(
                files["path"], "corrections.scatter.use='on'", "corrections.attenuation.use='off'",
                attenuation=files["attenuation"],
            )
        )  # fmt: skip
