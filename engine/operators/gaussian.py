"""Gaussian smoothing of volumes on any device, with identical bits."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.backend import gpu_of
from engine.kernels.smoothing import gaussian

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
        gaussian.weights_of(sigma, truncate) if sigma > gaussian.LEAST_SIGMA else None
        for sigma in sigmas
    )
    # Both implementations use the same order of operations, so the bits agree.
    if module_of(image) is np:
        return gaussian.smooth(image, weights)
    from engine.kernels.smoothing import device_gaussian

    return device_gaussian.smooth(image, weights, gpu_of(image))
