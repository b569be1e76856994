"""Small dense linear systems, and a small X-ray scan of discs."""

import numpy as np

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.operators.base import LinearOperator
from engine.operators.xray.transform import XrayTransform
from engine.recon.model import LinearModel
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder
from engine.simulate.xray import simulate_integrals


class Dense(LinearOperator):
    """A dense matrix as operator: columns are voxels of an image, rows are (view, ray)."""

    def __init__(self, elements, shape, rays=1, adjoint=None):
        self.elements = elements
        self.transposed = elements.T if adjoint is None else adjoint
        self.in_shape, self.out_shape = shape, (len(elements) // rays, rays)

    def forward(self, x):
        return (self.elements @ x.reshape(-1)).reshape(self.out_shape)

    def adjoint(self, y):
        return (self.transposed @ y.reshape(-1)).reshape(self.in_shape)


def system(rng, *, n_rows=40, shape=(4, 5), noise=0.5, rays=1):
    """Return non-negative sparse weights, a true image with zeros, and noisy data."""
    n = int(np.prod(shape))
    elements = rng.random((n_rows, n)) * (rng.random((n_rows, n)) < 0.4)
    truth = np.maximum(rng.standard_normal(shape), 0)
    A = Dense(elements, shape, rays)
    return LinearModel(A, A(truth) + noise * rng.standard_normal(A.out_shape)), truth


def discs(rng, *, noise=0.02, n=48, n_views=60):
    """Return a disc that contains denser and emptier discs, one slice, and exact projections."""
    grid = ImageGrid((1, n, n), (1.0, 1.0, 1.0))
    geometry = circular_cone(
        circle(n_views),
        source_axis_mm=300,
        source_detector_mm=400,
        shape=(1, 96),
        pixel_mm=1.0,
    )
    phantom = ShapePhantom(
        "discs",
        (
            Cylinder((0, 0, 0), (20, 20, 9), mu_per_mm=0.02),
            Cylinder((8, 0, 0), (6, 6, 9), mu_per_mm=0.01),
            Cylinder((-8, 2, 0), (5, 5, 9), mu_per_mm=-0.01),
        ),
    )
    truth = phantom.rasterise(grid, "mu", oversample=4).values
    A = XrayTransform(geometry, grid, on=cpu(2))
    y = simulate_integrals(phantom, geometry, oversample=2).values
    drawn = rng.standard_normal(A.out_shape).astype(np.float32)
    return LinearModel(A, y + noise * drawn, spacing_mm=grid.voxel_mm[::-1]), truth


def zeros(model):
    return np.zeros(model.A.in_shape, model.y.dtype)


def last(steps):
    return [step.image for step in steps][-1]


def error(x, truth):
    """Return the root mean square error relative to that of an empty image."""
    return float(np.linalg.norm(x - truth) / np.linalg.norm(truth))
