# %% [markdown]
# # Patches and slices of a cone-beam scan
# Projections are stored once. Any box or oblique slice is then computed alone, as often as
# needed (Graas et al., figure 2 and table 1).

# %%
import matplotlib.pyplot as plt
import numpy as np

import isocenter as iso
from engine.recon.filtering.projections import filtered, planned
from engine.recon.filtering.settings import FilterSettings

orbit = iso.circular_cone(
    np.linspace(0, 2 * np.pi, 120, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=800,
    shape=(64, 96),
    pixel_mm=4.5,
)
head = iso.phantoms.shepp_logan(per_mm=0.02)
y = iso.simulate_integrals(head, orbit).values
plan = planned(y, orbit, FilterSettings())
rows = filtered(y, plan, FilterSettings(), on=iso.cpu())

# %% [markdown]
# A box of 1 × 32 × 32 voxels equals the same part of the whole volume.

# %%
grid = iso.ImageGrid(shape=(32, 72, 72), voxel_mm=(3.0, 3.0, 3.0))
A = iso.XrayTransform(plan.geometry, grid, on=iso.cpu())
patches = iso.Patches(A, (1, 32, 32))
patches.update(rows)
box = patches.at((16, 20, 20))
whole = iso.fdk(y, orbit, grid)
difference = abs(box - whole[16:17, 20:52, 20:52]).max() / whole.max()
print(f"largest difference: {100 * difference:.2g} % of the maximum")
assert difference < 0.02

# %% [markdown]
# An oblique slice, turned by 45°.

# %%
half = float(np.sqrt(0.5))
plane = iso.geometry.Plane((64, 64), 3.0, across=(half, half, 0.0), down=(0.0, 0.0, 1.0))
slices = iso.Slices(plan.geometry, [plane], on=iso.cpu())
slices.update(rows)
(oblique,) = slices.values()

# %%
fig, axes = plt.subplots(1, 3, figsize=(9, 3.2))
named = {"Volume": whole[16], "Patch": box[0], "Oblique slice": np.squeeze(oblique)}
for axis, (name, image) in zip(axes, named.items(), strict=True):
    axis.imshow(image, cmap="gray", vmin=0.015, vmax=0.025)
    axis.set(title=name, xticks=[], yticks=[])
