"""Demo of the gamma camera: hot spheres in a cylinder, seen from all sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.modalities.demo import SEED, Demo, OnProgress, save_volume
from engine.modalities.gamma_camera.protocol import GammaCameraProtocol
from engine.modalities.gamma_camera.scan import GammaScan, write_scan
from engine.modalities.studies import Study
from engine.protocols.study.protocol import Protocol
from engine.simulate.phantom import Phantom

PIXEL_MM = 6.0
N_VIEWS, N_ROWS, N_BINS = 60, 16, 64
PER_PIXEL = 3
"""Lines along each edge of a pixel."""


@dataclass(frozen=True)
class GammaCameraDemo(Demo):
    """Counts with Poisson noise, from exact line integrals of the phantom."""

    n_counts: int = 2_000_000

    key: ClassVar[str] = "gamma-camera"
    title: ClassVar[str] = "Gamma camera"
    text: ClassVar[str] = "Six hot spheres in a cylinder, without attenuation"
    wait: ClassVar[str] = "about 10 s"
    busy: ClassVar[str] = "Simulating the scan"
    protocol: ClassVar[type[Protocol]] = GammaCameraProtocol
    version: ClassVar[int] = 1

    def simulate(self, folder: Path, on_progress: OnProgress | None) -> Study:
        from engine.simulate import cylinder_with_spheres

        # Exact integrals, not the projector: the demo must not repeat the errors of the model.
        phantom, views = cylinder_with_spheres(), []
        for k in range(N_VIEWS):
            views.append(_view(phantom, 2 * np.pi * k / N_VIEWS))
            if on_progress is not None:
                on_progress(k + 1, N_VIEWS)
        expected = np.stack(views)
        expected *= self.n_counts / expected.sum()
        counts = np.random.default_rng(SEED).poisson(expected).astype(np.float32)
        scan = GammaScan(counts, PIXEL_MM)
        study = Study(data=Path(self.name(".camera")), protocol=GammaCameraProtocol())
        write_scan(scan, folder / study.data)
        truth = phantom.rasterise(scan.grid)
        values = np.float32(self.n_counts / truth.values.sum(dtype=float)) * truth.values
        save_volume(replace(truth, values=values, unit="counts"), self.truth(folder))
        return study


def _view(phantom: Phantom, angle: float) -> NDArray[np.float64]:
    """(N_ROWS, N_BINS) mean line integral of the activity over each pixel of a view."""
    n_rows, n_bins, half_mm = N_ROWS * PER_PIXEL, N_BINS * PER_PIXEL, N_BINS * PIXEL_MM
    step = PIXEL_MM / PER_PIXEL
    z, u = (step * (np.arange(n) - (n - 1) / 2) for n in (n_rows, n_bins))
    z, u = (each.ravel() for each in np.meshgrid(z, u, indexing="ij"))
    x, y = u * np.cos(angle), u * np.sin(angle)
    dx, dy = -half_mm * np.sin(angle), half_mm * np.cos(angle)
    ends = (np.stack([x + s * dx, y + s * dy, z], axis=1) for s in (-1, 1))
    sums = np.asarray(phantom.activity_integral(*ends))
    return sums.reshape(N_ROWS, PER_PIXEL, N_BINS, PER_PIXEL).mean(axis=(1, 3))
