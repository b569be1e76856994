# %% [markdown]
# # A projector in a PyTorch loss
# `A.as_torch()` is a layer with an exact gradient. Adam then reconstructs 24 views with a total
# variation penalty that is written in PyTorch (section 4.1 of Graas et al. trains networks so).

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch

import isocenter as iso

orbit = iso.geometry.fan(
    np.linspace(0, 2 * np.pi, 24, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=800,
    n_columns=96,
    pixel_mm=4.5,
)
grid = iso.ImageGrid(shape=(1, 64, 64), voxel_mm=(4.0, 4.0, 4.0))
phantom = iso.phantoms.shepp_logan(per_mm=0.02)
y = torch.from_numpy(iso.simulate_integrals(phantom, orbit).values)
layer = iso.XrayTransform(orbit, grid, on=iso.cpu()).as_torch()

# %%
x = torch.zeros((1, 64, 64), requires_grad=True)
optimiser = torch.optim.Adam([x], lr=1e-3)
losses = []
for _ in range(150):
    optimiser.zero_grad()
    variation = x.diff(dim=1).abs().sum() + x.diff(dim=2).abs().sum()
    loss = ((layer(x) - y) ** 2).sum() + 0.2 * variation
    loss.backward()
    optimiser.step()
    losses.append(float(loss.detach()))

# %%
fig, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
axes[0].imshow(x.detach()[0], cmap="gray", vmin=0, vmax=0.025)
axes[0].set(title="24 views, Adam", xticks=[], yticks=[])
axes[1].semilogy(losses)
axes[1].set(xlabel="step", ylabel="loss")
assert losses[-1] < losses[0] / 20
