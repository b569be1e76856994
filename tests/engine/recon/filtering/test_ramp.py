"""Tests of the ramp filter: sampled in space, without wrap-around, smoothed by windows."""

import numpy as np
import pytest
from scipy.special import i0

from engine.recon.filtering.ramp import filter_length, filter_rows, kernel, spectrum
from engine.recon.filtering.windows import WINDOWS, window
from tests.tolerances import FLOAT64


def test_filtering_is_a_convolution_of_the_row(rng):
    n = 37
    row = rng.normal(size=(2, n)).astype("f4")
    length = filter_length(n)
    g = kernel(1001)  # longer than any distance in the row
    expected = [[sum(g[i - k] * p[k] for k in range(n)) for i in range(n)] for p in row]
    filtered = filter_rows(row, spectrum(length), length)[:, :n]
    assert filtered.dtype == np.float32
    np.testing.assert_allclose(filtered, expected, atol=2e-6)  # float32 sums of about 40 terms


def test_spectrum_is_the_ramp_except_for_the_mean():
    n = 256
    frequency = np.arange(n // 2 + 1) / (n / 2)
    np.testing.assert_allclose(spectrum(n)[1:], frequency[1:] / 2, atol=1e-3)
    lost_tail = 2 / (np.pi**2 * n)  # Σ over odd k > n / 2 of 2 / (π k)²
    assert spectrum(n)[0] == pytest.approx(lost_tail, rel=0.01)


@pytest.mark.parametrize("name", WINDOWS)
def test_window_preserves_the_mean_and_cuts_off(name):
    frequency = np.linspace(0, 1, 101)
    factors = window(name, frequency, cutoff=0.6)
    assert factors[0] == pytest.approx(1, abs=1e-6)
    assert (factors[frequency > 0.61] == 0).all()
    assert (np.diff(factors[frequency < 0.3]) <= 0).all()
    np.testing.assert_allclose(window(name, frequency * 0.6, 0.6), window(name, frequency))


@pytest.mark.parametrize(
    ("name", "middle", "end"),
    [
        ("ram-lak", 1, 1),
        ("shepp-logan", np.sin(np.pi / 4) / (np.pi / 4), 2 / np.pi),
        ("cosine", np.sqrt(0.5), 0),
        ("hamming", 0.54, 0.08),
        ("hann", 0.5, 0),
        ("blackman", 0.34, 0),
        ("triangular", 0.5, 0),
        ("lanczos", 2 / np.pi, 0),
        ("parzen", 0.25, 0),
        ("tukey", 1, 0),
        ("gaussian", np.exp(-25 / 32), np.exp(-25 / 8)),
        ("bartlett-hann", 0.5, 0),
        ("nuttall", 0.211536, 0),
        ("blackman-harris", 0.21747, 6e-5),
        ("blackman-nuttall", 0.2269824, 3.628e-4),
        ("flat-top", -0.05473684, -4.21051e-4),
        ("kaiser", i0(6 * np.sqrt(0.75)) / i0(6), 1 / i0(6)),
    ],
)
def test_window_has_its_closed_form(name, middle, end):
    assert window(name, np.array([0.5, 1.0])) == pytest.approx([middle, end], abs=FLOAT64)


@pytest.mark.parametrize("n", [1, 5, 640, 768, 1021])
def test_transform_is_long_enough_and_fast(n):
    length = filter_length(n, 3)
    assert 2 * n + 3 <= length <= 1.2 * (2 * n + 3) + 3
