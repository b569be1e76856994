"""Small volumes and scans for the tests of file formats."""

from __future__ import annotations

import numpy as np
import pytest

from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofBins, TofSettings

MARKERS = {"left": (30.0, 0.0, 0.0), "back": (0.0, 20.0, 0.0), "head": (0.0, 0.0, 10.0)}
"""Points of the asymmetric phantom (x, y, z) [mm, LPS], with values 1, 2, 3 in this order."""


@pytest.fixture
def phantom() -> Volume:
    """Return a box off-centre, with markers on the left, at the back and at the head."""
    grid = ImageGrid((9, 21, 35), (2.0, 2.5, 4.0), (4.0, 2.5, 2.0))
    values = np.zeros(grid.shape, np.float32)
    for value, point in enumerate(MARKERS.values(), 1):
        index = grid.index_of(point)
        assert index is not None
        values[index] = value
    return Volume(values, grid, "counts/mm")


@pytest.fixture
def ring() -> RingScanner:
    """Return a tiny ring with time of flight."""
    return RingScanner(
        RingSettings(
            name="Tiny",
            n_rings=3,
            n_crystals_per_ring=16,
            radius_mm=40,
            ring_pitch_mm=5,
            max_ring_difference=2,
            n_tangential=8,
            gap_places=(0,),
            tof=TofSettings(fwhm_ps=300, bin_ps=200, n_bins=5),
            fov_mm=(40, 15),
        )
    )


@pytest.fixture
def crystal_map(ring: RingScanner) -> CrystalMap:
    """Return the crystals of the ring as a crystal map."""
    crystal = np.arange(48, dtype=np.int32)
    keys = np.stack([crystal // 16, crystal % 16, 0 * crystal], -1)
    return CrystalMap(
        "Map",
        keys,
        ring.positions_mm,
        fov_radius_mm=25.0,
        voxel_mm=(2.0, 2.0, 2.5),
        fov_mm=(50.0, 15.0),
        tof=TofBins(300.0, 200.0, 5),
    )


@pytest.fixture
def scan(ring: RingScanner, rng: np.random.Generator) -> ListMode:
    """Return 500 events with every column, efficiencies and a mu-map."""
    n = 500
    grid = ImageGrid((3, 4, 5), (8.0, 8.0, 5.0))
    return ListMode(
        scanner=ring,
        crystals=rng.integers(0, ring.n_crystals, (n, 2)).astype(np.int32),
        delayed=rng.random(n) < 0.1,
        tof_bins=rng.integers(0, 5, n).astype(np.int16),
        time_ms=np.sort(rng.integers(0, 1000, n)).astype(np.uint32),
        additive=rng.random(n).astype(np.float32),
        duration_s=1.5,
        mu_map=Volume(rng.random(grid.shape).astype(np.float32), grid, "1/mm"),
        efficiencies=rng.random(ring.n_crystals).astype(np.float32),
        singles=rng.integers(0, 1000, ring.n_crystals).astype(np.float32),
        coincidence_window_ps=4500.0,
        info={"isotope": "F-18", "injected_bq": 4.65e7},
    )
