"""Blur of an image by the point spread of a scanner, with its exact adjoint.

    (K f)_i = Σ_n K_in f_n,    Σ_i K_in = 1

A voxel's activity is shared out over its neighbours, and none is lost: columns sum to 1. In the
plane K is a sparse matrix of pixels, whose column n is a Gaussian about pixel n, as long radially
and tangentially as the point spread says. Along the axis, or everywhere if the spread is the same
everywhere, it is a Gaussian that goes on beyond the border as its mirror image: its own adjoint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, module_of
from engine.backend.filters import ndimage_of, sparse_of
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import PointSpread
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.operators.base import LinearOperator

_REACH_SIGMAS = 3.5
"""A Gaussian of the plane ends here: 0.05 % of it lie beyond."""
_TRUNCATE = 4.0


class PointSpreadBlur(LinearOperator):
    """Images to images as blurred as the scanner sees them.

    Parameters
    ----------
    spread : widths by distance from the axis
    grid : of the image; its axis is x = y = 0

    Examples
    --------
    >>> import numpy as np
    >>> from engine.geometry.grid import ImageGrid
    >>> from engine.geometry.point_spread import uniform_spread
    >>> from engine.operators.point_spread import PointSpreadBlur
    >>> K = PointSpreadBlur(uniform_spread(4.0), ImageGrid((9, 9, 9), (2.0, 2.0, 2.0)))
    >>> point = np.zeros((9, 9, 9), np.float32)
    >>> point[4, 4, 4] = 1
    >>> round(float(K(point).sum()), 4)
    1.0
    """

    adjoint_rtol = 1e-5

    def __init__(self, spread: PointSpread, grid: ImageGrid) -> None:
        self.spread = spread
        self.in_shape = self.out_shape = grid.shape
        x, y, z = grid.voxel_mm
        self._axial = spread.axial_mm / FWHM_PER_SIGMA / z
        self._matrices: tuple[Array, ...] = ()
        self._sigmas: tuple[float, ...] = ()
        if spread.is_uniform:
            width = float(spread.tangential_mm[0]) / FWHM_PER_SIGMA
            self._sigmas = (self._axial, width / y, width / x)
        else:
            self._matrices = plane_matrices(spread, grid)
        self._placed: dict[object, tuple[Array, ...]] = {}

    def forward(self, x: Array) -> Array:
        """K x."""
        if not self._matrices:
            return _smooth(x, self._sigmas)
        return _smooth(self._in_plane(self._beside(x)[0], x), (self._axial, 0.0, 0.0))

    def adjoint(self, y: Array) -> Array:
        """Kᵀ y."""
        if not self._matrices:
            return _smooth(y, self._sigmas)
        return self._in_plane(self._beside(y)[1], _smooth(y, (self._axial, 0.0, 0.0)))

    def _beside(self, x: Array) -> tuple[Array, ...]:
        """Return the matrix of pixels and its transpose where an image is."""
        module = sparse_of(x)
        if module not in self._placed:  # copied to a GPU once, not at every call
            self._placed[module] = tuple(map(module.csr_matrix, self._matrices))
        return self._placed[module]

    def _in_plane(self, matrix: Array, x: Array) -> Array:
        """Apply a matrix of pixels to every plane."""
        blurred = (matrix @ x.reshape(len(x), -1).T).T
        xp = module_of(x)
        return xp.ascontiguousarray(xp.asarray(blurred, x.dtype)).reshape(x.shape)


def _smooth(image: Array, sigmas: tuple[float, ...]) -> Array:
    out = module_of(image).empty_like(image)
    smooth = ndimage_of(image).gaussian_filter
    smooth(image, sigmas, output=out, mode="reflect", truncate=_TRUNCATE)
    return out


def plane_matrices(spread: PointSpread, grid: ImageGrid) -> tuple[Array, Array]:
    """Return the (n_y n_x, n_y n_x) matrix of a plane, and its transpose.

    Column n is what becomes of pixel n.
    """
    xs, ys = grid.centres_mm(axis=0), grid.centres_mm(axis=1)
    y, x = (a.ravel() for a in np.meshgrid(ys, xs, indexing="ij"))
    radius = np.hypot(x, y)
    radial = np.interp(radius, spread.radius_mm, spread.radial_mm) / FWHM_PER_SIGMA
    across = np.interp(radius, spread.radius_mm, spread.tangential_mm) / FWHM_PER_SIGMA
    # on the axis no direction is radial, and x is as good as any
    ux = np.divide(x, radius, out=np.ones_like(x), where=radius > 0)
    uy = np.divide(y, radius, out=np.zeros_like(y), where=radius > 0)
    reach = _REACH_SIGMAS * max(radial.max(), across.max())
    n_x, n_y = len(xs), len(ys)
    half_x, half_y = (max(1, int(np.ceil(reach / v))) for v in grid.voxel_mm[:2])
    column = np.arange(n_x * n_y)
    rows, columns, weights = [], [], []
    for step_y in range(-half_y, half_y + 1):
        for step_x in range(-half_x, half_x + 1):
            dx, dy = step_x * grid.voxel_mm[0], step_y * grid.voxel_mm[1]
            along, beside = dx * ux + dy * uy, dy * ux - dx * uy
            square = (along / radial) ** 2 + (beside / across) ** 2
            target_x, target_y = column % n_x + step_x, column // n_x + step_y
            kept = (square <= _REACH_SIGMAS**2) | ((step_x == 0) & (step_y == 0))
            kept &= (target_x >= 0) & (target_x < n_x) & (target_y >= 0) & (target_y < n_y)
            rows.append((target_y * n_x + target_x)[kept])
            columns.append(column[kept])
            weights.append(np.exp(-square[kept] / 2))
    return _columns_to_one(rows, columns, weights, n_x * n_y)


def _columns_to_one(
    rows: list[NDArray[np.int64]],
    columns: list[NDArray[np.int64]],
    weights: list[NDArray[np.float64]],
    n: int,
) -> tuple[Array, Array]:
    """Gather elements into a matrix whose columns sum to 1, and its transpose."""
    row, column, weight = np.concatenate(rows), np.concatenate(columns), np.concatenate(weights)
    weight /= np.bincount(column, weight, n)[column]
    weight, module = weight.astype(np.float32), sparse_of(weight)
    return (
        module.csr_matrix((weight, (row, column)), shape=(n, n)),
        module.csr_matrix((weight, (column, row)), shape=(n, n)),
    )
