"""Learned primal-dual network: 24 fan-beam views, trained on random ellipses on the CPU.

    h_i = h_{i-1} + Γ_i(h_{i-1}, A f_{i-1}, g)        f_i = f_{i-1} + Λ_i(f_{i-1}, Aᵀ h_i)

f_0 is the filtered back projection and h_0 = 0. Γ_i and Λ_i are small convolutional networks; A and
Aᵀ are layers without parameters. The data g are exact line integrals with noise, so that A is not
the operator that made them. Adler & Öktem, IEEE Trans. Med. Imaging 37 (2018) 1322. Needs PyTorch
(`pip install isocenter[torch]`) and about a minute.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import torch
from torch import nn

import isocenter as iso
from engine.recon.filtering.settings import FilterSettings
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Ellipsoid

N_TRAINED, N_TESTED, N_STEPS, BATCH = 200, 10, 300, 4
UNROLLED, MEMORY, CHANNELS = 3, 3, 16
MU_PER_MM, NOISE = 0.02, 0.01  # attenuation of water; standard deviation of line integrals

orbit = iso.geometry.fan(
    np.linspace(0, 2 * np.pi, 24, endpoint=False),
    source_axis_mm=500,
    source_detector_mm=800,
    n_columns=96,
    pixel_mm=4.0,
)
grid = iso.ImageGrid(shape=(1, 64, 64), voxel_mm=(3.0, 3.0, 3.0))
A = iso.XrayTransform(orbit, grid, on=iso.cpu())

Window = Literal["ram-lak", "shepp-logan", "cosine", "hann"]


def ellipses(rng: np.random.Generator) -> ShapePhantom:
    """Return a body with four to eight inserts, long in z."""
    inside = []
    for _ in range(rng.integers(4, 9)):
        x, y = rng.uniform(-45, 45, 2)
        half = (*rng.uniform(5, 25, 2), 1000.0)
        mu = MU_PER_MM * rng.uniform(-0.5, 0.8)
        inside.append(Ellipsoid((x, y, 0), half, mu_per_mm=mu, turn_deg=rng.uniform(0, 180)))
    body = Ellipsoid((0, 0, 0), (*rng.uniform(70, 85, 2), 1000.0), mu_per_mm=MU_PER_MM)
    return ShapePhantom("ellipses", (body, *inside))


def scans(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return images (n, 1, 64, 64) [1/mm] and their line integrals (n, 24, 1, 96)."""
    rng = np.random.default_rng(seed)
    phantoms = [ellipses(rng) for _ in range(n)]
    images = np.stack([each.rasterise(grid, "mu").values for each in phantoms])
    data = np.stack([iso.simulate_integrals(each, orbit).values for each in phantoms])
    return images, data + NOISE * rng.standard_normal(data.shape, np.float32)


def filtered_back_projection(data: np.ndarray, window: Window) -> np.ndarray:
    """Return images (n, 1, 64, 64) [1/mm]."""
    settings = FilterSettings(window=window)
    return np.stack([iso.fdk(each, orbit, grid, settings=settings) for each in data])


def block(n_in: int, n_out: int) -> nn.Sequential:
    """Return three convolutions."""
    widths = (n_in, CHANNELS, CHANNELS, n_out)
    first, middle, last = (nn.Conv2d(a, b, 3, padding=1) for a, b in pairwise(widths))
    return nn.Sequential(first, nn.PReLU(CHANNELS), middle, nn.PReLU(CHANNELS), last)


class LearnedPrimalDual(nn.Module):
    """The network; images and data are scaled to values near one."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = A.norm()
        self.project = A.as_torch()
        self.dual = nn.ModuleList(block(MEMORY + 2, MEMORY) for _ in range(UNROLLED))
        self.primal = nn.ModuleList(block(MEMORY + 1, MEMORY) for _ in range(UNROLLED))

    def forward(self, data: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
        """Return images (n, 1, 64, 64) [1/mm] from data (n, 24, 1, 96) and first images."""
        # (n, 1, 24, 96): views and columns as an image
        g = data.transpose(1, 2) / (MU_PER_MM * self.norm)
        f = start.expand(-1, MEMORY, -1, -1) / MU_PER_MM
        h = torch.zeros(len(data), MEMORY, *g.shape[2:])
        for dual, primal in zip(self.dual, self.primal, strict=True):
            seen = self.project(f[:, :1]).transpose(1, 2) / self.norm
            h = h + dual(torch.cat([h, seen, g], 1))
            back = self.project.adjoint(h[:, :1].transpose(1, 2)) / self.norm
            f = f + primal(torch.cat([f, back], 1))
        return MU_PER_MM * f[:, :1]


def psnr_db(found: np.ndarray, truth: np.ndarray) -> float:
    """Return the peak signal-to-noise ratio of images, averaged over them."""
    errors = ((found - truth) ** 2).reshape(len(truth), -1).mean(1)
    return float(np.mean(10 * np.log10(truth.reshape(len(truth), -1).max(1) ** 2 / errors)))


torch.manual_seed(1)
torch.set_num_threads(1)  # threads that wait would cost processor time
truth, measured = scans(N_TRAINED, seed=1)
start = filtered_back_projection(measured, "hann")
images, data, start = (torch.from_numpy(each) for each in (truth, measured, start))
network = LearnedPrimalDual()
optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 5e-3, total_steps=N_STEPS)
begun_s = time.process_time()
for step in range(N_STEPS):
    some = torch.randint(N_TRAINED, (BATCH,))
    error = network(data[some], start[some]) - images[some]
    loss = (error / MU_PER_MM).square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    schedule.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
trained_s = time.process_time() - begun_s

# other phantoms, with other noise
truth, unseen = scans(N_TESTED, seed=2)
start = filtered_back_projection(unseen, "hann")
with torch.no_grad():
    found = network(torch.from_numpy(unseen), torch.from_numpy(start)).numpy()
learned = psnr_db(found, truth)
windows: tuple[Window, ...] = get_args(Window)
best = max(psnr_db(filtered_back_projection(unseen, window), truth) for window in windows)
print(f"filtered back projection {best:.1f} dB, learned {learned:.1f} dB")
print(f"trained in {trained_s:.0f} processor seconds")
if learned < best + 6:
    raise SystemExit("the network must beat filtered back projection by 6 dB")
