"""Rings on faces between planes of voxels: every line within a ring runs along a face."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.modalities.listmode_pet.model import build
from engine.modalities.listmode_pet.ring_sensitivity import exact_image
from engine.modalities.listmode_pet.ring_weights import RingWeights
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from tests.engine.modalities.listmode_pet.test_ring_sensitivity import RING

ON = cpu(2)
GRID = ImageGrid((12, 15, 15), (6.0, 6.0, 2.5))
"""Planes with half the ring pitch."""
DISC_MM = 30.0


def every_line(n_crystals: int):
    """Return one event for each line of a toy ring, its sensitivity, and their model."""
    settings = {"n_crystals_per_ring": n_crystals, "n_tangential": n_crystals // 2}
    ring = RingScanner(
        RING.settings.model_copy(update={**settings, "n_rings": 6, "gap_places": ()})
    )
    lines = ring.lors(np.arange(ring.n_lors))
    data = ListMode(ring, lines[ring.in_coincidence(lines)].astype(np.int32))
    exact = exact_image(RingWeights.of(data), GRID, threads=2)
    return data, exact, build(data, GRID, Sensitivity(exact, ring.n_lors, ring.n_lors, 0.0), on=ON)


@pytest.mark.parametrize("n_crystals", [96, 60])
def test_back_projected_ones_equal_the_sensitivity_in_every_voxel(n_crystals):
    """Lines through the axis also run along faces between rows and columns."""
    data, exact, model = every_line(n_crystals)

    traced = model.A.T(np.ones(data.n_events, np.float32))

    inner = np.s_[:, 3:12, 3:12]
    # the tables have 512 steps along a line
    assert traced[inner] == pytest.approx(exact[inner], rel=5e-4)


def test_disc_is_uniform_from_plane_to_plane():
    """The counts are the exact chords of all lines."""
    data, exact, model = every_line(96)
    x = np.ones(GRID.shape, np.float32)
    for _ in range(20):
        expected = model.A(x)
        shares = np.divide(chords(data), expected, out=np.zeros_like(expected), where=expected > 0)
        x = np.where(exact > 0, x * model.A.T(shares) / np.maximum(exact, 1e-9), 0)
    from_axis = np.hypot(GRID.centres_mm(0)[None], GRID.centres_mm(1)[:, None])

    of_planes = x[:, from_axis < 0.8 * DISC_MM].mean(axis=1)

    assert of_planes == pytest.approx(of_planes.mean(), rel=0.004)
    assert of_planes.mean() == pytest.approx(1, abs=0.015)  # edges of voxels of 6 mm


def chords(data: ListMode):
    """Return the length of each line in an infinite cylinder along the axis [mm]."""
    p, q = (data.scanner.positions_mm[data.crystals[:, k]] for k in (0, 1))
    along = q - p
    flat = np.hypot(along[:, 0], along[:, 1])
    off = np.abs(p[:, 0] * along[:, 1] - p[:, 1] * along[:, 0]) / flat
    half = np.sqrt(np.maximum(DISC_MM**2 - off**2, 0))
    return (2 * half * np.linalg.norm(along, axis=1) / flat).astype(np.float32)
