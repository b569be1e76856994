"""Operators in float64 of every kind that computes in it, for derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, fan, parallel
from engine.operators.base import LinearOperator
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.rays import RayProjector
from engine.operators.xray.transform import XrayTransform
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import random_response
from tests.engine.operators.ray_oracles import GRID
from tests.engine.operators.small_operators import TOF, rays, sinogram_layout_rays, timed_rays

ON = cpu(1)
SMALL = ImageGrid((2, 4, 3), (1.5, 1.4, 1.3))
ORBIT = {"source_axis_mm": 60.0, "source_detector_mm": 90.0, "pixel_mm": 2.0}


def cone() -> XrayTransform:
    scan = circular_cone(circle(3), **ORBIT, shape=(4, 5))
    return XrayTransform(scan, SMALL, on=ON, dtype="float64")


def fan_beam() -> XrayTransform:
    grid = ImageGrid((1, 4, 3), (1.5, 1.4, 1.3))
    return XrayTransform(fan(circle(4), **ORBIT, n_columns=7), grid, on=ON, dtype="float64")


def parallel_beam() -> XrayTransform:
    scan = parallel(circle(3), shape=(3, 6), pixel_mm=1.5)
    return XrayTransform(scan, SMALL, on=ON, dtype="float64")


def stored() -> MatrixProjector:
    shape = {"n_rows": 3, "n_columns": 2, "n_planes": 2, "voxels_per_pitch": 2}
    return MatrixProjector(random_response(panels(**shape)), on=ON, dtype="float64")


def sinogram() -> RayProjector:
    lines, grid = sinogram_layout_rays()
    return RayProjector(lines, grid, on=ON, dtype="float64")


KINDS: dict[str, Callable[[], LinearOperator]] = {
    "rays": lambda: RayProjector(rays(20), GRID, on=ON, dtype="float64"),
    "rays with time of flight": lambda: RayProjector(
        timed_rays(), GRID, on=ON, tof=TOF, dtype="float64"
    ),
    "ring sinogram": sinogram,
    "stored response": stored,
    "cone beam": cone,
    "fan beam": fan_beam,
    "parallel beam": parallel_beam,
    "box of a cone beam": lambda: cone().patch((slice(0, 1), slice(1, 4), slice(0, 2))),
    "part of a detector": lambda: cone().patch(rows=slice(1, 3), columns=slice(2, 5)),
}
"""Function that creates an operator, by its kind."""
SLOW = ("rays with time of flight", "ring sinogram", "part of a detector")
"""Kinds with many rows, for which differences take a second."""
