"""Single scatter between two panels, per unit of line efficiency.

The simulation is that of rings (`engine.corrections.scatter_estimation.simulation`) for samples on
a grid of each panel. A line whose response adds up to H over the voxels of the image, of which it
passes a length of L, counts H / L ∫ f dl of an image f that is even across it, so that it counts of
single scatter

    S = H / L · T(A, B),    f in decays of a voxel.

Photons are detected at two depths of each panel
(`engine.corrections.scatter_estimation.panel_depths`), with shares w of 511 keV and of the energy
E' after scattering. What a line counts is summed over the four pairs of depths, and divided by what
its own photons are seen at them:

    T = Σ_ij w_ij(E') N_ij / Σ_ij w_i w_j D_ij,    w_ij = (w_i(511) w_j(E') + w_i(E') w_j(511)) / 2

with D = E E / r² and N = T D of the single scatter between places at depths i and j. Which of both
photons was scattered matters where i ≠ j alone, and there to second order.

Between samples T is read from a spline through them, drawn up on a grid that is finer.
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
"""Distance of samples, as part of the distance between the panels."""
FEWEST, MOST = 2, 16
"""Samples along an edge of a panel."""
FINER = 3
"""Steps that the spline through the samples is read at, between two of them: read straight between
the samples alone, scatter, most in the middle, comes out 3.5 % low."""
PAIRS = (0, 0), (0, 1), (1, 0), (1, 1)
"""Depths on panel 0 and on panel 1."""


@dataclass(frozen=True)
class PanelSamples:
    """A grid of samples on each panel, number = (panel · n_rows + row) · n_columns + column.

    Attributes
    ----------
    x_mm, z_mm : (n_columns,), (n_rows,) from the middle of the first crystal to that of the last
    y_mm : (2,) distance of the samples of each panel from the middle
    """

    x_mm: NDArray[np.float64]
    z_mm: NDArray[np.float64]
    y_mm: tuple[float, float]

    @classmethod
    def of(cls, scanner: DualHead, depths_mm: tuple[float, float]) -> PanelSamples:
        """Lay samples where a scanner has crystals, at a depth of each panel."""
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
        """(n, n) whether two samples are on different panels."""
        panel = np.repeat((0, 1), self.n_of_panel)
        return np.asarray(panel[:, None] != panel)

    def of_crystals(self, positions_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 2) rows and columns of crystals, counted in samples."""
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
        """Return the scatter on lines, (n,); ends : (n, 2) rows of points, panel 0 first."""
        places, bins = self.samples.of_crystals(points_mm), np.empty(0, np.int16)
        return look_up(ends, bins, places, self.values, threads=threads)


def _placed(n: int, pitch_mm: float, distance_mm: float) -> NDArray[np.float64]:
    half = max(n - 1, 1) / 2 * pitch_mm  # one crystal has two samples, too
    n_samples = min(max(int(np.ceil(2 * half / distance_mm)) + 1, FEWEST), MOST)
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
    """Simulate the single scatter of an image between two panels, first the end on panel 0.

    Parameters
    ----------
    image
        decays in a voxel of the scanner's grid, also where voxels are larger
    mu_map
        attenuation at 511 keV [1/mm]
    scanner
        two panels of one layer of crystals
    efficiency
        photons counted of each energy that come into a crystal, relative to those of 511 keV
    n_points, seed
        number of points and seed of the scatter points
    on
        the GPU, or the threads of the processor, does the work
    on_progress
        called with scatter points done and in all; may raise to stop
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
            _part(on_progress, number),
        )
        n = samples.n_of_panel
        seen = 1 / line_factors(samples, depths.depth)[:n, n:]
        scattered = scattered + sums[:n, n:, 0] * seen
        straight = straight + own[i] * own[j] * seen
    shape = (len(samples.z_mm), len(samples.x_mm)) * 2
    return _finer(samples, (scattered / straight).reshape(shape))


def _at_depths(efficiency: Efficiency, depths: PanelDepths, i: int, j: int) -> Efficiency:
    """Return what is counted of pairs at these depths: ε times w_ij."""
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
    """Draw up a table on a finer grid, by a spline through it along each axis."""
    from scipy.interpolate import make_interp_spline

    x, z = (_between(edge) for edge in (samples.x_mm, samples.z_mm))
    for axis, (edge, finer) in enumerate(((samples.z_mm, z), (samples.x_mm, x)) * 2):
        spline = make_interp_spline(edge, values, k=min(3, len(edge) - 1), axis=axis)
        values = spline(finer)
    table = np.ascontiguousarray(values, np.float32)[..., None]
    return PanelTable(replace(samples, x_mm=x, z_mm=z), table)


def _between(edge_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linspace(edge_mm[0], edge_mm[-1], FINER * (len(edge_mm) - 1) + 1)
