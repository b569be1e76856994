# %% [markdown]
# # A prior instead of a filter
# OSEM fits noise. The relative difference prior penalises it, and MAP finds the optimum of
# likelihood and prior.

# %%
from typing import Any

import matplotlib.pyplot as plt

import isocenter as iso

ring = iso.read_scanner("demo-ring")
phantom = iso.phantoms.cylinder_with_spheres(scale=0.6)
scan = iso.simulate_listmode(phantom, ring, n_prompts=100_000, randoms_fraction=0, seed=1)
grid = {"voxel_mm": (6, 6, 6), "diameter_mm": 192, "length_mm": 108}

# %%
common: dict[str, Any] = {"grid": grid, "finishing": (), "time_of_flight": False}
osem = {"kind": "osem", "iterations": 3, "subsets": 8}
images = {
    "OSEM": iso.reconstruct(scan, iso.ListModeProtocol(algorithm=osem, **common)),
    "MAP": iso.reconstruct(scan, iso.ListModeProtocol(algorithm={"kind": "map"}, **common)),
}

# %%
fig, axes = plt.subplots(1, 2, figsize=(7, 3.2))
noise = {}
for axis, (name, volume) in zip(axes, images.items(), strict=True):
    centre = volume.values[7:11, 6:11, 12:18]
    noise[name] = float(centre.std() / centre.mean())
    axis.imshow(volume.values[9], cmap="gray_r")
    axis.set(title=f"{name}, noise {100 * noise[name]:.0f} %", xticks=[], yticks=[])
assert noise["MAP"] < noise["OSEM"]
