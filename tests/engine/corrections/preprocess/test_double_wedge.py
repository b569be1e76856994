"""Amplitudes outside the double wedge agree with NumPy's complex numbers."""

import numpy as np
import pytest

from engine.corrections.preprocess.axis_search import _Terms


def test_amplitudes_equal_those_of_complex_sums(rng: np.random.Generator) -> None:
    harmonics, frequencies = 53, 7
    first, second = rng.normal(size=(2, harmonics, frequencies, 2)) @ [1, 1j]
    outside = rng.random((harmonics, frequencies)) < 0.4
    # One frequency has no term, another one has all terms.
    outside[:, 2], outside[:, 5] = False, True
    omega, axes = rng.uniform(0, np.pi, frequencies), rng.uniform(-100, 100, 11)

    found = _Terms.of(first, second, outside, omega).excess(axes)

    for axis, candidate in zip(axes, found, strict=True):
        amplitude = np.abs(first + second * np.exp(-2j * omega * axis))
        assert candidate.value == axis
        assert candidate.score == pytest.approx(amplitude[outside].mean(), rel=1e-13)
