"""OSEM on arrays of your own: end points of lines, and their counts.

x ← x / s_k · A_kᵀ( y_k / (A_k x + b_k) ) over subsets k of the lines.
"""

from __future__ import annotations

import numpy as np

import engine
from engine.recon.algorithms import Osem, solve

N_DETECTORS, RADIUS_MM = 180, 100.0
grid = engine.ImageGrid(shape=(1, 50, 50), voxel_mm=(2.0, 2.0, 2.0))

# the detectors are on a circle; each pair of them that sees the image is a line
angles = 2 * np.pi * np.arange(N_DETECTORS) / N_DETECTORS
points_mm = RADIUS_MM * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
first, second = np.triu_indices(N_DETECTORS, k=N_DETECTORS // 4)
ends = np.stack([first, second], axis=1).astype(np.int32)
ends = np.random.default_rng(1).permutation(ends)  # subsets k, k + 8, ... are then fair ones

on = engine.cpu()
A = engine.RayProjector(engine.Rays(points_mm, ends), grid, on=on)

truth = np.zeros(grid.shape, np.float32)
truth[:, 15:35, 15:35] = 1.0
truth[:, 20:25, 25:30] = 4.0
rng = np.random.default_rng(2)
background = np.full(A.out_shape, 0.5, np.float32)
counts = rng.poisson(A(truth) + background).astype(np.float32)

model = engine.BinnedModel.of(A, background, counts)
osem = Osem(iterations=4, subsets=8)
for step in solve(osem, model, np.ones(grid.shape, np.float32)):
    print(f"update {step.update}", end=" ")
    image = step.image
print()

error = np.linalg.norm(image - truth) / np.linalg.norm(truth)
print(f"{len(ends):,} lines, {counts.sum():,.0f} counts: error {100 * error:.0f} %")
if error > 0.35:
    raise SystemExit("the image is too far from the truth")
