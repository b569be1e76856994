"""Lines, pairs, samples, mirrors and event order are the same on a GPU, bit by bit."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from engine.core.backend import Backend
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.order import ray_order
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sampling import lattice
from engine.geometry.scanner import Scanner, pair_product
from engine.geometry.symmetry import symmetrise
from tests.engine.geometry.panels import panels

RING = RingScanner(
    RingSettings(
        name="Ring",
        n_rings=5,
        n_crystals_per_ring=36,
        radius_mm=60,
        ring_pitch_mm=4,
        max_ring_difference=3,
        n_tangential=19,
        gap_places=(0, 7),
        fov_mm=(60, 20),
    )
)
MAP = CrystalMap(
    "Map",
    np.stack([np.arange(180) // 36, np.arange(180) % 36, np.zeros(180)], -1).astype(np.int32),
    RING.positions_mm,
    fov_radius_mm=40,
    voxel_mm=(2.0, 2.0, 2.0),
    fov_mm=(60.0, 20.0),
)
PANELS = panels(n_rows=9, n_columns=5, n_layers=2)
SCANNERS = pytest.mark.parametrize("scanner", [RING, MAP, PANELS], ids=["ring", "map", "panels"])


def same(device: Backend, found: object, expected: np.ndarray) -> None:
    """Assert that a result is on the device and equal, including its type."""
    assert type(found) is not np.ndarray
    host = device.to_host(found)
    assert host.dtype == expected.dtype
    np.testing.assert_array_equal(host, expected)


@SCANNERS
def test_lines_and_pairs_are_the_same_on_a_gpu(scanner: Scanner, device: Backend) -> None:
    numbers = np.arange(0, scanner.n_lors, 3)
    pairs = np.array(list(product(range(0, 180, 2), range(1, 180, 3))), np.int32)

    same(device, scanner.lors(device.to_device(numbers)), scanner.lors(numbers))
    found = scanner.in_coincidence(device.to_device(pairs))
    same(device, found, scanner.in_coincidence(pairs))


def test_line_numbers_are_the_same_on_a_gpu(device: Backend) -> None:
    pairs = PANELS.lors(np.arange(0, PANELS.n_lors, 7))

    same(device, PANELS.numbers(device.to_device(pairs)), PANELS.numbers(pairs))


def test_pair_products_are_the_same_on_a_gpu(device: Backend, rng: np.random.Generator) -> None:
    values = rng.random(180).astype(np.float32)
    pairs = RING.lors(np.arange(500))

    found = pair_product(device.to_device(values), device.to_device(pairs))

    same(device, found, pair_product(values, pairs))


@pytest.mark.parametrize("n", [300, 100_003])
def test_samples_are_the_same_on_a_gpu(n: int, device: Backend) -> None:
    found = lattice(n, 1000, shift=0.3, xp=device.xp)

    same(device, found, lattice(n, 1000, shift=0.3))


@SCANNERS
def test_event_order_is_the_same_on_a_gpu(
    scanner: Scanner, device: Backend, rng: np.random.Generator
) -> None:
    ends = scanner.lors(rng.integers(0, scanner.n_lors, 5000))

    found = ray_order(scanner.positions_mm, device.to_device(ends))

    same(device, found, ray_order(scanner.positions_mm, ends))


def test_mirror_means_are_the_same_on_a_gpu(device: Backend, rng: np.random.Generator) -> None:
    image = rng.random((3, 8, 8), np.float32)
    both = (1, -1)
    mirrors = tuple((swap, signs) for swap in (False, True) for signs in product(both, both, both))

    found = symmetrise(device.to_device(image), mirrors)

    same(device, found, symmetrise(image, mirrors))
