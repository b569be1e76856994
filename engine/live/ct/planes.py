"""Default slices of a running scan: across z, y and x through the centre."""

from __future__ import annotations

from engine.geometry.plane import Plane, orthogonal
from engine.geometry.xray import XrayGeometry

MAX_PIXELS = 400
"""Most pixels along an edge: two CPU cores update such slices ten times a second at 83 frames/s."""


def middle_planes(scan: XrayGeometry, max_pixels: int = MAX_PIXELS) -> tuple[Plane, ...]:
    """Return three square slices as wide as the field of view.

    Parameters
    ----------
    scan
        geometry of the whole scan
    max_pixels
        most pixels along an edge; wider slices get larger pixels

    Returns
    -------
    planes
        planes normal to z, y and x
    """
    # Pixel size at the rotation axis: smaller pixels show no more detail
    fine_mm = scan.pixel_size_mm[0] / float(scan.magnification.mean())
    n = max(scan.shape[1], 1)
    # The field of view stays; only the resolution is reduced
    pixels = min(n, max_pixels)
    return orthogonal((pixels, pixels), fine_mm * n / pixels, (0.0, 0.0, _height_mm(scan)))


def _height_mm(scan: XrayGeometry) -> float:
    """Return the height on the axis that the centre of the detector sees [mm]."""
    detector = float(scan.detector_mm[:, 2].mean())
    if scan.beam == "parallel":
        return detector
    source = float(scan.source_mm[:, 2].mean())
    return source + (detector - source) / float(scan.magnification.mean())
