"""Number of counts that PET subsets and images need, from voxels, timing and scanner.

A line crosses w voxels, about as many as the image is wide. The lines of C counts in an image of n
voxels therefore cross each voxel C w / n times on average. A subset needs `CROSSINGS` of these;
with fewer it misses voxels of the object. With time of flight a count reaches only the fraction
`TIMED` FWHM / width of the w voxels. Tested with simulated rods in a ring scanner, 48
updates and 300 to 200,000 counts: with this number in a subset, the image differs from that of MLEM
by 3 % after a 6 mm Gaussian, and its total by less than 1e-4. With half as many, the total of the
image was 3.6 % wrong for a sinogram of 1,000 counts.
"""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from engine.geometry.grid import ImageGrid
from engine.geometry.tof import FWHM_PER_SIGMA, TofBins
from engine.recon.algorithms.subsets import CountDemand

if TYPE_CHECKING:
    from engine.geometry.dual_head import DualHead

CROSSINGS = 8.0
"""Number of counts of a subset that cross a voxel on average."""
TIMED = 2.0
"""Number of timing widths (FWHM) within which a count sees voxels."""
CELL_MM, CELLS_ACROSS = 10.0, 16
"""Size of the cells that an image must at least resolve, or their number across a small image."""


def ring_demand(n_counts: float, grid: ImageGrid, tof: TofBins | None) -> CountDemand:
    """Return the counts of a ring, and the counts that subsets and images need.

    Parameters
    ----------
    n_counts
        number of counts without the background
    grid
        grid of the image
    tof
        time bins of the counts; None without time of flight
    """
    width_mm, _, length_mm = grid.size_mm
    seen = 1.0
    if tof is not None:
        seen = min(TIMED * FWHM_PER_SIGMA * tof.sigma_mm / width_mm, 1.0)
    cell_mm = min(CELL_MM, width_mm / CELLS_ACROSS)
    # The field of view is a cylinder, so π/4 of the square grid is crossed by lines.
    voxels = pi / 4 * grid.shape[0] * grid.shape[2]
    cells = pi / 4 * (width_mm / cell_mm) * max(length_mm / cell_mm, 1.0)
    return CountDemand(n_counts, CROSSINGS * voxels / seen, CROSSINGS * min(cells, voxels) / seen)


def panel_demand(n_counts: float, scanner: DualHead) -> CountDemand:
    """Return the counts of two panels, and the counts that subsets and images need.

    Parameters
    ----------
    n_counts
        number of counts without the background
    scanner
        panels; their number of crystals determines the demand

    Returns
    -------
    panel_demand
        lines are as wide as crystals, so a cross section of the image has one cell per crystal
    """
    s = scanner.settings
    crystals = float(s.n_rows * s.n_columns)
    # A subset contains whole families of orientations, which differ only by mirroring.
    n_families = s.n_rows * s.n_columns
    return CountDemand(n_counts, CROSSINGS * crystals, CROSSINGS * crystals / 4, n_families)
