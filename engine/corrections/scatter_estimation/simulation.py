"""Single-scatter simulation with time of flight, in the units of the image.

One photon of a pair reaches crystal A without scattering. The other is scattered once, at s, into
crystal B, or vice versa. With the distances R from s, G = E(c) / R² (the efficiency E of a crystal
at angle c, as in `engine.geometry.line_efficiency`), the image f and the attenuation μ at 511 keV,
a line with the efficiency n = E(c_A) E(c_B) (D / r)² counts

    S(A, B) = n T(A, B)
    T(A, B) = r² / (E E) Σ_s ΔV μ(s) G_A(s) G_B(s) p(θ) (I_A + I_B)
    I_A = exp(−∫_s^A μ dl − σ(E')/σ(511) ∫_s^B μ dl) ∫_s^A f dl
    p(θ) = (dσ/dΩ) / σ · ε(E') / ε(511)

with the Klein-Nishina cross-section σ, the energy E' after scattering by θ at s, and the fraction ε
of photons that a crystal stops and counts within the energy window. The result is absolute: f is in
counts per mm of a line with n = 1. The size of the crystals and the decays per count cancel.

A decay at u from A on its path to s has the TOF position s_tof = u − (R_A + R_B) / 2, towards B. It
is blurred like that of any pair and falls into the bins of the scanner.

Watson, Newport & Casey, Three-Dimensional Image Reconstruction (1996) 255; Watson, IEEE TNS 47
(2000) 1587; with time of flight Watson, IEEE TNS 54 (2007) 1642.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter_estimation.detection import efficiency_of
from engine.corrections.scatter_estimation.interpolation import for_linear_reading
from engine.corrections.scatter_estimation.pair_sums import pair_sums
from engine.corrections.scatter_estimation.samples import DetectorSamples, ScatterPoints
from engine.corrections.scatter_estimation.timing import PathTiming
from engine.kernels.scatter.lookup import look_up

if TYPE_CHECKING:
    from engine.core.backend import Backend
    from engine.corrections.scatter_estimation.axial import AxialScale
    from engine.corrections.scatter_estimation.sums import OnPaths
    from engine.data.volume import Volume
    from engine.geometry.energy import EnergyWindow
    from engine.geometry.scanner import Scanner
    from engine.kernels.scatter.device_scatter import OnProgress

LINES_AT_ONCE = 2**20
"""Lines whose scatter is interpolated at a time, if their ends are more points than that."""


MIN_PART = 1e-6
"""Scatter below this fraction of the maximum has no reliable distribution in time."""


@dataclass(frozen=True, eq=False)
class ScatterTable:
    """Expected scatter per unit of line efficiency, between detector samples.

    Attributes
    ----------
    samples : samples of the table
    values : (rings, angles, rings, angles, groups) [counts], T above, groups of time bins towards
        the second end
    group : time bins of a group; 0: without time of flight
    """

    samples: DetectorSamples
    values: NDArray[np.float32]
    group: int

    def of_lines(
        self,
        points_mm: NDArray[np.float64],
        ends: NDArray[np.int32],
        tof_bins: NDArray[np.int16] | None = None,
        *,
        threads: int = 1,
    ) -> NDArray[np.float32]:
        """Return the scatter on lines, (n,), in their time bins or in all together.

        Parameters
        ----------
        points_mm
            (m, 3) of crystals, or of other ends of lines on their cylinder [mm]
        ends
            (n, 2) of each line, rows of the points
        tof_bins
            (n,) time bin of each; None: the sum of all
        threads
            threads of the processor
        """
        # Converting all points once is faster, unless there are more points than lines in a batch.
        few = len(points_mm) <= LINES_AT_ONCE
        places = self.samples.of_crystals(points_mm) if few else None
        out = np.empty(len(ends), np.float32)
        for start in range(0, len(ends), LINES_AT_ONCE):
            rows = slice(start, start + LINES_AT_ONCE)
            own, at = np.ascontiguousarray(ends[rows], np.int32), places
            if at is None:  # there are more points than lines now
                at = self.samples.of_crystals(points_mm[own.reshape(-1)])
                own = np.arange(2 * len(own), dtype=np.int32).reshape(-1, 2)
            times = None if tof_bins is None else tof_bins[rows]
            out[rows] = self._look_up(own, at, times, threads)
        return out

    def _look_up(
        self,
        ends: NDArray[np.int32],
        places: NDArray[np.float64],
        tof_bins: NDArray[np.int16] | None,
        threads: int,
    ) -> NDArray[np.float32]:
        bins, share = np.empty(0, np.int16), 1.0
        if tof_bins is not None and self.group:
            # Counts of a group are divided evenly over its time bins.
            bins, share = (tof_bins // self.group).astype(np.int16), 1 / self.group
        return look_up(ends, bins, places, self.values, threads=threads) * np.float32(share)

    def scaled(self, factor: float) -> ScatterTable:
        """Return the table times a factor.

        Parameters
        ----------
        factor
            factor of all values
        """
        return ScatterTable(self.samples, self.values * np.float32(factor), self.group)

    def with_more(self, more: NDArray[np.floating]) -> ScatterTable:
        """Return the table with additional scatter, which has the same distribution in time.

        Parameters
        ----------
        more
            (rings, angles, rings, angles) additional scatter [counts]

        Returns
        -------
        more
            where single scatter is negligible, the distribution in time is that of all lines
            together
        """
        own = self.values.sum(axis=4)
        is_some = own > MIN_PART * own.max(initial=0.0)
        values = (
            self.values
            * (1 + np.divide(more, own, out=np.zeros_like(own), where=is_some))[..., None]
        )
        every = self.values.sum(axis=(0, 1, 2, 3), dtype=np.float64)
        lone = ~is_some & (more > 0)
        extra, total = np.where(lone, more, 0), max(float(every.sum()), 1e-30)
        for group, counts in enumerate(every):
            values[..., group] += extra * counts / total
        return ScatterTable(self.samples, values, self.group)

    def for_linear_reading(self) -> ScatterTable:
        """Return the table for unbiased linear interpolation between samples."""
        coefficients = for_linear_reading(self.values, self.samples.partners)
        return ScatterTable(self.samples, coefficients, self.group)

    def scaled_along(self, scale: AxialScale) -> ScatterTable:
        """Return the table, scaled by the axial position of each line's middle.

        Parameters
        ----------
        scale
            scale along the axis
        """
        rings = self.samples.rings_mm
        factors = scale.at((rings[:, None] + rings) / 2).astype(np.float32)
        values = self.values * factors[:, None, :, None, None]
        return ScatterTable(self.samples, values, self.group)


def simulate_scatter(
    image: Volume,
    mu_map: Volume,
    scanner: Scanner,
    window: EnergyWindow,
    *,
    with_tof: bool,
    n_points: int,
    seed: int,
    on: Backend,
    samples: DetectorSamples | None = None,
    points: ScatterPoints | None = None,
    on_progress: OnProgress | None = None,
    on_paths: OnPaths | None = None,
) -> ScatterTable:
    """Simulate the single scatter of an image in an object.

    Parameters
    ----------
    image
        activity [counts/mm]
    mu_map
        attenuation at 511 keV [1/mm]
    scanner
        ring scanner
    window
        energies that are counted
    with_tof
        True to distinguish time bins
    n_points
        number of scatter points
    seed
        seed of the scatter points
    on
        GPU, or CPU with its threads
    samples
        detector samples; None for the default of the scanner
    points
        scatter points; None to draw them
    on_progress
        called with the number of scatter points done and in total; may raise to stop
    on_paths
        called with the paths of each batch of scatter points; a GPU does not call it

    Returns
    -------
    simulate_scatter
        expected scatter per unit of line efficiency
    """
    samples = samples or DetectorSamples.of(scanner)
    if points is None:
        points = ScatterPoints.of(mu_map, n_points, seed)
    tof = scanner.tof if with_tof else None
    timing = PathTiming.of(tof, image)
    depth = scanner.crystal_depth
    efficiency = efficiency_of(window, depth, scanner.block_mm)
    fields = image, mu_map
    sums = pair_sums(fields, samples, depth, efficiency, points, timing, on, on_progress, on_paths)
    shape = (samples.n_rings, samples.n_angles) * 2
    # float32 halves the table, which has one value per pair and group of time bins.
    values = sums.reshape(*shape, timing.n_groups).astype(np.float32)
    return ScatterTable(samples, values, timing.group if tof else 0)
