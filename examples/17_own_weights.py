"""A back projection of your own: CUDA text with a NumPy twin, and different weights."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import map_coordinates

import isocenter as iso


def slants(geometry: iso.XrayGeometry, grid: iso.ImageGrid) -> Any:
    """Return V / area, (u / D)² and (v / D)² of each view."""
    (u, v), d = geometry.pixel_size_mm, geometry.source_detector_mm
    return np.stack([0 * d + np.prod(grid.voxel_mm) / (u * v), (u / d) ** 2, (v / d) ** 2], axis=1)


def weighted(values: Any, matrices: Any, slants: Any, sizes: Any, out: Any) -> None:
    """Add V / area / (τ² cos φ) times the value of the detector, for each voxel and view."""
    z, y, x = np.ogrid[tuple(slice((1 - n) / 2, n / 2) for n in out.shape)]
    for view, m, (scale, u, v) in zip(values, matrices, slants, strict=True):
        a, b, tau = (row[0] * x + row[1] * y + row[2] * z + row[3] for row in m)
        a, b = a / tau, b / tau
        pixel = b + (view.shape[0] - 1) / 2, a + (view.shape[1] - 1) / 2
        seen = map_coordinates(view, pixel, order=1, mode="grid-constant")
        out += scale * np.sqrt(1 + u * a**2 + v * b**2) / tau**2 * seen


orbit = iso.circular_cone(
    np.arange(36) * 0.1745, source_axis_mm=300, source_detector_mm=450, shape=(32, 40), pixel_mm=3
)
grid = iso.ImageGrid(shape=(20, 24, 24), voxel_mm=(2.0, 2.0, 2.0))
text = Path(__file__).with_suffix(".cu")
back = iso.UserKernel(weighted, text, reads=(slants,), choices={"PER_THREAD": (1, 2, 4)})
# the tolerance is measured: our projection interpolates in the volume
A = iso.XrayTransform(orbit, grid, on=iso.best()).with_kernels(back=back, adjoint=0.003)
print(iso.check_operator(A))
