# %% [markdown]
# # A scanner of your own
# A scanner is a list of crystals. This one has six flat panels around a hexagon, and no ring.

# %%
import matplotlib.pyplot as plt
import numpy as np

import isocenter as iso

RADIUS_MM, PITCH_MM, N_COLUMNS, N_ROWS = 80.0, 4.0, 22, 6
across = (np.arange(N_COLUMNS) - (N_COLUMNS - 1) / 2) * PITCH_MM
z = (np.arange(N_ROWS) - (N_ROWS - 1) / 2) * PITCH_MM
crystals = []
for angle in np.arange(6) * np.pi / 3:
    outward = np.array([np.cos(angle), np.sin(angle)])
    along = np.array([-outward[1], outward[0]])
    for height in z:
        crystals += [(*(RADIUS_MM * outward + a * along), height) for a in across]
points_mm = np.array(crystals)

# %% [markdown]
# Lines join crystals of panels that face each other, or nearly.

# %%
panel = np.repeat(np.arange(6), N_COLUMNS * N_ROWS)
first, second = np.triu_indices(len(points_mm), k=1)
apart = (panel[second] - panel[first]) % 6
ends = np.stack([first, second], axis=1)[(apart >= 2) & (apart <= 4)].astype(np.int32)
ends = np.random.default_rng(1).permutation(ends)
grid = iso.ImageGrid(shape=(5, 48, 48), voxel_mm=(2.0, 2.0, 4.0))
A = iso.RayProjector(iso.Rays(points_mm, ends), grid, on=iso.cpu())
print(f"{len(points_mm):,} crystals, {len(ends):,} lines")

# %%
truth = iso.phantoms.derenzo((10, 8, 7, 6, 5, 4), radius_mm=42, length_mm=30).rasterise(grid)
rng = np.random.default_rng(2)
expected = A @ truth.values
counts = rng.poisson(expected * 1_000_000 / expected.sum()).astype(np.float32)
model = iso.BinnedModel.of(A, np.zeros_like(counts), counts)
osem = iso.algorithms.Osem(iterations=8, subsets=8)
for step in iso.algorithms.solve(osem, model, np.ones(grid.shape, np.float32)):
    image = step.image

# %%
fig, axes = plt.subplots(1, 3, figsize=(9, 3.2))
axes[0].scatter(*points_mm[:, :2].T, s=2)
axes[0].set(title="Crystals", aspect="equal", xticks=[], yticks=[])
for axis, name, values in zip(axes[1:], ("Truth", "OSEM"), (truth.values, image), strict=True):
    axis.imshow(values[2], cmap="gray_r")
    axis.set(title=name, xticks=[], yticks=[])
assert np.corrcoef(truth.values[2].ravel(), image[2].ravel())[0, 1] > 0.8
