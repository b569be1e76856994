"""Noise power spectrum of a uniform region.

    NPS(u, v) = (dx dy / (Nx Ny)) ⟨|DFT of (image − its smooth part)|²⟩,    Σ NPS Δu Δv = variance

The mean is over slices. The smooth part is a polynomial of second order. White noise of variance
s² gives s² dx dy at every frequency. The curve is the mean over rings of equal frequency.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.geometry.grid import Point

Values = NDArray[np.float64]
MIN_PIXELS = 8
"""Minimum number of pixels along an edge of a region."""


@dataclass(frozen=True)
class NoisePower:
    """Noise power over spatial frequency.

    Attributes
    ----------
    frequency : (n,) [1/mm]
    power, error : (n,) mean over a ring, and its standard error [unit² mm²]
    variance : variance of the voxels, the sum of the power [unit²]
    """

    frequency: Values
    power: Values
    error: Values
    variance: float

    @property
    def mean_frequency(self) -> float:
        """Frequency at the centre of gravity of the power in the plane [1/mm]."""
        weights = self.power * self.frequency
        return float(np.sum(weights * self.frequency) / np.sum(weights))


def noise_power(slices: Values, voxel_mm: Point) -> NoisePower:
    """Return the noise power spectrum of a uniform region.

    Parameters
    ----------
    slices
        (n, rows, columns) the region in each slice
    voxel_mm
        size of a voxel (x, y, z) [mm]

    Raises
    ------
    DataError
        if the region has no slice or fewer than 8 rows or columns
    """
    n, rows, columns = slices.shape
    if min(rows, columns) < MIN_PIXELS or not n:
        raise DataError(
            f"the noise power spectrum needs a region of at least {MIN_PIXELS} × {MIN_PIXELS} "
            f"pixels, got {rows} × {columns} pixels in {n} slices; use a larger phantom."
        )
    dx, dy, _ = voxel_mm
    # Cupping and beam hardening are not noise. Without the fit their power fills the lowest rings.
    noise = slices.astype(np.float64) - _smooth(slices)
    power = np.abs(np.fft.fft2(noise)) ** 2 * dx * dy / (rows * columns)
    mean = power.mean(axis=0)
    u, v = np.fft.fftfreq(columns, dx), np.fft.fftfreq(rows, dy)
    radius = np.hypot(u[None, :], v[:, None])
    step = max(1 / (columns * dx), 1 / (rows * dy))
    ring = np.round(radius / step).astype(int)
    # Beyond the Nyquist frequency of the shorter side the rings are incomplete.
    last = int(min(np.abs(u).max(), np.abs(v).max()) / step)
    # Ring 0 is the mean, which the fit has removed.
    used = range(1, last + 1)
    frequency = np.array([radius[ring == k].mean() for k in used])
    curve = np.array([mean[ring == k].mean() for k in used])
    # the power of a complex Gaussian number has a standard deviation equal to its mean
    counts = np.array([n * np.count_nonzero(ring == k) / 2 for k in used])
    variance = float(mean.sum() / (rows * columns * dx * dy))
    return NoisePower(frequency, curve, curve / np.sqrt(counts), variance)


def _smooth(slices: Values) -> Values:
    """Return the polynomial of second order of each slice, by least squares."""
    n, rows, columns = slices.shape
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    terms = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1).reshape(-1, 6)
    flat = slices.reshape(n, -1).astype(np.float64)
    found, *_ = np.linalg.lstsq(terms, flat.T, rcond=None)
    return np.asarray((terms @ found).T.reshape(slices.shape))
