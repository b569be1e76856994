"""Slices of a running scan where nobody has chosen any: across z, y and x, through the middle."""

from __future__ import annotations

from engine.geometry.plane import Plane, orthogonal
from engine.geometry.xray import XrayGeometry

MOST_PIXELS = 400
"""Along an edge: what two processors bring up to date ten times a second at 83 frames/s."""


def middle_planes(scan: XrayGeometry, most_pixels: int = MOST_PIXELS) -> tuple[Plane, ...]:
    """Return three square slices as wide as the detector sees, at its resolution or coarser."""
    fine_mm = scan.pixel_size_mm[0] / float(scan.magnification.mean())
    n = max(scan.shape[1], 1)
    pixels = min(n, most_pixels)
    return orthogonal((pixels, pixels), fine_mm * n / pixels, (0.0, 0.0, _height_mm(scan)))


def _height_mm(scan: XrayGeometry) -> float:
    """Height on the axis that the middle of the detector sees [mm]."""
    detector = float(scan.detector_mm[:, 2].mean())
    if scan.beam == "parallel":
        return detector
    source = float(scan.source_mm[:, 2].mean())
    return source + (detector - source) / float(scan.magnification.mean())
