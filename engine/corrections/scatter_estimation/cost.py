"""Estimate the bias at the centre of an object without scatter correction.

Taken for a cylinder of water as wide and long as the object and evenly active, at the middle of the
scanner. A line that counts S besides the trues adds S / (n a) to its integral, n its efficiency and
a what the object lets pass; at the middle of an image these integrals p(s), at s from the axis, add

    f(0) = −1/π ∫ p'(s) / s ds        (Abel's inversion at the axis)

to the activity. S is the single scatter of `engine.corrections.scatter_estimation.simulation` times
that of `engine.corrections.scatter_estimation.multiple`.
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
USUAL = EnergyWindow(425.0, 650.0, 0.11)
"""Taken where a scanner does not say what it counts."""
N_POINTS, FEWER = 60, 2
"""Points, and how much less dense detector samples are: for a figure of one digit."""
N_VOXELS = 16
"""Voxels across the cylinder."""
N_STEPS = 200
"""Steps of s."""
LEAST_PART = 0.02
"""Objects narrower than this part of the bore, such as single lines of a test, scatter nothing."""


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
        """Plain words with numbers."""
        return (
            f"for an object {self.diameter_mm:.0f} mm wide, about "
            f"{100 * self.fraction:.0f} % of the counts are scatter, and without "
            "scatter correction the centre reads about "
            f"{round(100 * self.excess, -1):.0f} % too high"
        )


def cost_of(scanner: Scanner, diameter_mm: float, length_mm: float, *, on: Backend) -> ScatterCost:
    """Work out what scatter in a cylinder of water does to an image that leaves it in."""
    low, high = scanner.axial_range_mm
    bore = 2 * scanner.bore_radius_mm
    diameter = min(max(diameter_mm, LEAST_PART * bore), 0.95 * bore)
    water = _cylinder(diameter, min(length_mm, 2 * (high - low)), (low + high) / 2)
    activity = Volume(water.values / np.float32(WATER_PER_MM), water.grid, "")
    table = simulate_scatter(
        activity,
        water,
        scanner,
        scanner.energy or USUAL,
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
    fine = (np.arange(4 * N_VOXELS) + 0.5) / (4 * N_VOXELS) - 0.5
    disc = (np.hypot(fine[:, None], fine) <= 0.5).reshape(N_VOXELS, 4, N_VOXELS, 4)
    slab = disc.mean(axis=(1, 3)) * WATER_PER_MM
    return Volume(np.repeat(slab[None].astype(np.float32), n_z, axis=0), grid, "1/mm")


def _chords(
    samples: DetectorSamples, diameter: float, length: float, middle: float
) -> NDArray[np.float64]:
    """(n, n) length of each line in the cylinder [mm]."""
    first, second = samples.places_mm[:, None], samples.places_mm[None, :]
    line = second - first
    a = (line[..., :2] ** 2).sum(axis=-1)
    half = (first[..., :2] * line[..., :2]).sum(axis=-1)
    inside = half**2 - a * (samples.radius_mm**2 - diameter**2 / 4)
    root, a = np.sqrt(np.maximum(inside, 0)), np.maximum(a, 1e-9)
    begin, end = (-half - root) / a, (-half + root) / a
    rise = np.where(np.abs(line[..., 2]) < 1e-9, 1e-9, line[..., 2])
    ends = [(middle + side * length / 2 - first[..., 2]) / rise for side in (-1, 1)]
    begin, end = np.maximum(begin, np.minimum(*ends)), np.minimum(end, np.maximum(*ends))
    return np.maximum(end - begin, 0) * np.linalg.norm(line, axis=-1) * (inside > 0)


def _efficiencies(samples: DetectorSamples, scanner: Scanner) -> NDArray[np.float64]:
    """(n, n) relative efficiencies of the lines between samples, 0 where there is none."""
    places, normals = samples.places_mm, samples.normals
    line = places[None] - places[:, None]
    length = np.maximum(np.linalg.norm(line, axis=2), 1e-9)
    cosines = [(line * n).sum(axis=2) / length for n in (-normals[:, None], normals[None])]
    one, other = (np.asarray(scanner.crystal_depth.efficiency(c)) for c in cosines)
    return one * other / length**2 * samples.partners


def _at_the_axis(samples: DetectorSamples, scatter: NDArray[np.float64], diameter: float) -> float:
    """f(0) above, from the lines across the middle ring of samples."""
    ring = samples.n_rings // 2 * samples.n_angles
    difference = np.arange(samples.nearest, samples.n_angles // 2 + 1)
    angle = np.arange(samples.n_angles)[:, None]
    second = ring + (angle + difference) % samples.n_angles
    known = scatter[ring + angle, second].mean(axis=0)[::-1]
    far = samples.radius_mm * np.cos(np.pi * difference[::-1] / samples.n_angles)
    s = np.linspace(0, max(diameter / 2, far[-1]), N_STEPS)
    chord = 2 * np.sqrt(np.maximum(diameter**2 / 4 - s**2, 0))
    p = np.interp(s**2, far**2, known) * np.exp(WATER_PER_MM * chord)
    # between two places p as a parabola without a linear term: it is even; beyond the last none
    slopes = np.diff(p) / np.diff(s**2)
    return float(-2 / np.pi * np.sum(slopes * np.diff(s)) + p[-1] / (np.pi * s[-1]))
