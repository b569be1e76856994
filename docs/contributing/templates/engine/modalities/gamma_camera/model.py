"""System model of the gamma camera: E[y] = A x.

A voxel at (x, y) sends 1 / n_views of its counts into each view. They fall on the two bins next to
u = x cos θ + y sin θ, with the weights of linear interpolation. There is no attenuation, no scatter
and no blur of the collimator. The image is the number of detected counts of each voxel, so that its
sum is the number of counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from engine.core.arrays import Array
from engine.modalities.gamma_camera.scan import GammaScan
from engine.operators.base import LinearOperator
from engine.recon.model import BinnedModel


class CameraProjector(LinearOperator):
    """All views of an image; rows of the camera are independent.

    Parameters
    ----------
    views : for each view a matrix (n_bins, n_y · n_x)
    n_rows : number of planes of the image
    """

    adjoint_rtol = 1e-5

    def __init__(self, views: list[csr_array], n_rows: int) -> None:
        self._views = views
        self._matrix = vstack(views, format="csr")
        n_bins = views[0].shape[0]
        self.in_shape = (n_rows, n_bins, n_bins)
        self.out_shape = (len(views), n_rows, n_bins)

    def forward(self, x: Array) -> Array:
        n_views, n_rows, n_bins = self.out_shape
        sums = self._matrix @ x.reshape(n_rows, -1).T
        return np.ascontiguousarray(sums.reshape(n_views, n_bins, n_rows).transpose(0, 2, 1))

    def adjoint(self, y: Array) -> Array:
        rows = y.transpose(0, 2, 1).reshape(-1, self.out_shape[1])
        # The transpose of the same matrix: the pair is exact, so that MLEM converges.
        return np.ascontiguousarray((self._matrix.T @ rows).T).reshape(self.in_shape)

    def subset(self, k: int, of: int) -> CameraProjector:
        return CameraProjector(self._views[k::of], self.in_shape[0])


def projector(scan: GammaScan) -> CameraProjector:
    """Return the operator of a scan."""
    n_views, n_rows, n_bins = scan.counts.shape
    angles = 2 * np.pi * np.arange(n_views) / n_views
    return CameraProjector([_view(angle, n_bins) / n_views for angle in angles], n_rows)


def _view(angle: float, n: int) -> csr_array:
    """Return the weights (n bins, n · n voxels) of one view; lengths are in pixels."""
    centres = np.arange(n) - (n - 1) / 2
    y, x = np.meshgrid(centres, centres, indexing="ij")
    u = (x * np.cos(angle) + y * np.sin(angle)).ravel() + (n - 1) / 2
    left = np.floor(u).astype(int)
    bins = np.concatenate([left, left + 1])
    weights = np.concatenate([left + 1 - u, u - left]).astype(np.float32)
    voxels = np.tile(np.arange(n * n), 2)
    inside = (bins >= 0) & (bins < n)  # the corners leave the field of view
    return csr_array((weights[inside], (bins[inside], voxels[inside])), shape=(n, n * n))


def build(scan: GammaScan, *, n_subsets: int) -> BinnedModel:
    """Return the model; each subset computes its own sensitivity."""
    A, none = projector(scan), np.zeros(scan.counts.shape, np.float32)
    if n_subsets == 1:
        return BinnedModel.of(A, none, scan.counts)
    return BinnedModel(A, none, np.zeros((), np.float32), scan.counts)


def uniform_start(scan: GammaScan) -> NDArray[np.float32]:
    """Return the uniform image with the counts of the scan."""
    shape = scan.grid.shape
    return np.full(shape, scan.counts.sum(dtype=np.float64) / np.prod(shape), np.float32)
