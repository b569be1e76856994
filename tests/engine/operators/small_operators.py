"""One small operator of every kind, for laws that hold for all operators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, fan, helical, parallel
from engine.geometry.point_spread import uniform_spread
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import SinogramLayout
from engine.geometry.tof import TofBins
from engine.operators.algebra import Diagonal, Identity, stack
from engine.operators.base import LinearOperator
from engine.operators.gaussian import GaussianBlur
from engine.operators.matrix.layered import LayeredProjector
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.point_spread import PointSpreadBlur
from engine.operators.rays import RayProjector, Rays
from engine.operators.xray.parts import Parts, pieces
from engine.operators.xray.slabs import SlabbedXrayTransform
from engine.operators.xray.transform import XrayTransform
from engine.recon.priors.gradient import Gradient
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import random_response
from tests.engine.operators.ray_oracles import GRID, octant_rays
from tests.engine.operators.test_layered_projector import response as layered_response

VOLUME = ImageGrid((5, 7, 6), (1.5, 1.4, 1.3))
THICK = ImageGrid((40, 7, 6), (1.5, 1.4, 1.3))
TOF = TofBins(fwhm_ps=60, bin_ps=30, n_bins=5)


def rays(n: int = 60) -> Rays:
    return octant_rays(np.random.default_rng(7), n, GRID)


def timed_rays() -> Rays:
    untimed = rays()
    bins = np.random.default_rng(8).integers(0, 5, len(untimed.ends)).astype(np.int16)
    return Rays(untimed.points_mm, untimed.ends, bins)


def sinogram_layout_rays() -> tuple[Rays, ImageGrid]:
    ring = RingScanner(
        RingSettings(
            name="Small ring",
            n_rings=2,
            n_crystals_per_ring=16,
            radius_mm=20,
            ring_pitch_mm=2,
            max_ring_difference=1,
            n_tangential=9,
            fov_mm=(20, 4),
        )
    )
    layout = SinogramLayout.of(ring)
    lines = Rays(layout.points_mm, layout.ends_of(np.arange(layout.n_bins)))
    return lines, ImageGrid((2, 8, 8), (2.0, 2.0, 2.0))


def sinogram_rays(on: Backend) -> RayProjector:
    lines, grid = sinogram_layout_rays()
    return RayProjector(lines, grid, on=on, reproducible=True)


def cone(on: Backend, grid: ImageGrid = VOLUME, **options: str) -> XrayTransform:
    scan = circular_cone(
        circle(12), source_axis_mm=60.0, source_detector_mm=90.0, shape=(10, 9), pixel_mm=2.0
    )
    return XrayTransform(scan, grid, on=on, **options)


def spiral(on: Backend) -> XrayTransform:
    scan = helical(
        circle(12),
        pitch_mm=9.0,
        source_axis_mm=60.0,
        source_detector_mm=90.0,
        shape=(10, 9),
        pixel_mm=2.0,
    )
    return XrayTransform(scan, THICK, on=on)


def fan_beam(on: Backend) -> XrayTransform:
    scan = fan(circle(12), source_axis_mm=60.0, source_detector_mm=90.0, n_columns=9, pixel_mm=2.0)
    return XrayTransform(scan, ImageGrid((1, 7, 6), (1.5, 1.4, 1.3)), on=on)


def parallel_beam(on: Backend, adjoint: str = "matched") -> XrayTransform:
    scan = parallel(circle(12), shape=(5, 9), pixel_mm=1.5)
    return XrayTransform(scan, VOLUME, on=on, adjoint=adjoint)


def slabs(on: Backend) -> SlabbedXrayTransform:
    scan = cone(on).geometry
    parts = Parts(pieces(VOLUME.shape[0], 2), pieces(scan.n_views, 4))
    return SlabbedXrayTransform(scan, VOLUME, parts, on=on)


def stored(on: Backend) -> MatrixProjector:
    shape = {"n_rows": 4, "n_columns": 3, "n_planes": 3, "voxels_per_pitch": 2}
    return MatrixProjector(random_response(panels(**shape)), on=on)


KINDS: dict[str, Callable[[Backend], LinearOperator]] = {
    "rays": lambda on: RayProjector(rays(), GRID, on=on),
    "rays, float64": lambda on: RayProjector(rays(), GRID, on=on, dtype="float64"),
    "rays with time of flight": lambda on: RayProjector(timed_rays(), GRID, on=on, tof=TOF),
    "reproducible rays": lambda on: RayProjector(
        timed_rays(), GRID, on=on, tof=TOF, reproducible=True
    ),
    "subset of rays": lambda on: RayProjector(rays(), GRID, on=on).subset(1, 3),
    "ring sinogram": sinogram_rays,
    "stored response": stored,
    "subset of a stored response": lambda on: stored(on).subset(0, 2),
    "layers": lambda on: LayeredProjector(layered_response(), on=on),
    "cone beam": cone,
    "thick cone beam": lambda on: cone(on, THICK),
    "voxel-driven cone beam": lambda on: cone(on, adjoint="voxel"),
    "voxel-driven thick cone beam": lambda on: cone(on, THICK, adjoint="voxel"),
    "subset of a cone beam": lambda on: cone(on).subset(2, 4),
    "helix": spiral,
    "fan beam": fan_beam,
    "parallel beam": parallel_beam,
    "voxel-driven parallel beam": lambda on: parallel_beam(on, "voxel"),
    "slabs": slabs,
    "point spread": lambda on: PointSpreadBlur(uniform_spread(4.0), VOLUME),
    "Gaussian": lambda on: GaussianBlur(4.0, VOLUME),
    "gradient": lambda on: Gradient((3, 4, 5), (2.0, 1.0, 1.5)),
    "combination": lambda on: stack(
        Diagonal(np.full(480, 2, np.float32)) @ RayProjector(rays(), GRID, on=on),
        0.5 * Identity(GRID.shape),
    ),
}
"""Function that creates the operator on a device, by kind."""


def inputs(A: LinearOperator, n: int, seed: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return n images and n sets of values."""
    rng = np.random.default_rng(seed)
    return [
        (rng.random(A.in_shape, np.float32), rng.random(A.out_shape, np.float32)) for _ in range(n)
    ]


def results(A: LinearOperator, x: np.ndarray, y: np.ndarray) -> tuple[bytes, bytes]:
    """Return the bits of A x and Aᵀ y."""
    return np.asarray(A(x)).tobytes(), np.asarray(A.T(y)).tobytes()
