"""Counts of an active water cylinder with scatter, drawn in the bins of any layout."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.core.backend import cpu
from engine.corrections.scatter_estimation.double_scatter import simulate_twice
from engine.corrections.scatter_estimation.multiple import over_twice
from engine.corrections.scatter_estimation.simulation import ScatterTable, simulate_scatter
from engine.corrections.sinogram import BinAttenuation, BinGeometry
from engine.data.sinogram import Sinogram
from engine.data.timing.timed_counts import TimedCounts
from engine.data.volume import Volume
from engine.geometry.energy import EnergySettings
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import SinogramLayout
from engine.geometry.tof import TofSettings
from engine.modalities.ring_sinogram_pet.scatter_counts import own_efficiency
from engine.operators.rays import RayProjector, Rays

ON = cpu(2)
RING = RingSettings(
    name="tiny", n_rings=6, n_crystals_per_ring=64, radius_mm=120, ring_pitch_mm=10,
    max_ring_difference=5, n_tangential=48, voxel_mm=(7.5, 7.5, 10), fov_mm=(150, 60),
    energy=EnergySettings(window_kev=(425, 650), resolution=0.11),
)  # fmt: skip
TOF = TofSettings(fwhm_ps=500, bin_ps=400, n_bins=5)
GRID = ImageGrid((12, 30, 30), (5.0, 5.0, 5.0))
RADIUS_MM = 45.0


def ring(*, timed: bool = False) -> RingScanner:
    return RingScanner(RING.model_copy(update={"tof": TOF if timed else None}))


@dataclass(frozen=True)
class Drawn:
    """Counts, and their expected scatter (n_bins,)."""

    data: Sinogram
    scatter: np.ndarray


def water() -> Volume:
    """Return the mu-map: a cylinder 90 mm wide and 40 mm long."""
    x, y = GRID.centres_mm(axis=0), GRID.centres_mm(axis=1)
    values = np.zeros(GRID.shape, np.float32)
    values[2:10] = 0.0096 * (np.hypot(x[None, :], y[:, None]) < RADIUS_MM)
    return Volume(values, GRID, "1/mm")


def corrected(data: Sinogram) -> Sinogram:
    """Return the sinogram with line geometry, if known, and attenuation."""
    for step in (BinGeometry(), BinAttenuation()):
        if step.obstacle(data) is None:
            data = step.apply(data, on=ON)
    return data


def drawn(layout: SinogramLayout, n_counts: int = 300_000, *, randoms: float = 0.0) -> Drawn:
    """Draw counts of trues, scatter and `randoms` (a fraction of both, equal in all bins)."""
    scanner, mu = layout.scanner, water()
    active = Volume(mu.values / np.float32(0.0096), GRID, "counts/mm")
    still = corrected(Sinogram(layout, np.zeros(layout.n_bins, np.float32), 10.0, mu_map=mu))
    bins = np.arange(layout.n_bins)
    own = own_efficiency(still, bins)
    window, tof = scanner.energy, scanner.tof
    assert window is not None and still.attenuation is not None
    table = simulate_scatter(
        active, mu, scanner, window, with_tof=tof is not None, n_points=400, seed=9, on=ON
    )
    ends = layout.ends_of(bins)
    twice = simulate_twice(
        active, mu, scanner, window, samples=table.samples, n_points=400, seed=9, on=ON
    )
    unmixed = ScatterTable(table.samples, twice[..., None].astype(np.float32), 0)
    sums = [float((own * each.of_lines(layout.points_mm, ends)).sum()) for each in (table, unmixed)]
    table = table.with_more(over_twice(*sums) * twice).for_linear_reading()
    rng, trues, scatter = np.random.default_rng(3), [], []
    for time in range(tof.n_bins) if tof else [None]:
        times = None if time is None else np.full(layout.n_bins, time, np.int16)
        rays = Rays(layout.points_mm, ends, times)
        line = RayProjector(rays, GRID, on=ON, tof=tof)(active.values)
        trues.append(own * still.attenuation * line)
        scatter.append(own * table.of_lines(layout.points_mm, rays.ends, times))
    level = n_counts / float(np.sum(trues) + np.sum(scatter))
    flat = randoms * n_counts / layout.n_bins / len(trues) * (own > 0)
    counts = [
        rng.poisson(level * (one + other) + flat).astype(np.float32)
        for one, other in zip(trues, scatter, strict=True)
    ]
    data = Sinogram(layout, np.sum(counts, axis=0, dtype=np.float32), 10.0)
    if tof is not None:
        data = replace(data, timed=TimedCounts.of(counts))
    return Drawn(data, level * np.sum(scatter, axis=0))
