# %% [markdown]
# # Many scans on Dask
# A scan and a protocol are values, so a cluster can reconstruct one scan per task. This cluster
# has two threads in this process. `Client("scheduler:8786")` uses another one.

# %%
import matplotlib.pyplot as plt
from distributed import Client

import isocenter as iso

ring = iso.read_scanner("demo-ring")
grid = {"voxel_mm": (6, 6, 6), "diameter_mm": 192, "length_mm": 108}
protocol = iso.ListModeProtocol(grid=grid, algorithm={"kind": "osem", "updates": 16})


def reconstructed(n_prompts: int) -> iso.Volume:
    """Return the image of a simulated scan."""
    phantom = iso.phantoms.cylinder_with_spheres(scale=0.6)
    scan = iso.simulate_listmode(phantom, ring, n_prompts=n_prompts, seed=1)
    return iso.reconstruct(scan, protocol, on=iso.cpu(1))


# %%
counts = (20_000, 60_000, 200_000)
with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    volumes = client.gather(client.map(reconstructed, counts))

# %%
fig, axes = plt.subplots(1, 3, figsize=(9, 3.2))
for axis, n, volume in zip(axes, counts, volumes, strict=True):
    axis.imshow(volume.values[9], cmap="gray_r")
    axis.set(title=f"{n:,} counts", xticks=[], yticks=[])
assert [volume.values.shape for volume in volumes] == [volumes[0].values.shape] * 3
