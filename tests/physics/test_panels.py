"""Tests of two panels against photons: counts equal the response, line by line and in total."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import engine
from engine.corrections.histogram import CrystalEdges, LineAttenuation, LineScatter
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.dual_head_pet.scatter_estimate import estimate_scatter
from tests.judge.studies import panel_balls
from tests.judge_scans import mu_map_of
from tests.physics.panels import balls_in_air, scan_of, truth_on

COARSE = {"voxels_per_pitch": 1, "n_planes": 20, "plane_mm": 2.0}
ON = engine.cpu(2)


@cache
def counted() -> tuple[engine.Histogram, np.ndarray]:
    """Return counts of two panels, and their true decays."""
    study = balls_in_air()
    scan, n_decays = scan_of(study, 60_000, **COARSE)
    return scan, truth_on(study.phantom, scan.scanner.grid, n_decays).astype(np.float32)


def expected(*, scatter: bool) -> np.ndarray:
    scan, truth = counted()
    response = build_analytic(scan.scanner, AnalyticResponse(n_points=1 << 12, scatter=scatter))
    return engine.MatrixProjector(response, on=ON)(truth)


@pytest.mark.slow
def test_counts_equal_response_and_edge_factors() -> None:
    """Check crystal scatter, window, blocks and edges: in total, and for each crystal."""
    scan, _ = counted()
    factors = CrystalEdges().factor(scan, on=ON)
    found = factors * expected(scatter=True)
    # 60,000 counts have 0.4 % of noise, the efficiencies at edges 2 %
    assert found.sum() == pytest.approx(scan.n_prompts, rel=0.04)
    lors = scan.scanner.lors(np.arange(scan.scanner.n_lors))
    per_crystal = [np.bincount(lors.ravel(), np.repeat(v, 2)) for v in (scan.prompts, found)]
    per_crystal[1] *= scan.n_prompts / found.sum()
    chi2 = np.mean((per_crystal[0] - per_crystal[1]) ** 2 / per_crystal[1])
    assert chi2 < 1.3


def test_response_without_crystal_scatter_expects_twice_the_counts() -> None:
    scan, _ = counted()
    assert 1.8 < expected(scatter=False).sum() / scan.n_prompts < 2.2


@pytest.mark.slow
def test_estimated_object_scatter_equals_that_of_photons() -> None:
    """Estimate from counts that include scatter; check the total, and lines of any obliqueness."""
    study, n_pairs = panel_balls(), 200_000
    trues, _ = scan_of(study, n_pairs, **COARSE)
    scan, _ = scan_of(study, n_pairs, scattered=True, **COARSE)
    scatter = scan.prompts - trues.prompts
    edges = CrystalEdges().factor(scan, on=ON)
    whole = replace(scan, mu_map=mu_map_of(study.phantom, scan.scanner.grid))
    data = LineAttenuation().apply(whole.with_factor(edges, on=ON), on=ON)
    response = build_analytic(scan.scanner, AnalyticResponse(n_points=1 << 12))
    start = np.where(whole.mu_map.values > 0.001, np.float32(1e3), np.float32(0))
    found = estimate_scatter(data, edges, response, start, LineScatter(), on=ON).expected
    # the limit for the scatter of all lines
    assert found.sum() == pytest.approx(scatter.sum(), rel=0.05)
    table = scan.scanner.orientations
    oblique = np.repeat(np.abs(table.offsets).sum(axis=1), table.n_shifts)
    for part in np.array_split(np.argsort(oblique, kind="stable"), 5):
        # the limit above, and the noise of a fifth of the lines
        assert found[part].sum() == pytest.approx(scatter[part].sum(), rel=0.07)
