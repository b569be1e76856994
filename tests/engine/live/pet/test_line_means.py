"""Test the conversion of moments of lines of response to moments of the activity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.live.pet.activity_moments import PAIRS, SAMPLE, LineMeans, Sums
from tests.engine.live.pet.running_events import scan


def test_covariance_of_the_activity_is_recovered_from_lines() -> None:
    """E[P C P] over the lines, computed with matrices, gives C exactly for any symmetric C."""
    data = replace(scan(), tof_bins=None)
    means = LineMeans()
    means.add(data)
    every = max(1, data.n_events // SAMPLE)
    first, second = np.moveaxis(data.scanner.positions_mm[data.crystals[::every]], 1, 0)
    along = (second - first) / np.linalg.norm(second - first, axis=1)[:, None]
    across = np.eye(3) - along[:, :, None] * along[:, None, :]
    C = np.array([[30.0, 5.0, -4.0], [5.0, 180.0, 7.0], [-4.0, 7.0, 16.0]])
    line_moment = (across @ C @ across).mean(axis=0)
    total = np.array([1.0, 0.0, 0.0, 0.0, *(line_moment[pair] for pair in PAIRS)])
    place = means.place_of(Sums(total, np.zeros((10, 10))))
    assert place is not None
    np.testing.assert_allclose(place.covariance, C, atol=1e-9)
