"""Gaussian smoothing of volumes, where they are: the same bits on every device."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.backend import gpu_of
from engine.kernels.smoothing import device_gaussian, gaussian

TRUNCATE = 4.0
"""Standard deviations at which a Gaussian ends, unless somebody asks for others."""


def smoothed(image: Array, sigmas: tuple[float, ...], truncate: float = TRUNCATE) -> Array:
    """Return a volume smoothed by standard deviations in voxels, along z, y and x.

    Beyond its border the volume goes on as its mirror image, so that no counts are lost and uniform
    stays uniform. Weights and sums are double.

    Parameters
    ----------
    image
        (n_z, n_y, n_x) float32 or float64, of numpy or of a GPU; others become float32
    sigmas
        standard deviations [voxels]; 0 leaves an axis as it is
    truncate
        standard deviations at which the Gaussian ends

    Examples
    --------
    >>> import numpy as np
    >>> point = np.zeros((1, 1, 7), np.float32)
    >>> point[0, 0, 3] = 1
    >>> smoothed(point, (0.0, 0.0, 1.0))[0, 0].round(3).tolist()[2:5]
    [0.24199999868869781, 0.39899998903274536, 0.24199999868869781]
    """
    if image.dtype not in (np.float32, np.float64):
        image = image.astype(np.float32)
    weights = tuple(
        gaussian.weights_of(sigma, truncate) if sigma > gaussian.LEAST_SIGMA else None
        for sigma in sigmas
    )
    if module_of(image) is np:
        return gaussian.smooth(image, weights)
    return device_gaussian.smooth(image, weights, gpu_of(image))
