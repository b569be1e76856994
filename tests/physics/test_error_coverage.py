"""Errors from replicates, against independent measurements of the judge's photons."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.recon.algorithms.osem import Osem
from tests.physics.error_coverage import Draws, coverage
from tests.physics.map_scan import MapScan

N_DRAWS, PAIRS = 40, 10_000


@pytest.mark.slow
def test_errors_cover_the_spread_of_independent_measurements() -> None:
    scan = MapScan(n_pairs=N_DRAWS * PAIRS)
    demand = replace(scan.demand, n_counts=scan.demand.n_counts / N_DRAWS)
    draws = Draws(scan, N_DRAWS, Osem(updates=16).for_counts(demand), fwhm_mm=5.0)

    found = coverage(draws, scan.regions(), n_maps=4, n_replicates=20)

    assert 0.9 < found.voxel_ratio < 1.1
    assert found.within > 0.9
    # Neighbouring voxels vary together, so these shares have errors of about 1 %.
    assert 0.92 < found.voxels_covered < 0.98
    assert 0.92 < found.regions_covered < 0.98
