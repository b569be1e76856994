"""Number of counts that PET subsets and images need, from voxels, timing and scanner.

A line crosses about as many voxels as the image is wide. Of C counts whose lines cross an image of
n voxels, C w / n cross each voxel on average, w the voxels of a line. A subset needs `CROSSINGS`
of them: less, and it misses voxels of the object. With time of flight a count sees only
w · `TIMED` FWHM / width of them. Judged with simulated rods on a ring, 48 updates, 300 to 200,000
counts: with as many in a subset the image differs from that of MLEM by 3 % after a Gaussian of
6 mm, and its total by less than 1e-4. With half as many, the plain sum of its voxels was 3.6 % off
for a sinogram of 1,000 counts.
"""

from __future__ import annotations

from math import pi

from engine.geometry.dual_head import DualHead
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import FWHM_PER_SIGMA, TofBins
from engine.recon.algorithms.subsets import CountDemand

CROSSINGS = 8.0
"""Counts of a subset that cross a voxel on average."""
TIMED = 2.0
"""Widths of the timing within which a count sees voxels."""
CELL_MM, CELLS_ACROSS = 10.0, 16
"""Cells that an image must show at least: so large, or so many across a small image."""


def ring_demand(n_counts: float, grid: ImageGrid, tof: TofBins | None) -> CountDemand:
    """Return what `n_counts` of a ring offer, and what an image on `grid` needs.

    tof : bins of the counts; None: without time of flight
    """
    width_mm, _, length_mm = grid.size_mm
    seen = 1.0
    if tof is not None:
        seen = min(TIMED * FWHM_PER_SIGMA * tof.sigma_mm / width_mm, 1.0)
    cell_mm = min(CELL_MM, width_mm / CELLS_ACROSS)
    voxels = pi / 4 * grid.shape[0] * grid.shape[2]
    cells = pi / 4 * (width_mm / cell_mm) * max(length_mm / cell_mm, 1.0)
    return CountDemand(n_counts, CROSSINGS * voxels / seen, CROSSINGS * min(cells, voxels) / seen)


def panel_demand(n_counts: float, scanner: DualHead) -> CountDemand:
    """Return what `n_counts` between two panels offer, and what an image of them needs.

    Lines are as wide as crystals, so that a cross section of the image has a cell for each crystal.
    """
    s = scanner.settings
    crystals = float(s.n_rows * s.n_columns)
    return CountDemand(n_counts, CROSSINGS * crystals, CROSSINGS * crystals / 4)
