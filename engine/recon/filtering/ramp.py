"""Ramp filter along detector rows.

    q(i) = Σ_k g(i − k) p(k),   g(0) = 1/4,   g(odd n) = −1/(π n)²,   g(even n) = 0

for pixels of unit width. g is sampled in space and then transformed. Sampling |frequency| directly
would lose the mean of the image and cause cupping. Ramachandran & Lakshminarayanan, PNAS 68 (1971)
2236; Kak & Slaney, Principles of Computerized Tomographic Imaging (1988), section 3.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft

from engine.core.arrays import Array, module_of
from engine.recon.filtering.windows import WindowName, window


def kernel(n: int) -> Array:
    """Return the sampled ramp g on a ring of n pixels, (n,): g(0), g(1), ..., g(-2), g(-1)."""
    distance = np.minimum(np.arange(n), n - np.arange(n))
    odd = distance % 2 == 1
    g = np.zeros(n)
    g[0] = 0.25
    g[odd] = -1 / (np.pi * distance[odd]) ** 2
    return g


def spectrum(n: int, name: WindowName = "ram-lak", cutoff: float = 1.0) -> Array:
    """Return the factors of the windowed ramp over the real frequencies of n pixels.

    Parameters
    ----------
    n
        length of the transform
    name
        window
    cutoff
        highest frequency, relative to the Nyquist frequency

    Returns
    -------
    (n // 2 + 1,) float32
    """
    # g is even, so its spectrum is real up to rounding; float64, because the factors near
    # zero frequency are differences of large terms
    ramp = scipy.fft.rfft(kernel(n)).real
    frequency = np.arange(len(ramp)) / (n / 2)
    return np.asarray((ramp * window(name, frequency, cutoff)).astype(np.float32))


def filter_length(n_columns: int, n_padding: int = 0, padding: float = 2.0) -> int:
    """Return the length of the transform that avoids wrap-around.

    Parameters
    ----------
    n_columns
        columns of a row
    n_padding
        further columns of the extrapolation
    padding
        minimum length, in multiples of the row
    """
    # twice the row, so that no value wraps around to another one
    least = max(2 * n_columns + n_padding, round(padding * n_columns))
    return int(scipy.fft.next_fast_len(least, real=True))


def filter_rows(rows: Array, factors: Array, length: int, *, threads: int = 1) -> Array:
    """Return rows padded with zeros and multiplied by the factors of `spectrum`.

    Parameters
    ----------
    rows
        (..., n), NumPy or GPU array
    factors
        from `spectrum`
    length
        length of the transform
    threads
        threads of the CPU transform

    Returns
    -------
    (..., length)
    """
    xp: Any = module_of(rows)
    if xp is not np:  # GPU array
        spectra = xp.fft.rfft(rows, length)
        spectra *= factors
        return xp.fft.irfft(spectra, length)
    spectra = filtered_spectra(rows, factors, length, threads=threads)
    return np.asarray(scipy.fft.irfft(spectra, length, axis=-1, workers=threads, overwrite_x=True))


def filtered_spectra(rows: Array, factors: Array, length: int, *, threads: int = 1) -> Array:
    """Return the spectra of rows padded with zeros, multiplied by the factors of `spectrum`.

    Parameters
    ----------
    rows
        (..., n), NumPy
    factors
        from `spectrum`
    length
        length of the transform
    threads
        threads of the transform

    Returns
    -------
    (..., length // 2 + 1) complex64
    """
    spectra = scipy.fft.rfft(rows, length, axis=-1, workers=threads)
    spectra *= factors
    return np.asarray(spectra)
