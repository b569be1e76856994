# %% [markdown]
# # Time of flight
# A TOF bin limits an event to a part of its line. With the same counts, the image comes nearer to
# the truth, and needs fewer iterations.

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import isocenter as iso

ring = iso.read_scanner("demo-ring")
assert ring.tof is not None
print(f"timing resolution {ring.tof.fwhm_ps:g} ps, {ring.tof.sigma_mm * 2.355:.0f} mm on a line")
phantom = iso.phantoms.cylinder_with_spheres(scale=0.6)
scan = iso.simulate_listmode(phantom, ring, n_prompts=100_000, randoms_fraction=0, seed=1)
for correction in (iso.corrections.LineGeometry(), iso.corrections.Attenuation()):
    scan = correction.apply(scan, on=iso.cpu())
grid = iso.ImageGrid(shape=(18, 32, 32), voxel_mm=(6.0, 6.0, 6.0))
s = iso.sensitivity(scan, grid)

# %%
G = iso.GaussianBlur(10.0, grid)  # both images and the truth are smoothed alike
truth = G @ (phantom.rasterise(grid).values * np.float32(scan.info["counts_per_mm"]))
images: dict[str, np.ndarray] = {}
errors: dict[str, list[float]] = {"without TOF": [], "with TOF": []}
for name, events in zip(errors, (replace(scan, tof_bins=None), scan), strict=True):
    model = iso.listmode_model(events, grid, on=iso.cpu(), sensitivity=s)
    assert isinstance(model.A, iso.RayProjector)
    x = (s.values > 0).astype("float32")
    for _ in range(12):
        x = model.A.em_numerator(x)[0] / s.values.clip(1e-30)
        errors[name].append(float(np.linalg.norm(G @ x - truth) / np.linalg.norm(truth)))
        if errors[name][-1] == min(errors[name]):
            images[name] = G @ x

# %%
fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for axis, (name, image) in zip(axes[:2], images.items(), strict=True):
    axis.imshow(image[9], cmap="gray_r", vmin=0, vmax=truth.max())
    axis.set(title=f"{name}, best iteration", xticks=[], yticks=[])
    axes[2].plot(range(1, 13), errors[name], label=name)
axes[2].set(xlabel="iteration", ylabel="error")
axes[2].legend()
print({name: [round(e, 3) for e in each] for name, each in errors.items()})
assert min(errors["with TOF"]) < min(errors["without TOF"])
