"""Spatial resolution of a scanner by distance from the axis.

Full widths at half maximum, added in quadrature (after Moses, Nucl Instrum Methods A 648 (2011)
S236, without his reconstruction factor and without positron range):

    tangential²  = (d/2)² + (0.0044 R)²
    radial²(r)   = tangential² + 8 ln 2 · (r/R)² v/2
    axial²(z)    = (p/2)² + (0.0044 R)² + 8 ln 2 · T(z) v/2

d and p are the crystal pitch across and along the axis, R the radius of the bore. 0.0044 R is the
non-collinearity of 0.5°. At distance r from the axis, lines that measure the radial position enter
the crystals of both ends at an angle with the sine r/R. The depth of interaction has the variance

    v = 1/μ² − L² e^(μL) / (e^(μL) − 1)²

for photons that stop within L. It displaces each end by (depth − mean) · r/R, and the middle of the
line by half the sum of both. Lines with an axial tilt t are displaced along the axis by (depth −
mean) · tan t at each end. T(z) is the mean of tan² t over lines with their middle near z: largest
in the middle of the scanner, zero at its ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry.line_efficiency import CrystalDepth
from engine.geometry.sampling import lattice
from engine.geometry.scanner import Scanner
from engine.geometry.tof import FWHM_PER_SIGMA

NONCOLLINEARITY = 0.0044
"""Blur by non-collinearity, relative to the bore radius."""
N_RADII = 9
"""Number of tabulated distances from the axis; linear in between."""
N_STATIONS = 9
"""Number of tabulated positions along the axis."""
MIN_WEIGHT = 1e-6
"""Smaller weights of a one-dimensional blur are omitted."""
N_PROBED = 200_000
"""Number of lines used to estimate the tilt."""


@dataclass(frozen=True)
class PointSpread:
    """Widths of a Gaussian at distances from the axis; linear in between, constant outside.

    Attributes
    ----------
    radius_mm : (n,) distances from the axis, ascending [mm]
    radial_mm, tangential_mm : (n,) full widths at half maximum in the plane [mm]
    axial_mm : full width along the axis, or (m,) widths at positions along it [mm]
    z_mm : (m,) these positions, ascending; linear in between, constant outside [mm]
    """

    radius_mm: NDArray[np.float64]
    radial_mm: NDArray[np.float64]
    tangential_mm: NDArray[np.float64]
    axial_mm: float | NDArray[np.float64]
    z_mm: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))

    def axial_at(self, z_mm: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the full widths along the axis at some positions [mm].

        Parameters
        ----------
        z_mm
            positions along the axis
        """
        return np.interp(z_mm, self.z_mm, np.broadcast_to(self.axial_mm, self.z_mm.shape))

    def widened(self, fwhm_mm: float) -> PointSpread:
        """Return the resolution after one more isotropic Gaussian.

        Parameters
        ----------
        fwhm_mm
            full width at half maximum of that Gaussian
        """
        return replace(
            self,
            radial_mm=np.hypot(self.radial_mm, fwhm_mm),
            tangential_mm=np.hypot(self.tangential_mm, fwhm_mm),
            axial_mm=np.hypot(self.axial_mm, fwhm_mm),
        )

    def scaled(self, factor: float) -> PointSpread:
        """Return the resolution with all widths multiplied by a factor."""
        return replace(
            self,
            radial_mm=self.radial_mm * factor,
            tangential_mm=self.tangential_mm * factor,
            axial_mm=self.axial_mm * factor,
        )

    def describe(self) -> str:
        """Return the widths in the centre and at the largest distance as text."""
        axial = float(self.axial_at(np.array([self.z_mm[[0, -1]].mean()]))[0])
        text = f"{self.tangential_mm[0]:.1f} mm in the plane and {axial:.1f} mm along it"
        first = self.radial_mm[0]
        if np.all(self.radial_mm == first) and np.all(self.tangential_mm == first):
            return text
        return (
            f"{text}, {self.radius_mm[-1]:.0f} mm off the axis {self.radial_mm[-1]:.1f} mm "
            f"radially and {self.tangential_mm[-1]:.1f} mm tangentially"
        )


def uniform_spread(fwhm_mm: float) -> PointSpread:
    """Return the same isotropic Gaussian at every position.

    Parameters
    ----------
    fwhm_mm
        full width at half maximum
    """
    width = np.array([fwhm_mm])
    return PointSpread(np.zeros(1), width, width, fwhm_mm)


def width_on_axis(scanner: Scanner) -> float:
    """Return the width on the axis in the plane, from crystals and bore: FWHM [mm].

    Parameters
    ----------
    scanner
        supplies pitch and radius of the crystals
    """
    # Half the pitch is the width of the response midway between two crystals (Moses, 2011).
    return math.hypot(scanner.crystal_pitch_mm[0] / 2, NONCOLLINEARITY * scanner.bore_radius_mm)


def spread_of(scanner: Scanner, farthest_mm: float, *, n_probed: int = N_PROBED) -> PointSpread:
    """Return the resolution from the crystals, bore and depth of a scanner.

    Parameters
    ----------
    scanner
        supplies pitch, radius and depth of the crystals
    farthest_mm
        largest tabulated distance from the axis, at most the bore radius [mm]
    n_probed
        number of lines used to measure the tilt; an estimate needs few
    """
    bore = scanner.bore_radius_mm
    along, angle = scanner.crystal_pitch_mm[1], NONCOLLINEARITY * bore
    in_plane = width_on_axis(scanner)
    radius = np.linspace(0, min(farthest_mm, bore), N_RADII)
    # Half of the variance: the middle of the line moves by half the sum of two independent depths.
    by_depth = FWHM_PER_SIGMA * math.sqrt(depth_variance(scanner.crystal_depth) / 2)
    z, tilt = _tilts(scanner, n_probed)
    return PointSpread(
        radius,
        np.hypot(in_plane, radius / bore * by_depth),
        np.full(N_RADII, in_plane),
        np.hypot(math.hypot(along / 2, angle), tilt * by_depth),
        z,
    )


def _tilts(scanner: Scanner, n_probed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions along the axis [mm], and √T of the lines with their middle near each."""
    low, high = scanner.axial_range_mm
    if high <= low:
        return np.zeros(1), np.zeros(1)
    # A lattice instead of all lines: large scanners have 10⁹ lines, and T(z) is a smooth mean.
    lines = scanner.lors(lattice(scanner.n_lors, n_probed, shift=0.5))
    ends = scanner.positions_mm[lines[scanner.in_coincidence(lines)]]
    # tilt of lines through the axis, because shorter lines miss most of the object
    square = ((ends[:, 1, 2] - ends[:, 0, 2]) / (2 * scanner.bore_radius_mm)) ** 2
    at = (ends[..., 2].mean(axis=1) - low) / (high - low) * (N_STATIONS - 1)
    # Nearest station, not linear weights: the stations are far apart compared with the ring pitch.
    nearest = np.rint(at).astype(np.int64)
    counts = np.bincount(nearest, minlength=N_STATIONS)
    mean = np.bincount(nearest, square, N_STATIONS) / np.maximum(counts, 1)
    return np.linspace(low, high, N_STATIONS), np.sqrt(mean)


def depth_variance(crystal: CrystalDepth) -> float:
    """Return the variance of the depth of interaction at 511 keV [mm²].

    Parameters
    ----------
    crystal
        depth and material
    """
    mu, depth = crystal.attenuation_per_mm, crystal.depth_mm
    # L² e^(μL) / (e^(μL) − 1)² = (L / 2 sinh(μL/2))², which neither overflows nor cancels
    half = mu * depth / 2
    if half < 1e-2:  # thin crystal: the limit, where the difference below would cancel
        return depth**2 / 12
    return 1 / mu**2 - (depth / (2 * math.sinh(min(half, 300.0)))) ** 2
