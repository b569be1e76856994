# %% [markdown]
# # An algorithm of your own
# Operators are matrices that are never stored. Nesterov's accelerated gradient descent for
# ‖A x − y‖² takes six lines.

# %%
import matplotlib.pyplot as plt
import numpy as np

import isocenter as iso

orbit = iso.circular_cone(
    np.linspace(0, 2 * np.pi, 40, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=800,
    shape=(4, 96),
    pixel_mm=4.5,
)
grid = iso.ImageGrid(shape=(3, 72, 72), voxel_mm=(3.5, 3.5, 3.5))
phantom = iso.phantoms.shepp_logan(per_mm=0.02)
y = iso.simulate_integrals(phantom, orbit).values
A = iso.XrayTransform(orbit, grid, on=iso.cpu())

# %%
step = 1 / A.norm(rtol=1e-2) ** 2
x = z = np.zeros(grid.shape, np.float32)
ours = []
for k in range(25):
    before, x = x, np.maximum(z - step * (A.T @ (A @ z - y)), 0)
    z = x + k / (k + 3) * (x - before)
    ours.append(float(np.linalg.norm(A @ x - y) / np.linalg.norm(y)))

# %% [markdown]
# The built-in SIRT on the same model, for comparison.

# %%
sirt, start = iso.algorithms.Sirt(iterations=25, subsets=1), np.zeros(grid.shape, np.float32)
theirs = [
    float(step.residual or np.nan)
    for step in iso.algorithms.solve(sirt, iso.LinearModel(A, y), start)
]

# %%
fig, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
axes[0].imshow(x[1], cmap="gray")
axes[0].set(title="Accelerated gradient", xticks=[], yticks=[])
axes[1].semilogy(ours, label="accelerated gradient")
axes[1].semilogy(theirs, label="SIRT")
axes[1].set(xlabel="iteration", ylabel="unexplained data")
axes[1].legend()
assert ours[-1] < theirs[-1]
