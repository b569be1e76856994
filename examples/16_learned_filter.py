"""Filters of FDK learned on patches: a network of a few filtered back projections.

    x = N(Aᵀ (h_1 * g), ..., Aᵀ (h_K * g))

h_k are filters along detector rows. N is a small network for each voxel alone, as in NN-FDK
(Lagerwerf et al., Mach. Learn.: Sci. Technol. 1 (2020) 045006). A patch needs only its own back
projection, so training never reconstructs a volume (Graas et al., "ASTRA KernelKit", section 4.1).
Needs PyTorch (`pip install isocenter[torch]`) and about a minute.
"""

from __future__ import annotations

import time

import numpy as np
import torch
from scipy.ndimage import gaussian_filter1d
from torch import nn

import isocenter as iso
from engine.recon.filtering.settings import FilterSettings
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Ellipsoid

N_TRAINED, N_TESTED, N_STEPS, FILTERS, BATCH = 16, 3, 150, 6, 4
MU_PER_MM, NOISE = 0.02, 0.08  # attenuation of water; standard deviation of line integrals
PATCH = (6, 16, 16)

orbit = iso.circular_cone(
    np.linspace(0, 2 * np.pi, 32, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=750,
    shape=(16, 96),
    pixel_mm=4.0,
)
grid = iso.ImageGrid(shape=(6, 64, 64), voxel_mm=(3.0, 3.0, 3.0))
A = iso.XrayTransform(orbit, grid, on=iso.cpu(), adjoint="voxel")
corners = [(y, x) for y in range(0, 64, 16) for x in range(0, 64, 16)]
patches = [
    (box, A.patch(box).T.as_torch())
    for box in ((slice(0, 6), slice(y, y + 16), slice(x, x + 16)) for y, x in corners)
]


def ellipsoids(rng: np.random.Generator) -> ShapePhantom:
    """Return a body with eight inserts."""
    inside = []
    for _ in range(8):
        x, y = rng.uniform(-45, 45, 2)
        half = (*rng.uniform(5, 25, 2), rng.uniform(5, 40))
        mu, turn = MU_PER_MM * rng.uniform(-0.5, 0.8), rng.uniform(0, 180)
        inside.append(Ellipsoid((x, y, 0), half, mu_per_mm=mu, turn_deg=turn))
    body = Ellipsoid((0, 0, 0), (*rng.uniform(70, 85, 2), 200), mu_per_mm=MU_PER_MM)
    return ShapePhantom("ellipsoids", (body, *inside))


def scans(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return volumes (n, 6, 64, 64) [1/mm] and line integrals (n, 32, 16, 96)."""
    rng = np.random.default_rng(seed)
    phantoms = [ellipsoids(rng) for _ in range(n)]
    volumes = np.stack([each.rasterise(grid, "mu").values for each in phantoms])
    data = np.stack([iso.simulate_integrals(each, orbit).values for each in phantoms])
    noise = NOISE * rng.standard_normal(data.shape, np.float32)
    return torch.from_numpy(volumes), torch.from_numpy(data + noise)


def ramp_filters(n_columns: int) -> np.ndarray:
    """Return ramp filters (n_filters, 2 n_columns − 1), smoothed by 0.5 to 7 pixels."""
    n = np.arange(-n_columns + 1, n_columns)
    ramp = np.where(n == 0, 0.25, np.where(n % 2, -1 / (np.pi * np.where(n, n, 1)) ** 2, 0))
    widths = 0.5 * 1.7 ** np.arange(FILTERS)
    return np.stack([gaussian_filter1d(ramp, width, mode="constant") for width in widths])


class LearnedFilters(nn.Module):
    """The network, for patches and for volumes."""

    def __init__(self, n_columns: int) -> None:
        super().__init__()
        # distances in bins of growing widths, as in NN-FDK, in units in which weights are near one
        distance = np.abs(np.arange(-n_columns + 1, n_columns))
        bins = np.where(distance < 8, distance, 5 + np.log2(np.maximum(distance, 1)).astype(int))
        taps = (bins == np.arange(bins.max() + 1)[:, None]) / np.maximum(np.pi * distance, 1) ** 2
        first = ramp_filters(n_columns) @ np.linalg.pinv(taps)
        self.register_buffer("taps", torch.from_numpy(taps.astype(np.float32)))
        self.weights = nn.Parameter(torch.from_numpy(first.astype(np.float32)))
        self.scales = torch.ones(FILTERS, 1, 1, 1)
        self.sum = nn.Linear(FILTERS, 1)
        self.voxels = nn.Sequential(
            nn.Linear(FILTERS, 16), nn.Sigmoid(), nn.Linear(16, 16), nn.Sigmoid(), nn.Linear(16, 1)
        )
        nn.init.zeros_(self.voxels[-1].weight)

    def back_projected(self, data: torch.Tensor, layer: nn.Module) -> torch.Tensor:
        """Return Aᵀ(h_k * g), (n, filters, z, y, x)."""
        n, n_views, n_rows, n_columns = data.shape
        kernels = (self.weights @ self.taps)[:, None]
        rows = data.reshape(-1, 1, n_columns)
        filtered = nn.functional.conv1d(rows, kernels, padding=n_columns - 1)
        filtered = filtered.reshape(n, n_views, n_rows, FILTERS, n_columns)
        return layer(filtered.permute(0, 3, 1, 2, 4)) * self.scales

    def forward(self, data: torch.Tensor, layer: nn.Module) -> torch.Tensor:
        """Return a patch or volume (n, z, y, x) [1/mm]."""
        found = self.back_projected(data, layer).movedim(1, -1)
        return MU_PER_MM * (self.sum(found) + self.voxels(found)).squeeze(-1)

    def start(self, data: torch.Tensor, volumes: torch.Tensor) -> None:
        """Train the voxels' network with the first filters, which needs no projections."""
        with torch.no_grad():
            found = self.back_projected(data, A.T.as_torch())
            self.scales = 1 / found.square().mean((0, 2, 3, 4)).sqrt()[:, None, None, None]
            values = (found * self.scales).movedim(1, -1).reshape(-1, FILTERS)
            wanted = volumes.reshape(-1, 1) / MU_PER_MM
            best = torch.linalg.lstsq(values, wanted).solution
            self.sum.weight.copy_(best.T)
            self.sum.bias.zero_()
        optimiser = torch.optim.Adam(self.voxels.parameters(), lr=5e-3)
        for _ in range(1500):
            some = torch.randint(len(values), (2048,))
            found = self.sum(values[some]) + self.voxels(values[some])
            loss = nn.functional.mse_loss(found, wanted[some])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()


def psnr_db(found: torch.Tensor, truth: torch.Tensor) -> float:
    """Return the peak signal-to-noise ratio."""
    return float(10 * torch.log10(truth.max() ** 2 / (found - truth).square().mean()))


torch.manual_seed(1)
torch.set_num_threads(1)  # threads that wait would cost processor time
volumes, data = scans(N_TRAINED, seed=1)
network = LearnedFilters(orbit.shape[1])
optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, N_STEPS)
losses: list[float] = []
begun_s = time.process_time()
network.start(data, volumes)
for step in range(N_STEPS):
    box, layer = patches[int(torch.randint(len(patches), ()))]
    some = torch.randint(N_TRAINED, (BATCH,))
    error = network(data[some], layer) - volumes[some][:, *box]
    loss = (error / MU_PER_MM).square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    schedule.step()
    losses.append(loss.item())
    if step % 50 == 49:
        print(f"steps to {step + 1}: mean loss {np.mean(losses[-50:]):.4f}")
trained_s = time.process_time() - begun_s

# whole volumes of other phantoms
truth, unseen = scans(N_TESTED, seed=2)
with torch.no_grad():
    learned = psnr_db(network(unseen, A.T.as_torch()), truth)
fdk = {}
for window in ("ram-lak", "shepp-logan", "cosine", "hann", "blackman"):
    settings = FilterSettings(window=window)
    found = torch.stack([iso.fdk(each, orbit, grid, settings=settings) for each in unseen])
    fdk[window] = psnr_db(found, truth)
best = max(fdk, key=fdk.__getitem__)
print(f"FDK: {fdk['ram-lak']:.1f} dB, with its best window ({best}) {fdk[best]:.1f} dB")
print(f"learned filters: {learned:.1f} dB, trained in {trained_s:.0f} processor seconds")
if learned < fdk[best] + 1:
    raise SystemExit("learned filters must beat FDK with its best window by 1 dB")
