"""Modulation transfer function: the contrast at each spatial frequency.

For the edge of a cylinder, e(r) is the image as a function of the distance from the axis, and
l = de/dr. For a wire, w(r) is the image minus its background at the distance r:

    MTF(f) = |Σ l exp(−2πi f r)| / |Σ l|,    MTF(f) = Σ w J0(2π f r) / Σ w

A Gaussian blur of standard deviation σ has exp(−2 π² σ² f²). Errors are jackknife errors over
sectors around the axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError

Values = NDArray[np.float64]
Transfer = Callable[[NDArray[np.bool_], Values], Values]
"""Function of the pixels to use and the frequencies."""
SECTORS = 8
BINS_PER_PIXEL = 5
N_FREQUENCIES = 121
MIN_PER_BIN = 3
FLAT = 0.7
"""Fraction of the largest distance from the edge up to which the weight is 1."""


@dataclass(frozen=True)
class Modulation:
    """A modulation transfer function.

    Attributes
    ----------
    frequency : (n,) spatial frequencies [1/mm]
    value, error : (n,) modulation, and its standard error
    """

    frequency: Values
    value: Values
    error: Values

    def at(self, level: float) -> float:
        """Return the lowest frequency at which the modulation falls to a level [1/mm].

        Parameters
        ----------
        level
            modulation, between 0 and 1

        Returns
        -------
        float
            NaN if the modulation never falls to the level
        """
        return _crossing(self.frequency, self.value, level)


@dataclass(frozen=True)
class ResolvedFrequencies:
    """Modulation of an image, and the frequencies of two levels with their standard errors.

    Attributes
    ----------
    modulation : over spatial frequency
    half, tenth : frequencies at 50 % and 10 %, each with its standard error [1/mm]
    """

    modulation: Modulation
    half: tuple[float, float]
    tenth: tuple[float, float]


def of_edge(r_mm: Values, turn_rad: Values, values: Values, pixel_mm: float) -> ResolvedFrequencies:
    """Return the modulation from the pixels around the edge of a cylinder.

    Parameters
    ----------
    r_mm
        (n,) distance of each pixel from the edge [mm], negative inside
    turn_rad
        (n,) angle of each pixel about the axis [rad]
    values
        (n,) image
    pixel_mm
        edge of a pixel [mm]

    Raises
    ------
    DataError
        if there are too few pixels around the edge
    """
    # The edge crosses the pixels at all phases, so the bins can be finer than a pixel (as in the
    # slanted-edge method). This moves aliasing far above the frequencies of interest.
    bin_mm = pixel_mm / BINS_PER_PIXEL

    def transfer(chosen: NDArray[np.bool_], frequency: Values) -> Values:
        middles, spread = _edge_spread(r_mm[chosen], values[chosen], bin_mm)
        line = np.diff(spread)
        at = (middles[1:] + middles[:-1]) / 2
        line = line * _taper(at)
        waves = np.exp(-2j * np.pi * np.outer(frequency, at))
        found = np.abs(waves @ line) / abs(line.sum())
        # correct for both effects of a bin: its mean, and the difference between bins
        return np.asarray(found / np.sinc(frequency * bin_mm) ** 2)

    return _resolution(transfer, turn_rad, pixel_mm)


def of_wire(x_mm: Values, y_mm: Values, values: Values, pixel_mm: float) -> ResolvedFrequencies:
    """Return the modulation from the pixels around a thin wire along z.

    Parameters
    ----------
    x_mm, y_mm
        (n,) position of each pixel relative to the wire [mm]
    values
        (n,) image minus its background
    pixel_mm
        edge of a pixel [mm]
    """
    from scipy import special

    r_mm = np.hypot(x_mm, y_mm)

    def transfer(chosen: NDArray[np.bool_], frequency: Values) -> Values:
        r, w = r_mm[chosen], values[chosen]
        # The Fourier transform of a radial function is a Hankel transform of order 0, hence J0.
        waves = special.j0(2 * np.pi * np.outer(frequency, r))
        return np.asarray(waves @ w / w.sum())

    return _resolution(transfer, np.arctan2(y_mm, x_mm), pixel_mm)


def _resolution(transfer: Transfer, turn_rad: Values, pixel_mm: float) -> ResolvedFrequencies:
    frequency = np.linspace(0, 1 / pixel_mm, N_FREQUENCIES)
    sector = ((turn_rad / (2 * np.pi)) % 1 * SECTORS).astype(int)
    whole = transfer(np.ones(len(sector), bool), frequency)
    # Adjacent pixels correlate, so single pixels cannot be left out; whole sectors are independent.
    left_out = np.array([transfer(sector != k, frequency) for k in range(SECTORS)])
    modulation = Modulation(frequency, whole, _jackknife(left_out))
    levels = []
    for level in (0.5, 0.1):
        each = np.array([_crossing(frequency, curve, level) for curve in left_out])
        levels.append((modulation.at(level), float(_jackknife(each))))
    return ResolvedFrequencies(modulation, levels[0], levels[1])


def _taper(at: Values) -> Values:
    """Return weights: 1 around the edge, falling to 0 at both ends, where there is only noise."""
    beyond = np.abs(at) / np.max(np.abs(at)) - FLAT
    return np.asarray(np.cos(np.pi / 2 * np.clip(beyond / (1 - FLAT), 0, 1)) ** 2)


def _jackknife(values: Values) -> Values:
    n = len(values)
    return np.asarray(np.sqrt((n - 1) / n * np.sum((values - values.mean(axis=0)) ** 2, axis=0)))


def _edge_spread(r_mm: Values, values: Values, bin_mm: float) -> tuple[Values, Values]:
    """Return bin centres (distance from the edge) and means; gaps between bins are interpolated."""
    index = np.floor(r_mm / bin_mm).astype(int)
    low = int(index.min())
    counts = np.bincount(index - low)
    sums = np.bincount(index - low, values)
    enough = counts >= MIN_PER_BIN
    if np.count_nonzero(enough) < 4 * BINS_PER_PIXEL:
        raise DataError(
            "the edge has too few pixels to measure resolution; use a larger cylinder or "
            "smaller voxels."
        )
    middles = np.asarray((np.arange(len(counts)) + low + 0.5) * bin_mm, np.float64)
    inside = np.flatnonzero(enough)
    every = np.arange(inside[0], inside[-1] + 1)
    means = np.interp(middles[every], middles[enough], sums[enough] / counts[enough])
    return middles[every], np.asarray(means, np.float64)


def _crossing(frequency: Values, values: Values, level: float) -> float:
    below = np.flatnonzero(values < level)
    if not len(below) or below[0] == 0:
        return float("nan")
    k = int(below[0])
    part = (values[k - 1] - level) / (values[k - 1] - values[k])
    return float(frequency[k - 1] + part * (frequency[k] - frequency[k - 1]))
