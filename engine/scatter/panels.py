"""Single scatter between two panels, per unit of a line's own efficiency.

The simulation is that of rings (`engine.scatter.simulation`) for samples on a grid of each panel. A
line whose response adds up to H over the voxels of the image, of which it passes a length of L,
counts H / L ∫ f dl of an image f that is even across it, so that it counts of single scatter

    S = H / L · T(A, B),    f in decays of a voxel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.data.volume import Volume
from engine.geometry.dual_head import DualHead
from engine.geometry.line_efficiency import CrystalDepth
from engine.kernels.blocks import run_blocks
from engine.kernels.device_scatter import OnProgress
from engine.kernels.scatter_lookup import look_up_events
from engine.scatter.pair_sums import Efficiency, pair_sums
from engine.scatter.samples import ScatterPoints
from engine.scatter.timing import PathTiming

STEP = 0.2
"""Distance of samples, as part of the distance between the panels."""
FEWEST, MOST = 2, 16
"""Samples along an edge of a panel."""


@dataclass(frozen=True)
class PanelSamples:
    """A grid of samples on each panel, number = (panel · n_rows + row) · n_columns + column.

    Attributes
    ----------
    x_mm, z_mm : (n_columns,), (n_rows,) from the middle of the first crystal to that of the last
    y_mm : distance of the samples from the middle, the mean depth of detection
    """

    x_mm: NDArray[np.float64]
    z_mm: NDArray[np.float64]
    y_mm: float

    @classmethod
    def of(cls, scanner: DualHead) -> PanelSamples:
        """Lay samples where a scanner has crystals."""
        s = scanner.settings
        apart = STEP * s.separation_mm
        x, z = (_placed(n, s.pitch_mm, apart) for n in (s.n_columns, s.n_rows))
        return cls(x, z, s.separation_mm / 2 + scanner.depth_mm(0))

    @property
    def n_of_panel(self) -> int:
        """Samples of a panel."""
        return len(self.x_mm) * len(self.z_mm)

    @cached_property
    def places_mm(self) -> NDArray[np.float64]:
        """(n, 3) places [mm]."""
        places = np.empty((2, len(self.z_mm), len(self.x_mm), 3))
        places[..., 0], places[..., 2] = self.x_mm, self.z_mm[:, None]
        places[0, ..., 1], places[1, ..., 1] = -self.y_mm, self.y_mm
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
    """Expected scatter per unit of a line's own efficiency, T, between samples of two panels.

    Attributes
    ----------
    samples : where it is known
    values : (rows, columns, rows, columns, 1) on panel 0, then on panel 1
    """

    samples: PanelSamples
    values: NDArray[np.float32]

    def of_lines(
        self, points_mm: NDArray[np.float64], ends: NDArray[np.int32], *, threads: int = 1
    ) -> NDArray[np.float32]:
        """Return the scatter on lines, (n,); ends : (n, 2) rows of points, panel 0 first."""
        places, bins = self.samples.of_crystals(points_mm), np.empty(0, np.int16)
        out = np.empty(len(ends), np.float32)

        def work(_: int, start: int, stop: int) -> None:
            look_up_events(start, stop, ends, bins, places, self.values, out)

        run_blocks(work, len(ends), threads)
        return out


def _placed(n: int, pitch_mm: float, apart_mm: float) -> NDArray[np.float64]:
    half = max(n - 1, 1) / 2 * pitch_mm  # one crystal has two samples, too
    n_samples = min(max(int(np.ceil(2 * half / apart_mm)) + 1, FEWEST), MOST)
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
        of the scatter points
    on
        the GPU, or the threads of the processor, does the work
    on_progress
        called with scatter points done and in all; may raise to stop
    """
    s, samples = scanner.settings, PanelSamples.of(scanner)
    depth = CrystalDepth(
        s.thickness_mm, s.attenuation_per_mm, s.photo_fraction, s.energy_window_kev[0]
    )
    points = ScatterPoints.of(mu_map, n_points, seed)
    timing = PathTiming.of(None, image)
    fields = image, mu_map
    sums = pair_sums(fields, samples, depth, efficiency, points, timing, on, on_progress)
    n = samples.n_of_panel
    across = np.ascontiguousarray(sums[:n, n:], np.float32)
    shape = (len(samples.z_mm), len(samples.x_mm)) * 2
    return PanelTable(samples, across.reshape(*shape, 1))
