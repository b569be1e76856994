"""Tests of errors of time frames against independent measurements of the judge's photons."""

from __future__ import annotations

import numpy as np
import pytest

from engine.recon.algorithms.osem import Osem
from tests.physics.frame_coverage import FramedScans, frame_coverages, sum_of_frames
from tests.physics.map_scan import MOUSE

N_DRAWS, PAIRS = 40, 10_000


@pytest.mark.slow
def test_frame_errors_cover_their_spread_and_add_up() -> None:
    algorithm = Osem(iterations=8, subsets=2)
    scans = FramedScans(
        MOUSE.recorded(N_DRAWS * PAIRS, seed=1), N_DRAWS, 2, n_maps=4, n_replicates=20,
        algorithm=algorithm, fwhm_mm=6.0,
    )  # fmt: skip
    masks = MOUSE.regions(scans.grid)

    *frames, total = frame_coverages(scans, masks)

    for found in (*frames, total):
        limit = 0.1  # the requirement; exact errors of 20 replicates would give 0.99
        assert found.voxel_ratio == pytest.approx(1, abs=limit)
    # Neighbouring voxels are correlated, so these shares have errors of about 1 %.
    assert 0.92 < np.mean([each.voxels_covered for each in frames]) < 0.98
    assert 0.92 < np.mean([each.regions_covered for each in frames]) < 0.98
    summed = sum_of_frames(scans, masks, algorithm)
    # Frames have independent replicates: the error of their sum itself has an error of 5 %.
    assert summed.of_parts == pytest.approx(1, abs=0.05)
