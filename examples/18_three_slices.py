"""Another output shape: three slices through the middle, and the projection that matches them."""

from pathlib import Path
from typing import Any

import numpy as np

import isocenter as iso


def hats(matrices: Any, sizes: Any) -> tuple[Any, Any]:
    """Return the weights of rows, and of columns with 1 / τ², as (view, pixel, element)."""
    p, q = np.indices((sizes[5], sizes[5])) - (sizes[5] - 1) / 2
    points = np.array([[q, q, 0 * q], [p, 0 * p, q], [0 * p, p, p], np.ones((3, *p.shape))])
    a, b, tau = np.moveaxis(matrices @ points.reshape(4, -1), 1, 0)[:, :, None]
    row, column = (np.arange(n)[:, None] - (n - 1) / 2 for n in sizes[1:3])
    inside = (np.maximum(0, 1 - abs(at)) for at in (b / tau - row, a / tau - column))
    return next(inside), next(inside) / tau**2


def slices(values: Any, matrices: Any, sizes: Any, out: Any) -> None:
    """Add the value of the detector over τ², for each element (slice, p, q) and view."""
    weights = hats(matrices, sizes)
    out += np.einsum("vre,vce,vrc->e", *weights, values, optimize=True).reshape(out.shape)


def project(values: Any, matrices: Any, sizes: Any, out: Any) -> None:
    """Add each element over τ² to four pixels of each view."""
    weights = hats(matrices, sizes)
    out += np.einsum("vre,vce,e->vrc", *weights, values.ravel(), optimize=True)


orbit = iso.circular_cone(
    np.arange(24) * 0.2618, source_axis_mm=300, source_detector_mm=450, shape=(28, 36), pixel_mm=3
)
text = Path(__file__).with_suffix(".cu")
A = iso.XrayTransform(orbit, iso.ImageGrid((20, 20, 20), (2.0, 2.0, 2.0)), on=iso.best())
forward, back = iso.UserKernel(project, text, threads_over="in"), iso.UserKernel(slices, text)
S = A.with_kernels(forward=forward, back=back, shape=(3, 20, 20), adjoint="matched")
print(iso.check_operator(S))
