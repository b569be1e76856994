"""Components of a normalisation: for events, in the sensitivity and in its cache key."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import Backend, cpu
from engine.corrections import LineGeometry, Normalisation
from engine.corrections.normalisation import EFFICIENCIES
from engine.data.components import Components, TableFactor
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import compute_sensitivity
from engine.modalities.listmode_pet.sensitivity_cache import key_of
from engine.operators.rays import RayProjector, Rays

ON = cpu(2)
RING = RingScanner(RingSettings(
    name="tiny", n_rings=4, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=4,
    max_ring_difference=2, n_tangential=36, fov_mm=(60, 16), block_rings=2, block_places=6,
    gap_places=(0, 24),
))  # fmt: skip
GRID = ImageGrid((4, 9, 9), (7.0, 7.0, 4.0))
EXACT = SensitivitySettings(method="exact")


def components(seed: int = 5) -> Components:
    rng = np.random.default_rng(seed)
    shapes = ((RING.n_crystals,), RING.n_classes, (6, RING.n_classes[1]), (RING.groups.max() + 1,))
    crystals, geometry, interference, live = (
        rng.uniform(0.5, 1.5, shape).astype(np.float32) for shape in shapes
    )
    return Components(crystals, geometry, False, interference, live)


def lines() -> tuple[np.ndarray, np.ndarray]:
    """Return every line by its view, bin and rings, and its expected factor."""
    c, s = components(), RING.settings
    n, found, factors = s.n_crystals_per_ring, [], []
    for v in range(RING.n_views):
        for t in range(-(s.n_tangential // 2), s.n_tangential - s.n_tangential // 2):
            places = [int(p) for p in RING.places(np.array(v), np.array(t))]
            near = places[0] if t > 0 or (t == 0 and places[0] < places[1]) else places[1]
            for r1, r2 in RING.ring_pairs:
                pair = [r1 * n + places[0], r2 * n + places[1]]
                factor = c.geometry[abs(r1 - r2), abs(t)] * c.interference[near % 6, abs(t)]
                for crystal in pair:
                    factor *= c.crystals[crystal] * c.live[RING.groups[crystal]]
                    factor *= RING.alive[crystal]
                found.append(pair)
                factors.append(factor)
    return np.array(found, np.int32), np.array(factors)


@pytest.fixture(scope="module")
def all_lines() -> tuple[np.ndarray, np.ndarray]:
    return lines()


def corrected(crystals: np.ndarray, found: Components) -> ListMode:
    data = EFFICIENCIES.attached(ListMode(RING, crystals), found)
    assert Normalisation().obstacle(data) is None
    return Normalisation().apply(data, on=ON)


def test_lines_have_the_factors_of_their_components(
    all_lines: tuple[np.ndarray, np.ndarray],
) -> None:
    crystals, expected = all_lines
    for pairs in (crystals, crystals[:, ::-1]):
        found = corrected(np.ascontiguousarray(pairs), components()).factors
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_sensitivity_includes_the_components(all_lines: tuple[np.ndarray, np.ndarray]) -> None:
    crystals, expected = all_lines
    data = corrected(crystals[:50], components())
    found = compute_sensitivity(data, GRID, EXACT, on=ON).image
    rays = Rays(RING.positions_mm, crystals)
    back_projected = RayProjector(rays, GRID, on=ON).T(expected.astype(np.float32))
    np.testing.assert_allclose(found, back_projected, rtol=2e-4, atol=1e-4 * back_projected.max())


@pytest.mark.parametrize("part", ["crystals", "geometry", "interference", "live"])
def test_every_component_is_in_the_cache_key(
    part: str, all_lines: tuple[np.ndarray, np.ndarray]
) -> None:
    def key(found: Components) -> str:
        return key_of(corrected(all_lines[0][:50], found), GRID, EXACT, on=None)

    changed = getattr(components(), part).copy()
    changed.flat[3] *= 1.25
    assert key(components()) == key(components())
    assert key(replace(components(), **{part: changed})) != key(components())


def test_sample_with_interference_of_neighbours_is_not_mirrored() -> None:
    """A sampled sensitivity converges to the exact one, although no mirror image is valid."""
    data = corrected(RING.lors(np.arange(20_000)), components())
    settings = SensitivitySettings(method="sampled", error_percent=0.05)
    exact = compute_sensitivity(data, GRID, EXACT, on=ON).image
    sampled = compute_sensitivity(data, GRID, settings, on=ON).image
    np.testing.assert_allclose(sampled.sum(axis=0), exact.sum(axis=0), rtol=0.01)


def test_tables_on_a_gpu_have_the_same_bits(
    device: Backend, all_lines: tuple[np.ndarray, np.ndarray]
) -> None:
    found = components()
    table = TableFactor(found.geometry, found.interference)
    on_host = table.of_lines(all_lines[0], RING, on=ON)
    lines = device.to_device(all_lines[0])
    on_device = table.on_device(device).of_lines(lines, RING, on=device)
    assert type(on_device) is type(lines)
    np.testing.assert_array_equal(device.to_host(on_device), on_host)


def test_geometry_table_replaces_the_closed_form(
    all_lines: tuple[np.ndarray, np.ndarray],
) -> None:
    crystals = all_lines[0][:50]
    multiplied = corrected(crystals, components())
    assert LineGeometry().obstacle(multiplied) is None
    instead = corrected(crystals, replace(components(), replaces_geometry=True))
    assert "its table is used" in (LineGeometry().obstacle(instead) or "")


def test_ledger_names_the_applied_components(all_lines: tuple[np.ndarray, np.ndarray]) -> None:
    data = EFFICIENCIES.attached(ListMode(RING, all_lines[0]), components())
    text = Normalisation().summary(data, Normalisation().apply(data, on=ON))
    for part in ("184 crystals", "geometry of 3 × 19", "on top of the closed form", "6 places"):
        assert part in text
