"""Boxes of images compared with the region that a scanner can see.

A box fits if no part of it lies outside of the region by more than a margin of the region's size.
"""

from __future__ import annotations

import numpy as np

from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner

MARGIN = 0.1
"""Part of the region by which a box may be larger: the frame around a picture."""


def outside_bore(grid: ImageGrid, scanner: Scanner) -> str:
    """Return how far a box reaches outside of a PET scanner, in words; empty if it fits."""
    (x, y, z), (wide, high, long) = grid.centre_mm, grid.size_mm
    edges = np.array([[abs(x) + wide / 2, 0.0], [0.0, abs(y) + high / 2]])
    reach_mm = float(np.max(scanner.from_middle_mm(edges[:, 0], edges[:, 1])))
    bore_mm = 2 * scanner.bore_radius_mm
    if 2 * reach_mm > (1 + MARGIN) * bore_mm:
        return f"the image is {2 * reach_mm:.0f} mm wide, the bore of the scanner {bore_mm:.0f} mm"
    low, top = scanner.axial_range_mm
    length_mm = max(top - low + scanner.crystal_pitch_mm[1], scanner.default_size_mm[2])
    if 2 * abs(z - (low + top) / 2) + long > (1 + MARGIN) * length_mm:
        return f"the image is {long:.0f} mm long, the scanner {length_mm:.0f} mm"
    return ""
