"""Column means smoothed by parabolas, compared with SciPy's Savitzky-Golay filter."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import savgol_filter

from engine.corrections.preprocess.stripes import uneven


@pytest.mark.parametrize(("n_columns", "size"), [(256, 31), (40, 39), (33, 33), (9, 5)])
def test_means_are_smoothed_as_by_savitzky_and_golay(rng, n_columns, size):
    means = rng.random((3, 4, n_columns))
    expected = means - savgol_filter(means, size, 2, axis=-1)
    np.testing.assert_allclose(uneven(means, size), expected, atol=1e-12)


def test_parabola_is_preserved_up_to_its_ends(rng):
    a, b, c = rng.random((3, 5, 1))
    x = np.linspace(-1, 1, 64)
    np.testing.assert_allclose(uneven(a + b * x + c * x**2, 21), 0, atol=1e-13)
