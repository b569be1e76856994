# %% [markdown]
# # Two panels and their symmetries
# The response of two flat panels is stored. Lines that are shifted, mirrored or exchanged copies
# of each other share one row (Chou et al.), so that the file stays small.

# %%
import matplotlib.pyplot as plt
import numpy as np

import isocenter as iso
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse

panels = iso.DualHead(
    iso.DualHeadSettings(
        name="Two small panels",
        n_rows=8,
        n_columns=10,
        pitch_mm=2.4,
        crystal_mm=2.1,
        thickness_mm=20,
        separation_mm=40,
        voxels_per_pitch=2,
        n_planes=9,
        plane_mm=4,
    )
)
response = build_analytic(panels, AnalyticResponse(n_points=1 << 8))

# %% [markdown]
# A is the projector of the stored rows.

# %%
A = iso.MatrixProjector(response, on=iso.cpu())
n_lines = int(np.prod(A.out_shape))
print(f"{n_lines:,} lines from {len(response.orientations):,} stored orientations")

# %%
source = iso.phantoms.point(4.0, 3.0, -3.0, diameter_mm=4)
histogram = iso.simulate_histogram(source, response, n_prompts=10_000, seed=1, on=iso.cpu())
model = iso.HistogramModel.of(A, np.zeros((), np.float32), histogram.prompts)
x = np.ones(A.in_shape, np.float32)
for step in iso.algorithms.solve(iso.algorithms.Osem(iterations=4, subsets=4), model, x):
    image = step.image

# %%
k, j, i = np.unravel_index(image.argmax(), image.shape)
fig, axes = plt.subplots(1, 2, figsize=(7, 3))
axes[0].imshow(image[k], cmap="gray_r")
axes[0].set(title="Parallel to the panels", xticks=[], yticks=[])
axes[1].imshow(image[:, j], cmap="gray_r")
axes[1].set(title="Between the panels", xticks=[], yticks=[])
found = [float(panels.grid.centres_mm(axis)[n]) for axis, n in enumerate((i, j, k))]
print(f"hottest voxel at {found} mm, source at [4, 3, -3] mm")
assert max(abs(a - b) for a, b in zip(found, (4, 3, -3), strict=True)) < 3
