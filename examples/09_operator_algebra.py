"""Operators as matrices: A @ x, Aᵀ, products, sums, stacks, norms, and a solver of scipy."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import lsqr

import engine
from engine.operators.algebra import Diagonal, Identity, stack

orbit = engine.circular_cone(
    np.linspace(0, 2 * np.pi, 16, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=800,
    shape=(4, 24),
    pixel_mm=4,
)
grid = engine.ImageGrid(shape=(4, 16, 16), voxel_mm=(3.0, 3.0, 3.0))
A = engine.XrayTransform(orbit, grid, on=engine.cpu())
print(A)
print(f"{A.shape[0]:,} rays of {A.shape[1]:,} voxels, ‖A‖ = {A.norm():.1f} mm")

rng = np.random.default_rng(1)
x = rng.random(A.in_shape, dtype=np.float32)
y = rng.random(A.out_shape, dtype=np.float32)

# the adjoint: ⟨A x, y⟩ = ⟨x, Aᵀ y⟩
left, right = np.vdot(A @ x, y), np.vdot(x, A.T @ y)
print(f"⟨A x, y⟩ = {left:.4f}, ⟨x, Aᵀ y⟩ = {right:.4f}")

# weights, and a regularised system: W A above √τ I
W = Diagonal(np.sqrt(y))
B = stack(W @ A, 0.5 * Identity(A.in_shape))
normal = A.T @ W.T @ W @ A + 0.25 * Identity(A.in_shape)
difference = np.abs(B.T @ (B @ x) - normal @ x).max() / np.abs(normal @ x).max()
print(f"BᵀB = AᵀWᵀWA + τI to {difference:.0e}")

# any solver that takes matrices takes operators
found = lsqr(A.as_scipy(), (A @ x).ravel(), damp=0.1, iter_lim=30)[0].reshape(A.in_shape)
misfit = np.linalg.norm(A @ found.astype(np.float32) - A @ x) / np.linalg.norm(A @ x)
print(f"lsqr explains the data to {100 * misfit:.1f} %")

if not (np.isclose(left, right, rtol=1e-4) and difference < 1e-4 and misfit < 0.05):
    raise SystemExit("the algebra does not hold")
