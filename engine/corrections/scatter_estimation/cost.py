"""Estimate the bias at the centre of an object without scatter correction.

The estimate assumes a uniformly active cylinder of water with the width and length of the object,
at the centre of the scanner. A line with S scattered counts adds S / (n a) to its integral, with
its efficiency n and the transmission a of the object. At the centre of an image these integrals
p(s), at distance s from the axis, add

    f(0) = −1/π ∫ p'(s) / s ds        (Abel's inversion at the axis)

to the activity. S is the single scatter of `engine.corrections.scatter_estimation.simulation`,
multiplied by the factor of `engine.corrections.scatter_estimation.multiple`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.corrections.scatter_estimation.multiple import over_single
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.simulation import simulate_scatter
from engine.data.volume import Volume
from engine.geometry.energy import EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner

WATER_PER_MM = 0.0096
"""Attenuation of water at 511 keV (NIST XCOM)."""
TYPICAL_WINDOW = EnergyWindow(425.0, 650.0, 0.11)
"""Energy window assumed if the scanner does not state one."""
N_POINTS, FEWER = 60, 2
"""Scatter points, and the factor by which detector samples are sparser; enough for one digit."""
N_VOXELS = 16
"""Voxels across the cylinder."""
N_STEPS = 200
"""Number of steps of s."""
MIN_PART = 0.02
"""Smallest object as a fraction of the bore; line sources of a test scatter almost nothing."""


@dataclass(frozen=True)
class ScatterCost:
    """Bias of an image without scatter correction.

    Attributes
    ----------
    diameter_mm : diameter of the object
    fraction : scatter as part of trues and scatter
    excess : relative bias at the centre
    """

    diameter_mm: float
    fraction: float
    excess: float

    def describe(self) -> str:
        """Return the bias as a clause with numbers."""
        return (
            f"for an object {self.diameter_mm:.0f} mm wide, about "
            f"{100 * self.fraction:.0f} % of the counts are scatter, and without "
            "scatter correction the centre reads about "
            f"{round(100 * self.excess, -1):.0f} % too high"
        )


def cost_of(scanner: Scanner, diameter_mm: float, length_mm: float, *, on: Backend) -> ScatterCost:
    """Return the bias that scatter in a cylinder of water causes without correction.

    Parameters
    ----------
    scanner
        scanner with its energy window; 425 to 650 keV are assumed without one
    diameter_mm
        diameter of the object, limited to 95 % of the bore
    length_mm
        length of the object, limited to twice the axial field of view
    on
        device of the simulation
    """
    low, high = scanner.axial_range_mm
    bore = 2 * scanner.bore_radius_mm
    # An object wider than the crystals would put scatter points outside the detector.
    diameter = min(max(diameter_mm, MIN_PART * bore), 0.95 * bore)
    water = _cylinder(diameter, min(length_mm, 2 * (high - low)), (low + high) / 2)
    # A line through water of length l then has l counts, so that trues below are chords.
    activity = Volume(water.values / np.float32(WATER_PER_MM), water.grid, "")
    table = simulate_scatter(
        activity,
        water,
        scanner,
        scanner.energy or TYPICAL_WINDOW,
        with_tof=False,
        n_points=N_POINTS,
        seed=1,
        on=on,
        samples=DetectorSamples.of(scanner, FEWER),
    )
    samples = table.samples
    scatter = table.values.reshape((len(samples.places_mm),) * 2).astype(np.float64)
    chords = _chords(samples, diameter, float(water.grid.size_mm[2]), (low + high) / 2)
    weights = _efficiencies(samples, scanner)
    trues = weights * np.exp(-WATER_PER_MM * chords) * chords
    ratio = float(np.sum(weights * scatter) / np.sum(trues))
    multiple = over_single(ratio)
    excess = multiple * _at_the_axis(samples, scatter, diameter)
    return ScatterCost(diameter_mm, multiple * ratio / (1 + multiple * ratio), excess)


def _cylinder(diameter: float, length: float, middle: float) -> Volume:
    edge = diameter / N_VOXELS
    n_z = max(1, round(length / edge))
    grid = ImageGrid((n_z, N_VOXELS, N_VOXELS), (edge, edge, length / n_z), (0, 0, middle))
    # Supersampling gives voxels at the rim their fraction of water, so the volume is right.
    fine = (np.arange(4 * N_VOXELS) + 0.5) / (4 * N_VOXELS) - 0.5
    disc = (np.hypot(fine[:, None], fine) <= 0.5).reshape(N_VOXELS, 4, N_VOXELS, 4)
    slab = disc.mean(axis=(1, 3)) * WATER_PER_MM
    return Volume(np.repeat(slab[None].astype(np.float32), n_z, axis=0), grid, "1/mm")


def _chords(
    samples: DetectorSamples, diameter: float, length: float, middle: float
) -> NDArray[np.float64]:
    """Return the length of each line in the cylinder, (n, n) [mm]."""
    first, second = samples.places_mm[:, None], samples.places_mm[None, :]
    line = second - first
    a = (line[..., :2] ** 2).sum(axis=-1)
    half = (first[..., :2] * line[..., :2]).sum(axis=-1)
    inside = half**2 - a * (samples.radius_mm**2 - diameter**2 / 4)
    root, a = np.sqrt(np.maximum(inside, 0)), np.maximum(a, 1e-9)
    begin, end = (-half - root) / a, (-half + root) / a
    # Lines within one ring have no rise; a tiny one keeps the division finite.
    rise = np.where(np.abs(line[..., 2]) < 1e-9, 1e-9, line[..., 2])
    ends = [(middle + side * length / 2 - first[..., 2]) / rise for side in (-1, 1)]
    begin, end = np.maximum(begin, np.minimum(*ends)), np.minimum(end, np.maximum(*ends))
    return np.maximum(end - begin, 0) * np.linalg.norm(line, axis=-1) * (inside > 0)


def _efficiencies(samples: DetectorSamples, scanner: Scanner) -> NDArray[np.float64]:
    """Return relative efficiencies of the lines between samples, (n, n), 0 where there is none."""
    places, normals = samples.places_mm, samples.normals
    line = places[None] - places[:, None]
    length = np.maximum(np.linalg.norm(line, axis=2), 1e-9)
    cosines = [(line * n).sum(axis=2) / length for n in (-normals[:, None], normals[None])]
    one, other = (np.asarray(scanner.crystal_depth.efficiency(c)) for c in cosines)
    return one * other / length**2 * samples.partners


def _at_the_axis(samples: DetectorSamples, scatter: NDArray[np.float64], diameter: float) -> float:
    """Return f(0) of the module docstring, from the lines across the middle ring of samples."""
    ring = samples.n_rings // 2 * samples.n_angles
    difference = np.arange(samples.nearest, samples.n_angles // 2 + 1)
    angle = np.arange(samples.n_angles)[:, None]
    second = ring + (angle + difference) % samples.n_angles
    known = scatter[ring + angle, second].mean(axis=0)[::-1]
    far = samples.radius_mm * np.cos(np.pi * difference[::-1] / samples.n_angles)
    s = np.linspace(0, max(diameter / 2, far[-1]), N_STEPS)
    chord = 2 * np.sqrt(np.maximum(diameter**2 / 4 - s**2, 0))
    p = np.interp(s**2, far**2, known) * np.exp(WATER_PER_MM * chord)
    # Between two positions p is a parabola without a linear term, because p is even. Beyond the
    # last position it is 0.
    slopes = np.diff(p) / np.diff(s**2)
    return float(-2 / np.pi * np.sum(slopes * np.diff(s)) + p[-1] / (np.pi * s[-1]))
