"""X-ray geometries for the self-test: upright and tilted cone, and parallel beam."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.geometry.xray import XrayGeometry
from engine.selftest.reference_answers import random_numbers

GRID = ImageGrid((11, 35, 21), (1.5, 0.6, 1.3), (0.5, 1.0, -1.0))
"""Off centre, with unequal edges, and no multiple of a block size."""
N_VIEWS = 13
# Narrower than the projected volume, so that some voxels project outside.
_DETECTOR = (15, 26)


def scans() -> dict[str, XrayGeometry]:
    """Return the geometries by name."""
    return {
        "upright cone": _cone(),
        "tilted cone": _cone((0.1, 0.2)),
        "parallel beam": parallel(circle(N_VIEWS), shape=_DETECTOR, pixel_mm=1.3),
    }


def _cone(tilt_rad: tuple[float, float] = (0.0, 0.0)) -> XrayGeometry:
    return circular_cone(
        circle(N_VIEWS),
        source_axis_mm=60.0,
        source_detector_mm=90.0,
        shape=_DETECTOR,
        pixel_mm=1.6,
        tilt_rad=tilt_rad,
    )


def tall() -> tuple[XrayGeometry, ImageGrid]:
    """Return a scan with so many slices that the adjoint gathers per voxel."""
    geometry = parallel(circle(N_VIEWS), shape=(38, 14), pixel_mm=1.3)
    return geometry, ImageGrid((37, 9, 10), (1.2, 1.1, 1.3), (0.5, 1.0, -1.0))


def volume() -> NDArray[np.float32]:
    """Return a volume in which all voxels differ."""
    return random_numbers().random(GRID.shape, np.float32)


def projections(geometry: XrayGeometry) -> NDArray[np.float32]:
    """Return projections in which all pixels differ.

    Parameters
    ----------
    geometry
        geometry that sets the shape
    """
    return random_numbers().random((geometry.n_views, *geometry.shape), np.float32)
