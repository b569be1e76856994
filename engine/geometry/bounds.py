"""Compare the box of an image with the region that a scanner can see.

A box fits if no part of it is outside of the region by more than a margin of the region's size.
"""

from __future__ import annotations

import numpy as np

from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner

MARGIN = 0.1
"""Tolerance relative to the region: images usually have a border of empty voxels."""


def outside_bore(grid: ImageGrid, scanner: Scanner) -> str:
    """Describe how far an image extends beyond a PET scanner.

    Parameters
    ----------
    grid
        grid of the image
    scanner
        ring scanner, crystal map or panels

    Returns
    -------
    sentence with both sizes; empty if the image fits
    """
    (x, y, z), (wide, high, long) = grid.centre_mm, grid.size_mm
    # The farthest edges along x and along y: corners of a square image may leave a round bore.
    edges = np.array([[abs(x) + wide / 2, 0.0], [0.0, abs(y) + high / 2]])
    # `from_middle_mm` is the distance from the axis in a ring, and the distance across for panels.
    reach_mm = float(np.max(scanner.from_middle_mm(edges[:, 0], edges[:, 1])))
    bore_mm = 2 * scanner.bore_radius_mm
    if 2 * reach_mm > (1 + MARGIN) * bore_mm:
        return f"the image is {2 * reach_mm:.0f} mm wide, the bore of the scanner {bore_mm:.0f} mm"
    # The image may be shifted along z, so its far end counts, not its length.
    low, top = scanner.axial_range_mm
    # The crystals' centres define the range, so one pitch is added. Some scanner files state more.
    length_mm = max(top - low + scanner.crystal_pitch_mm[1], scanner.default_size_mm[2])
    if 2 * abs(z - (low + top) / 2) + long > (1 + MARGIN) * length_mm:
        return f"the image is {long:.0f} mm long, the scanner {length_mm:.0f} mm"
    return ""
