# %% [markdown]
# # List-mode PET, event by event
# Each event is a row of A: the lengths of its line in the voxels, found slice by slice
# (Van Gendt et al.).
# MLEM needs no sinogram and no file.

# %%
import matplotlib.pyplot as plt
import numpy as np

import isocenter as iso

ring = iso.RingScanner(
    iso.RingSettings(
        name="Small ring",
        n_rings=4,
        n_crystals_per_ring=180,
        radius_mm=100,
        ring_pitch_mm=5,
        max_ring_difference=3,
        n_tangential=140,
        fov_mm=(130, 20),
    )
)
rods = iso.phantoms.derenzo((16, 13, 11, 9, 8, 7), radius_mm=60, length_mm=20)
scan = iso.simulate_listmode(rods, ring, n_prompts=150_000, randoms_fraction=0, seed=1)
grid = iso.ImageGrid(shape=(4, 64, 64), voxel_mm=(2.0, 2.0, 5.0))

# %% [markdown]
# The model gives A, a row for each event, and the sensitivity s. One update is
# x ← x / s · Aᵀ(1 / (A x)).

# %%
model = iso.listmode_model(scan, grid, on=iso.cpu())
A, s = model.A, model.sensitivity.clip(1e-30)
x = np.ones(grid.shape, np.float32)
images = {}
for iteration in range(1, 17):
    x = x / s * (A.T @ (1 / (A @ x)))
    if iteration in (1, 4, 16):
        images[iteration] = x[2]

# %%
fig, axes = plt.subplots(1, 3, figsize=(9, 3.2))
for axis, (iteration, image) in zip(axes, images.items(), strict=True):
    axis.imshow(image, cmap="gray_r")
    axis.set(title=f"{iteration} iterations", xticks=[], yticks=[])

# %%
counts = float((x * s).sum())
print(f"{len(A @ x):,} events, {counts:,.0f} expected counts")
assert abs(counts / scan.n_prompts - 1) < 1e-3
