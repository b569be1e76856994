# %% [markdown]
# # Regions and their uncertainty
# An error map states the standard deviation of each voxel, from replicates of the counts. A region
# averages voxels, and its error is smaller.

# %%
import matplotlib.pyplot as plt
import numpy as np

import isocenter as iso
from engine.analysis.regions.measuring import measure
from engine.analysis.regions.region_set import Region
from engine.analysis.regions.solids import SphereRegion

ring = iso.read_scanner("demo-ring")
phantom = iso.phantoms.uniform_cylinder(diameter_mm=140, length_mm=60)
scan = iso.simulate_listmode(phantom, ring, n_prompts=100_000, randoms_fraction=0, seed=1)
protocol = iso.ListModeProtocol(
    grid={"voxel_mm": (6, 6, 6), "diameter_mm": 180, "length_mm": 60},
    algorithm={"kind": "osem", "iterations": 2, "subsets": 8},
    error_replicates=20,
)
volume = iso.reconstruct(scan, protocol)

# %%
found = {}
for diameter_mm in (12, 24, 48):
    sphere = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=diameter_mm)
    measured = measure(Region(name=f"{diameter_mm} mm", shape=sphere), volume)
    assert measured.figures is not None and measured.errors is not None
    mean, error = measured.figures.mean, measured.errors.mean
    found[diameter_mm] = 100 * error.half_width / mean
    print(f"sphere of {diameter_mm} mm: {mean:.4g} ± {error.half_width:.2g} {volume.unit} (95 %)")

# %%
fig, axes = plt.subplots(1, 2, figsize=(7, 3.2))
middle = volume.values.shape[0] // 2
assert volume.error is not None
relative = volume.error.standard_deviation / np.maximum(volume.values, 1e-30)
axes[0].imshow(volume.values[middle], cmap="gray_r")
axes[0].set(title="Image", xticks=[], yticks=[])
axes[1].imshow(100 * relative[middle], cmap="magma", vmin=0, vmax=60)
axes[1].set(title="Error of a voxel, 0 to 60 %", xticks=[], yticks=[])
assert found[48] < found[12]
