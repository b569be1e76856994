"""Gaussian smoothing of volumes on any device, with identical bits."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.backend import gpu_of
from engine.core.errors import SettingsError
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.kernels.smoothing import gaussian
from engine.operators.base import Definition, LinearOperator, created

TRUNCATE = 4.0
"""Default truncation of a Gaussian, in standard deviations."""


def smoothed(image: Array, sigmas: tuple[float, ...], truncate: float = TRUNCATE) -> Array:
    """Return a volume smoothed by a Gaussian along z, y and x.

    The volume is mirrored at its border: no counts are lost, and a uniform volume
    stays uniform. Weights and sums are float64.

    Parameters
    ----------
    image
        (n_z, n_y, n_x) float32 or float64, NumPy or GPU array; other types become float32
    sigmas
        standard deviations along z, y, x [voxels]; 0 does not smooth this axis
    truncate
        truncation in standard deviations

    Examples
    --------
    >>> import numpy as np
    >>> point = np.zeros((1, 1, 7), np.float32)
    >>> point[0, 0, 3] = 1
    >>> smoothed(point, (0.0, 0.0, 1.0))[0, 0].round(3).tolist()[2:5]
    [0.24199999868869781, 0.39899998903274536, 0.24199999868869781]
    """
    # Integer images, such as masks, would lose their fractions.
    if image.dtype not in (np.float32, np.float64):
        image = image.astype(np.float32)
    weights = tuple(
        gaussian.weights_of(sigma, truncate) if sigma > gaussian.MIN_SIGMA else None
        for sigma in sigmas
    )
    # Both implementations use the same order of operations, so the bits agree.
    if module_of(image) is np:
        return gaussian.smooth(image, weights)
    from engine.kernels.smoothing import device_gaussian

    return device_gaussian.smooth(image, weights, gpu_of(image))


class GaussianBlur(LinearOperator):
    """Gaussian filter as an operator; it equals its adjoint.

    Its image is that of `engine.filters.Gaussian`: mirrored at the border, so no counts are lost.

    Parameters
    ----------
    fwhm_mm : full width at half maximum along every axis [mm]
    grid : grid of the image

    Raises
    ------
    SettingsError
        if the width is not positive

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid((9, 9, 9), (2.0, 2.0, 2.0))
    >>> G = engine.GaussianBlur(5.0, grid)
    >>> point = np.zeros((9, 9, 9), np.float32)
    >>> point[4, 4, 4] = 1
    >>> round(float((G @ point).sum()), 4)
    1.0
    """

    # Both directions are the same sums, rounded to float32.
    adjoint_rtol = 1e-5

    def __init__(self, fwhm_mm: float, grid: ImageGrid) -> None:
        if not 0 < fwhm_mm < np.inf:
            raise SettingsError(
                f"the width of a Gaussian is {fwhm_mm:g} mm; it must be positive and finite."
            )
        self.fwhm_mm, self.grid = fwhm_mm, grid
        self.in_shape = self.out_shape = grid.shape
        z, y, x = (fwhm_mm / FWHM_PER_SIGMA / v for v in grid.voxel_mm[::-1])
        self._sigmas = (z, y, x)

    def __reduce__(self) -> Definition:
        return created(type(self), self.fwhm_mm, self.grid)

    def forward(self, x: Array) -> Array:
        """Return G x."""
        return smoothed(x, self._sigmas)

    def adjoint(self, y: Array) -> Array:
        """Return Gᵀ y = G y."""
        return smoothed(y, self._sigmas)
