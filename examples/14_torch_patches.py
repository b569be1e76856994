"""Back projection of patches as a layer of PyTorch: the workload of a figure, on this machine.

Graas et al., "ASTRA KernelKit", Fig. 2: cone-beam back projection of a (1, N, N) patch from 1000
views of (1, N) pixels, and of an (N, N, N) volume from (N, N) pixels. The layer is A.patch(...).T.
It runs on the GPU if there is one. Needs PyTorch (`pip install isocenter[torch]`).
"""

from __future__ import annotations

import time

import numpy as np
import torch

import isocenter as iso

N_VIEWS, SAMPLES = 1000, 5
on = iso.best()
place = "cuda" if on.is_cuda else "cpu"


def seconds_of(layer: torch.nn.Module, y: torch.Tensor) -> float:
    """Return the median time of a forward pass, without the first one, which compiles."""
    times = []
    with torch.no_grad():
        for _ in range(SAMPLES + 1):
            begun = time.perf_counter()
            layer(y)
            if y.is_cuda:
                torch.cuda.synchronize()
            times.append(time.perf_counter() - begun)
    return float(np.median(times[1:]))


print(f"{on.label}, {N_VIEWS} views, median of {SAMPLES} passes")
for n, n_rows in ((50, 1), (100, 1), (200, 1), (20, 20), (30, 30), (40, 40)):
    orbit = iso.circular_cone(
        np.linspace(0, 2 * np.pi, N_VIEWS, endpoint=False),
        source_axis_mm=500,
        source_detector_mm=600,
        shape=(n_rows, n),
        pixel_mm=1.2,
    )
    # a volume of twice the size; the patch is its middle
    grid = iso.ImageGrid((2 * n_rows, 2 * n, 2 * n), (1.0, 1.0, 1.0))
    whole = iso.XrayTransform(orbit, grid, on=on, adjoint="voxel")
    across = slice(n // 2, n // 2 + n)
    middle = slice(n_rows // 2, n_rows // 2 + n_rows), across, across
    patch = whole.patch(middle)
    y = torch.rand(orbit.n_views, n_rows, n, device=place)
    layer = patch.T.as_torch()

    # the derivative is the projection of the patch: ⟨Aᵀ y, x⟩ = ⟨y, A x⟩ up to interpolation
    x = torch.rand(patch.in_shape, device=place)
    (gradient,) = torch.autograd.grad((layer(y.requires_grad_()) * x).sum(), y)
    y = y.detach()
    same = torch.allclose(gradient, patch.as_torch()(x), rtol=1e-4)
    inside = torch.allclose(layer(y), whole.T.as_torch()(y)[middle], rtol=1e-3)
    layer_ms = 1000 * seconds_of(layer, y)
    print(f"patch of {patch.in_shape}: {layer_ms:.1f} ms")
    if not (same and inside):
        raise SystemExit("the layer must be a block of the whole, with its transpose as derivative")
