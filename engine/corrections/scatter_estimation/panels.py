"""Single scatter between two panels, per unit of line efficiency.

The simulation is that of rings (`engine.corrections.scatter_estimation.simulation`), with samples
on a grid of each panel. If the response of a line sums to H over the voxels of the image and its
length in the image is L, it counts H / L ∫ f dl of an image f that is uniform across it. Its single
scatter is therefore

    S = H / L · T(A, B),    f in decays per voxel.

Photons are detected at two depths of each panel
(`engine.corrections.scatter_estimation.panel_depths`), with fractions w at 511 keV and at the
energy E' after scattering. Counts are summed over the four pairs of depths and divided by the
detection probability of unscattered photons on the same line:

    T = Σ_ij w_ij(E') N_ij / Σ_ij w_i w_j D_ij,    w_ij = (w_i(511) w_j(E') + w_i(E') w_j(511)) / 2

with D = E E / r² and N = T D of the single scatter between positions at depths i and j. Which of
the two photons was scattered matters only for i ≠ j, and only to second order.

Between samples, T is a spline, which is tabulated on a finer grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.corrections.scatter_estimation.detection import Efficiency
from engine.corrections.scatter_estimation.pair_sums import line_factors, pair_sums
from engine.corrections.scatter_estimation.panel_depths import PanelDepths
from engine.corrections.scatter_estimation.samples import ScatterPoints
from engine.corrections.scatter_estimation.timing import PathTiming
from engine.data.volume import Volume
from engine.geometry.dual_head import DualHead
from engine.geometry.energy import ELECTRON_KEV
from engine.kernels.scatter.device_scatter import OnProgress
from engine.kernels.scatter.lookup import look_up

STEP = 0.2
"""Distance between samples, as a fraction of the distance between the panels."""
MIN_SAMPLES, MAX_SAMPLES = 2, 16
"""Smallest and largest number of samples along an edge of a panel."""
FINER = 3
"""Number of table steps between two samples of the spline.

Linear interpolation between the samples alone would make scatter up to 3.5 % too low in the middle.
"""
PAIRS = (0, 0), (0, 1), (1, 0), (1, 1)
"""Depths on panel 0 and on panel 1."""


@dataclass(frozen=True, eq=False)
class PanelSamples:
    """A grid of samples on each panel, number = (panel · n_rows + row) · n_columns + column.

    Attributes
    ----------
    x_mm, z_mm : (n_columns,), (n_rows,) from the middle of the first crystal to that of the last
    y_mm : (2,) distance of each panel's samples from the middle
    """

    x_mm: NDArray[np.float64]
    z_mm: NDArray[np.float64]
    y_mm: tuple[float, float]

    @classmethod
    def of(cls, scanner: DualHead, depths_mm: tuple[float, float]) -> PanelSamples:
        """Return samples over the crystals of a scanner, at one depth for each panel.

        Parameters
        ----------
        scanner
            panels with a single layer of crystals
        depths_mm
            depth of the samples behind the front face of panel 0 and panel 1
        """
        s = scanner.settings
        distance_mm = STEP * s.separation_mm
        x, z = (_placed(n, s.pitch_mm, distance_mm) for n in (s.n_columns, s.n_rows))
        half = s.separation_mm / 2
        return cls(x, z, (half + depths_mm[0], half + depths_mm[1]))

    @property
    def n_of_panel(self) -> int:
        """Samples of a panel."""
        return len(self.x_mm) * len(self.z_mm)

    @cached_property
    def places_mm(self) -> NDArray[np.float64]:
        """(n, 3) places [mm]."""
        places = np.empty((2, len(self.z_mm), len(self.x_mm), 3))
        places[..., 0], places[..., 2] = self.x_mm, self.z_mm[:, None]
        places[0, ..., 1], places[1, ..., 1] = -self.y_mm[0], self.y_mm[1]
        return places.reshape(-1, 3)

    @cached_property
    def normals(self) -> NDArray[np.float64]:
        """(n, 3) unit vectors away from the middle."""
        normals = np.zeros((2 * self.n_of_panel, 3))
        normals[:, 1] = np.repeat((-1.0, 1.0), self.n_of_panel)
        return normals

    @cached_property
    def partners(self) -> NDArray[np.bool_]:
        """(n, n) True if two samples are on different panels."""
        # Photons of one pair reach opposite panels; two ends on one panel are not a line.
        panel = np.repeat((0, 1), self.n_of_panel)
        return np.asarray(panel[:, None] != panel)

    def of_crystals(self, positions_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows and columns of crystals in units of samples.

        Parameters
        ----------
        positions_mm
            (n, 3) positions of crystals

        Returns
        -------
        crystals
            (n, 2), clipped to the outermost samples
        """
        at = [
            np.interp(positions_mm[:, axis], edge, np.arange(len(edge)))
            for axis, edge in ((2, self.z_mm), (0, self.x_mm))
        ]
        return np.stack(at, axis=1)


@dataclass(frozen=True, eq=False)
class PanelTable:
    """Expected scatter per unit of line efficiency, T, between samples of two panels.

    Attributes
    ----------
    samples : samples of the table
    values : (rows, columns, rows, columns, 1) on panel 0, then on panel 1
    """

    samples: PanelSamples
    values: NDArray[np.float32]

    def of_lines(
        self, points_mm: NDArray[np.float64], ends: NDArray[np.int32], *, threads: int = 1
    ) -> NDArray[np.float32]:
        """Return the expected scatter on lines.

        Parameters
        ----------
        points_mm
            (m, 3) ends of the lines
        ends
            (n, 2) rows of the points; panel 0 first
        threads
            number of threads

        Returns
        -------
        lines
            (n,) per unit of line efficiency
        """
        places, bins = self.samples.of_crystals(points_mm), np.empty(0, np.int16)
        return look_up(ends, bins, places, self.values, threads=threads)


def _placed(n: int, pitch_mm: float, distance_mm: float) -> NDArray[np.float64]:
    half = max(n - 1, 1) / 2 * pitch_mm  # one crystal has two samples, too
    n_samples = min(max(int(np.ceil(2 * half / distance_mm)) + 1, MIN_SAMPLES), MAX_SAMPLES)
    return np.linspace(-half, half, n_samples)


def simulate_panels(
    image: Volume,
    mu_map: Volume,
    scanner: DualHead,
    efficiency: Efficiency,
    *,
    n_points: int,
    seed: int,
    on: Backend,
    on_progress: OnProgress | None = None,
) -> PanelTable:
    """Simulate the single scatter of an image between two panels.

    Parameters
    ----------
    image
        decays per voxel of the scanner's grid, even if voxels are larger
    mu_map
        attenuation at 511 keV [1/mm]
    scanner
        panels with a single layer of crystals
    efficiency
        relative probability that a photon of an energy in a crystal is counted
    n_points
        number of scatter points
    seed
        seed of the scatter points
    on
        GPU, or CPU with its threads
    on_progress
        called with the number of scatter points done and in total; may raise to stop

    Returns
    -------
    simulate_panels
        T, with the end on panel 0 first
    """
    depths = PanelDepths.of(scanner)
    points, timing = ScatterPoints.of(mu_map, n_points, seed), PathTiming.of(None, image)
    own = depths.shares(np.array([ELECTRON_KEV]))[:, 0]
    scattered, straight = np.zeros(1), np.zeros(1)
    for number, (i, j) in enumerate(PAIRS):
        samples = PanelSamples.of(scanner, (depths.places_mm[i], depths.places_mm[j]))
        sums = pair_sums(
            (image, mu_map),
            samples,
            depths.depth,
            _at_depths(efficiency, depths, i, j),
            points,
            timing,
            on,
            # Each of the four depth pairs reports its share of one common progress.
            _part(on_progress, number),
        )
        n = samples.n_of_panel
        seen = 1 / line_factors(samples, depths.depth)[:n, n:]
        scattered = scattered + sums[:n, n:, 0] * seen
        straight = straight + own[i] * own[j] * seen
    line_factors.cache_clear()  # no other samples have the same factors
    # Divide after summing over depths: the ratio of sums is T, the sum of ratios is not.
    shape = (len(samples.z_mm), len(samples.x_mm)) * 2
    return _finer(samples, (scattered / straight).reshape(shape))


def _at_depths(efficiency: Efficiency, depths: PanelDepths, i: int, j: int) -> Efficiency:
    """Return the counted fraction for a pair of depths: ε times w_ij."""
    own = depths.shares(np.array([ELECTRON_KEV]))[:, 0]

    def counted(kev: NDArray[np.float64]) -> NDArray[np.float64]:
        others = depths.shares(kev)
        return efficiency(kev) * (own[i] * others[j] + others[i] * own[j]) / 2

    return counted


def _part(on_progress: OnProgress | None, number: int) -> OnProgress | None:
    if on_progress is None:
        return None
    return lambda done, whole: on_progress(number * whole + done, len(PAIRS) * whole)


def _finer(samples: PanelSamples, values: NDArray[np.float64]) -> PanelTable:
    """Tabulate values on a finer grid, by a spline along each axis."""
    from scipy.interpolate import make_interp_spline

    x, z = (_between(edge) for edge in (samples.x_mm, samples.z_mm))
    for axis, (edge, finer) in enumerate(((samples.z_mm, z), (samples.x_mm, x)) * 2):
        # A cubic spline needs four samples; small panels have fewer.
        spline = make_interp_spline(edge, values, k=min(3, len(edge) - 1), axis=axis)
        values = spline(finer)
    table = np.ascontiguousarray(values, np.float32)[..., None]
    return PanelTable(replace(samples, x_mm=x, z_mm=z), table)


def _between(edge_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linspace(edge_mm[0], edge_mm[-1], FINER * (len(edge_mm) - 1) + 1)
