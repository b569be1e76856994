"""Tests of errors from replicates against independent measurements of the judge's photons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.recon.algorithms.osem import Osem
from tests.physics.error_coverage import REGION_LIMIT, VOXEL_LIMIT, Draws, Exact, coverage
from tests.physics.map_scan import MapScan

N_DRAWS, PAIRS = 40, 10_000


def test_exact_errors_have_the_figures_of_normal_numbers(rng: np.random.Generator) -> None:
    n_regions, n_draws, n_maps, n = 4_000, 50, 3, 20
    spread = rng.normal(size=(n_draws, n_regions)).std(axis=0, ddof=1)
    errors = rng.normal(size=(n_maps, n, n_regions)).std(axis=1, ddof=1)
    ratio = np.sqrt((errors**2).mean(axis=0)) / spread

    found = Exact.of(n_draws=n_draws, n_maps=n_maps, n_replicates=n)

    known = 0.01  # The median of 12,000 ratios has an error of 0.2 %.
    assert found.voxel_ratio == pytest.approx(np.median(errors / spread), abs=known)
    for share, limit in ((found.within, VOXEL_LIMIT), (found.regions_within, REGION_LIMIT)):
        known = 0.03  # A share of 4,000 regions has an error of at most 0.8 %.
        assert share == pytest.approx(np.mean(abs(ratio - 1) < limit), abs=known)
    known = 0.05  # The standard deviation of 4,000 logarithms has an error of 1.1 %.
    assert found.region_spread == pytest.approx(np.log(ratio).std(), rel=known)


@pytest.mark.slow
def test_errors_cover_the_spread_of_independent_measurements() -> None:
    scan = MapScan(n_pairs=N_DRAWS * PAIRS)
    demand = replace(scan.demand, n_counts=scan.demand.n_counts / N_DRAWS)
    draws = Draws(scan, N_DRAWS, Osem(updates=16).for_counts(demand), fwhm_mm=5.0)

    found = coverage(draws, scan.regions(), n_maps=4, n_replicates=20)

    assert 0.9 < found.voxel_ratio < 1.1
    assert found.within > 0.9
    # Neighbouring voxels are correlated, so these shares have errors of about 1 %.
    assert 0.92 < found.voxels_covered < 0.98
    assert 0.92 < found.regions_covered < 0.98
