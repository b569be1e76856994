"""Algorithms as formulas: list-mode MLEM, OSEM and their extensions from public operators.

The extensions are those of Van Gendt et al., Productively Accelerating PET Image Reconstruction on
GPUs with Julia: sensitivity, subsets, attenuation, time of flight and filters. Each image equals
that of the built-in algorithm. `A.em_numerator(x, b)` is x · Aᵀ( 1 / (A x + b) ) in one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import engine
from engine import GaussianBlur, ImageGrid, ListMode, PointSpreadBlur, RayProjector

TINY = 1e-30
"""Avoids 0 / 0 in voxels that no line crosses."""


def model_of(scan: ListMode, grid: ImageGrid) -> tuple[RayProjector, np.ndarray, np.ndarray]:
    """Return A with a row for each event, their background b, and the sensitivity s."""
    model = engine.listmode_model(scan, grid, on=ON)
    if not isinstance(model.A, RayProjector):
        raise TypeError("the rows of list mode must be rays")
    return model.A, model.background, model.sensitivity


def attenuated(scan: ListMode) -> ListMode:
    """Weight all lines by a_i = exp(−Σ l_in μ_n): s becomes Σ_i a_i A_i."""
    return engine.corrections.Attenuation().apply(scan, on=ON)


def without_tof(scan: ListMode) -> ListMode:
    """Drop the TOF bins: a row of A is then the length of the line in each voxel."""
    return replace(scan, tof_bins=None)


def start(s: np.ndarray, n_events: int) -> np.ndarray:
    """Return the uniform image that explains the number of events."""
    return (s > 0) * np.float32(n_events / s.sum(dtype=np.float64))


def scaled(x: np.ndarray, s: np.ndarray, n_events: int) -> np.ndarray:
    """Scale the image: its expected counts Σ s x become the number of events."""
    return x * np.float32(n_events / np.sum(s * x, dtype=np.float64))


def mlem_in_two_passes(
    A: RayProjector, b: np.ndarray, s: np.ndarray, iterations: int
) -> np.ndarray:
    """As on paper: x ← x / s · Aᵀ( 1 / (A x + b) )."""
    x = start(s, len(b))
    for _ in range(iterations):
        x = x / s.clip(TINY) * (A.T @ (1 / (A @ x + b).clip(TINY)))
    return x


def mlem(A: RayProjector, b: np.ndarray, s: np.ndarray, iterations: int) -> np.ndarray:
    """MLEM: x ← x / s · Aᵀ( 1 / (A x + b) )."""
    x = start(s, len(b))
    for _ in range(iterations):
        x = A.em_numerator(x, b)[0] / s.clip(TINY)
    return x


def osem(
    A: RayProjector, b: np.ndarray, s: np.ndarray, iterations: int, subsets: int
) -> np.ndarray:
    """OSEM: x ← max( x / s_k · A_kᵀ( 1 / (A_k x + b_k) ), ρ x ), s_k = s / B."""
    x, least = start(s, len(b)), np.float32(max(0.1, 10 ** (-12 / subsets)))
    for _ in range(iterations):
        for k in range(subsets):
            numerator, _expected = A.subset(k, subsets).em_numerator(x, b[k::subsets])
            x = np.maximum(numerator / (s / subsets).clip(TINY), least * x)
    return scaled(x, s, len(b))


def mlem_with_filter(
    A: RayProjector,
    b: np.ndarray,
    s: np.ndarray,
    iterations: int,
    change: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """MLEM with a filter after each iteration."""
    x = start(s, len(b))
    for _ in range(iterations):
        x = change(A.em_numerator(x, b)[0] / s.clip(TINY))
    return scaled(x, s, len(b))


def mlem_with_resolution(
    A: RayProjector, K: PointSpreadBlur, b: np.ndarray, s: np.ndarray, iterations: int
) -> np.ndarray:
    """Resolution K: x ← x / Kᵀs · Kᵀ Aᵀ( 1 / (A K x + b) )."""
    s = K.T @ s
    x = start(s, len(b))
    for _ in range(iterations):
        z = K @ x
        x = x / s.clip(TINY) * (K.T @ (A.em_numerator(z, b)[0] / z.clip(TINY)))
    return x


def all_extensions(
    scan: ListMode,
    grid: ImageGrid,
    iterations: int,
    subsets: int,
    change: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """OSEM with sensitivity, attenuation, time of flight and a filter after each iteration."""
    A, b, s = model_of(attenuated(scan), grid)
    x, least = start(s, len(b)), np.float32(max(0.1, 10 ** (-12 / subsets)))
    for _ in range(iterations):
        for k in range(subsets):
            numerator, _expected = A.subset(k, subsets).em_numerator(x, b[k::subsets])
            x = np.maximum(numerator / (s / subsets).clip(TINY), least * x)
        x = change(x)
    return scaled(x, s, len(b))


ON = engine.cpu(2)

if __name__ == "__main__":
    ring = engine.read_scanner("demo-ring")
    head = engine.phantoms.uniform_cylinder(diameter_mm=160, length_mm=80)
    scan = engine.simulate_listmode(head, ring, n_prompts=50_000, randoms_fraction=0, seed=1)
    grid = ImageGrid(shape=(20, 40, 40), voxel_mm=(6.0, 6.0, 6.0))

    A, b, s = model_of(attenuated(scan), grid)
    x = mlem(A, b, s, iterations=4)
    model = engine.ListModeModel(A, b, s)
    for step in engine.algorithms.solve(
        engine.algorithms.Mlem(iterations=4), model, start(s, len(b))
    ):
        built_in = step.image
    difference = abs(x - built_in).max() / built_in.max()
    print(f"largest difference from the built-in MLEM: {difference:.1g} of the maximum")
    if difference > 1e-6:
        raise SystemExit("the formula must give the image of the built-in algorithm")

    smooth = GaussianBlur(8.0, grid) @ osem(A, b, s, iterations=2, subsets=8)
    median = engine.filters.Median(size=3)
    combined = all_extensions(scan, grid, 2, 8, lambda x: median.apply(x, grid.voxel_mm))
    for name, image in {"OSEM and a Gaussian": smooth, "all extensions": combined}.items():
        inside = image[6:14, 13:27, 13:27]
        print(f"{name}: noise {100 * inside.std() / inside.mean():.0f} %")
