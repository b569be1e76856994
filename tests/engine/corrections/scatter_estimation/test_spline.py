"""The spline through equidistant samples, compared with SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from engine.corrections.scatter_estimation.spline import spline_weights
from tests.tolerances import FLOAT64


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 17])
def test_spline_equals_scipys_not_a_knot_spline(n: int) -> None:
    values, at = np.random.default_rng(n).random(n), np.linspace(0, n - 1, 41)
    found = spline_weights(n, at) @ values
    spline = make_interp_spline(np.arange(n), values, k=min(3, n - 1))
    np.testing.assert_allclose(found, spline(at), atol=FLOAT64)


@pytest.mark.parametrize("n", [3, 8, 30])
def test_spline_around_a_ring_is_periodic(n: int) -> None:
    values, at = np.random.default_rng(n).random(n), np.arange(0, n, 0.25)
    found = spline_weights(n, at, goes_round=True) @ values
    around = np.append(values, values[0])
    spline = make_interp_spline(np.arange(n + 1), around, k=3, bc_type="periodic")
    np.testing.assert_allclose(found, spline(at), atol=FLOAT64)
