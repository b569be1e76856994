"""How wide a scanner sees a point, by its distance from the axis.

Full widths at half maximum, in quadrature (after Moses, Nucl Instrum Methods A 648 (2011) S236,
without his factor for reconstruction and without positron range):

    tangential²  = (d/2)² + (0.0044 R)²
    radial²(r)   = tangential² + 8 ln 2 · (r/R)² v/2
    axial²(z)    = (p/2)² + (0.0044 R)² + 8 ln 2 · T(z) v/2

d and p are the pitch of the crystals across and along the axis, R the radius of the bore; 0.0044 R
is the angle of 0.5° between the photons. At r from the axis the lines that measure the radial place
enter the crystals of both ends at an angle whose sine is r/R, and depths of interaction, whose
variance is

    v = 1/μ² − L² e^(μL) / (e^(μL) − 1)²

for photons that are stopped within L, displace each end by (depth − mean) · r/R, the middle of the
line by half the sum of two. Lines that are tilted by t to the planes are displaced along the axis
by (depth − mean) · tan t at each end; T(z) is the mean of tan² t over the lines whose middle lies
near z, most in the middle of the scanner and nothing at its ends.
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
"""Blur by the angle between the photons, of the radius of the bore."""
N_RADII = 9
"""Distances from the axis at which a scanner's widths are tabulated; linear between them."""
N_STATIONS = 9
"""Places along the axis at which they are."""
LEAST_WEIGHT = 1e-6
"""Weights of a step along an axis below this part of 1 are left out of a blur."""
N_PROBED = 200_000
"""Lines looked at for how much they are tilted."""


@dataclass(frozen=True)
class PointSpread:
    """Widths of a Gaussian at distances from the axis, linear between them, constant beyond.

    Attributes
    ----------
    radius_mm : (n,) distances from the axis, ascending [mm]
    radial_mm, tangential_mm : (n,) full widths at half maximum in the plane [mm]
    axial_mm : full width along the axis, or (m,) such widths at places along it [mm]
    z_mm : (m,) these places, ascending; linear between them, constant beyond [mm]
    """

    radius_mm: NDArray[np.float64]
    radial_mm: NDArray[np.float64]
    tangential_mm: NDArray[np.float64]
    axial_mm: float | NDArray[np.float64]
    z_mm: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))

    def axial_at(self, z_mm: NDArray[np.floating]) -> NDArray[np.float64]:
        """Full widths along the axis at places along it [mm]."""
        return np.interp(z_mm, self.z_mm, np.broadcast_to(self.axial_mm, self.z_mm.shape))

    def widened(self, fwhm_mm: float) -> PointSpread:
        """Return what is left after one more Gaussian, round and the same everywhere."""
        return replace(
            self,
            radial_mm=np.hypot(self.radial_mm, fwhm_mm),
            tangential_mm=np.hypot(self.tangential_mm, fwhm_mm),
            axial_mm=np.hypot(self.axial_mm, fwhm_mm),
        )

    def scaled(self, factor: float) -> PointSpread:
        """Return this with all widths times a factor."""
        return replace(
            self,
            radial_mm=self.radial_mm * factor,
            tangential_mm=self.tangential_mm * factor,
            axial_mm=self.axial_mm * factor,
        )

    def describe(self) -> str:
        """Widths in the centre and farthest out, in plain words."""
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
    """Return one round Gaussian for every place."""
    width = np.array([fwhm_mm])
    return PointSpread(np.zeros(1), width, width, fwhm_mm)


def spread_of(scanner: Scanner, farthest_mm: float, *, n_probed: int = N_PROBED) -> PointSpread:
    """Return what a scanner's crystals, bore and depth blur a point to.

    Parameters
    ----------
    scanner
        of which the pitch, the radius and the depth of the crystals are taken
    farthest_mm
        distance from the axis up to which widths are tabulated, at most that of the crystals [mm]
    n_probed
        lines whose tilt is measured; a forecast needs few of them
    """
    bore = scanner.bore_radius_mm
    across, along = scanner.crystal_pitch_mm
    angle = NONCOLLINEARITY * bore
    in_plane = math.hypot(across / 2, angle)
    radius = np.linspace(0, min(farthest_mm, bore), N_RADII)
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
    """Places along the axis [mm], and √T of the lines whose middle lies near each, (n,)."""
    low, high = scanner.axial_range_mm
    if high <= low:
        return np.zeros(1), np.zeros(1)
    lines = scanner.lors(lattice(scanner.n_lors, n_probed, shift=0.5))
    ends = scanner.positions_mm[lines[scanner.in_coincidence(lines)]]
    # those through the axis, since short ones pass beside most of the object
    square = ((ends[:, 1, 2] - ends[:, 0, 2]) / (2 * scanner.bore_radius_mm)) ** 2
    at = (ends[..., 2].mean(axis=1) - low) / (high - low) * (N_STATIONS - 1)
    nearest = np.rint(at).astype(np.int64)
    counts = np.bincount(nearest, minlength=N_STATIONS)
    mean = np.bincount(nearest, square, N_STATIONS) / np.maximum(counts, 1)
    return np.linspace(low, high, N_STATIONS), np.sqrt(mean)


def depth_variance(crystal: CrystalDepth) -> float:
    """Variance of the depth at which photons of 511 keV are stopped [mm²]."""
    mu, depth = crystal.attenuation_per_mm, crystal.depth_mm
    # L² e^(μL) / (e^(μL) − 1)² = (L / 2 sinh(μL/2))², which neither overflows nor cancels
    half = mu * depth / 2
    if half < 1e-2:  # a thin crystal: the difference of two large numbers has its limit
        return depth**2 / 12
    return 1 / mu**2 - (depth / (2 * math.sinh(min(half, 300.0)))) ** 2
