"""Blur of an image by the point spread of a scanner, with its exact adjoint.

    (K f)_i = Σ_n K_in f_n,    Σ_i K_in = 1,    K = P Z

The activity of a voxel is distributed over its neighbours without loss: columns sum to 1. A
Gaussian sampled at voxels of its own width is far too narrow. The weights

    T_k(t) = e^(−t) I_k(t),    Σ T_k = 1,    Σ k² T_k = t

(Lindeberg, IEEE Trans Pattern Anal Mach Intell 12 (1990) 234) have exactly the variance t, however
narrow. Z blurs along the axis. P blurs along x, y and one of the diagonals, which gives the
Gaussian a direction: variances a along x and b along y and a covariance c, in pixels, become |c|
along the diagonal, a − |c| along x and b − |c| along y. A Gaussian longer than 2.4 times its width,
between an axis and a diagonal, is turned slightly towards the axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of
from engine.core.backend import gpu_of
from engine.core.backend.gpu import Gpu
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import MIN_WEIGHT, PointSpread, uniform_spread
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.kernels.smoothing.device_point_spread import SparseElements, applied
from engine.operators.base import Definition, LinearOperator, created

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class PointSpreadBlur(LinearOperator):
    """Operator that blurs an image by the resolution of the scanner.

    Parameters
    ----------
    spread : widths by distance from the axis, or one full width at half maximum [mm]
    grid : grid of the image; the axis is x = y = 0

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid((9, 9, 9), (2.0, 2.0, 2.0))
    >>> K = engine.PointSpreadBlur(4.0, grid)
    >>> point = np.zeros((9, 9, 9), np.float32)
    >>> point[4, 4, 4] = 1
    >>> round(float(K(point).sum()), 4)
    1.0
    """

    adjoint_rtol = 1e-5

    def __init__(self, spread: PointSpread | float, grid: ImageGrid) -> None:
        spread = spread if isinstance(spread, PointSpread) else uniform_spread(spread)
        self.spread, self._grid = spread, grid
        self.in_shape = self.out_shape = grid.shape
        self._matrices = axial_matrix(spread, grid), plane_matrix(spread, grid)
        self._turned = tuple(matrix.T.tocsr() for matrix in self._matrices)
        self._there: dict[Gpu, tuple[SparseElements, ...]] = {}

    def __reduce__(self) -> Definition:
        return created(type(self), self.spread, self._grid)

    def forward(self, x: Array) -> Array:
        """Return K x."""
        return self._blurred(x, self._matrices, 0)

    def adjoint(self, y: Array) -> Array:
        """Return Kᵀ y."""
        return self._blurred(y, self._turned, 2)

    def _blurred(self, x: Array, matrices: tuple[csr_matrix, ...], first: int) -> Array:
        """Apply a matrix between planes and one between the pixels of each plane."""
        if module_of(x) is np:
            axial, plane = matrices
            # All planes as one matrix product: a loop over lines would be slow in Python.
            along = np.asarray(axial @ x.reshape(len(x), -1), x.dtype)
            across = np.asarray(plane @ np.ascontiguousarray(along.T), x.dtype)
            return np.ascontiguousarray(across.T).reshape(x.shape)
        # our own kernel: libraries would need transposed copies before and after
        gpu = gpu_of(x)
        planes, pixels = self._elements(gpu)[first : first + 2]
        here = gpu.xp.ascontiguousarray(x)
        return applied(gpu, "across", pixels, applied(gpu, "along", planes, here))

    def _elements(self, gpu: Gpu) -> tuple[SparseElements, ...]:
        """Return the matrices and their transposes on a GPU, copied once."""
        # all four at once: each update needs both directions
        if gpu not in self._there:
            all_four = (*self._matrices, *self._turned)
            self._there[gpu] = tuple(SparseElements.upload(gpu, each) for each in all_four)
        return self._there[gpu]


def axial_matrix(spread: PointSpread, grid: ImageGrid) -> csr_matrix:
    """Return Z, (n_z, n_z); column k is the blurred plane k.

    Parameters
    ----------
    spread
        widths of the scanner
    grid
        grid of the image
    """
    n = grid.shape[0]
    sigma = spread.axial_at(grid.centres_mm(axis=2)) / FWHM_PER_SIGMA / grid.voxel_mm[2]
    # Widths change along the axis, so each plane has its own weights.
    table = _weights(sigma**2)
    plane, found = np.arange(n), _Elements(n)
    for k in range(-len(table) + 1, len(table)):
        target = plane + k
        found.add(target, table[abs(k)], (target >= 0) & (target < n))
    return found.columns_to_one()


def plane_matrix(spread: PointSpread, grid: ImageGrid) -> csr_matrix:
    """Return P, (n_y n_x, n_y n_x); column n is the blurred pixel n.

    Parameters
    ----------
    spread
        widths of the scanner
    grid
        grid of the image
    """
    n_y, n_x = grid.shape[1:]
    along_x, along_y, along = _variances(spread, grid)
    # The sign of the covariance selects the diagonal or the antidiagonal.
    turn = np.where(along < 0, -1, 1)
    x, y, diagonal = (_weights(t) for t in (along_x, along_y, np.abs(along)))
    row, column = np.divmod(np.arange(n_y * n_x), n_x)
    found = _Elements(n_y * n_x)
    most = len(diagonal) - 1
    # Loops over the steps, vectorised over all pixels: there are few steps and many pixels.
    for step_y in range(-len(y) - most + 1, len(y) + most):
        for step_x in range(-len(x) - most + 1, len(x) + most):
            weight = np.zeros(n_y * n_x)
            for k in range(-most, most + 1):
                over_x, over_y = abs(step_x - k), abs(step_y - k)
                if over_x < len(x) and over_y < len(y):
                    weight += diagonal[abs(k)] * x[over_x] * y[over_y]
            to_y, to_x = row + step_y, column + turn * step_x
            inside = (to_y >= 0) & (to_y < n_y) & (to_x >= 0) & (to_x < n_x)
            found.add(to_y * n_x + to_x, weight, inside)
    return found.columns_to_one()


def _variances(
    spread: PointSpread, grid: ImageGrid
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the variances along x, y and a diagonal [pixels²]; the sign selects the diagonal."""
    y, x = (a.ravel() for a in np.meshgrid(*(grid.centres_mm(k) for k in (1, 0)), indexing="ij"))
    radius = np.hypot(x, y)
    radial, across = (
        (np.interp(radius, spread.radius_mm, width) / FWHM_PER_SIGMA) ** 2
        for width in (spread.radial_mm, spread.tangential_mm)
    )
    # on the axis no direction is radial; x is as good as any other
    cosine = np.divide(x, radius, out=np.ones_like(x), where=radius > 0)
    sine = np.divide(y, radius, out=np.zeros_like(y), where=radius > 0)
    v_x, v_y = grid.voxel_mm[:2]
    rows = (radial * cosine**2 + across * sine**2) / v_x**2
    columns = (radial * sine**2 + across * cosine**2) / v_y**2
    both = (radial - across) * cosine * sine / (v_x * v_y)
    # The covariance is limited so that the variances along x and y stay positive.
    both = np.clip(both, -np.minimum(rows, columns), np.minimum(rows, columns))
    return rows - np.abs(both), columns - np.abs(both), both


def _weights(variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return T_k of each variance, (k, n), up to the last weight that matters."""
    from scipy import special

    table = [special.ive(0, variance)]
    while (further := special.ive(len(table), variance)).max() > MIN_WEIGHT:
        table.append(further)
    return np.array(table)


class _Elements:
    """Collects the elements of a matrix (n, n), one for each column at a time."""

    def __init__(self, n: int) -> None:
        self._n, self._column = n, np.arange(n)
        self._rows: list[NDArray[np.int64]] = []
        self._columns: list[NDArray[np.int64]] = []
        self._weights: list[NDArray[np.float64]] = []

    def add(
        self, rows: NDArray[np.int64], weights: NDArray[np.float64], which: NDArray[np.bool_]
    ) -> None:
        """Add an element to each column, except negligible ones.

        Parameters
        ----------
        rows
            (n,) rows of the elements
        weights
            (n,) values
        which
            (n,) mask of the columns
        """
        is_used = which & (weights > MIN_WEIGHT)
        self._rows.append(rows[is_used])
        self._columns.append(self._column[is_used])
        self._weights.append(weights[is_used])

    def columns_to_one(self) -> csr_matrix:
        """Return the matrix, its columns scaled to a sum of 1."""
        row, column = np.concatenate(self._rows), np.concatenate(self._columns)
        weight = np.concatenate(self._weights)
        # Weights outside of the image and below the threshold are missing; scaling preserves the
        # counts.
        weight = (weight / np.bincount(column, weight, self._n)[column]).astype(np.float32)
        from scipy.sparse import csr_matrix

        return csr_matrix((weight, (row, column)), shape=(self._n,) * 2)
