"""Crystal maps: every pair once; the field of view defines the pairs in coincidence."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from engine.core.errors import GeometryError
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.ring import RingScanner, RingSettings


def crystal_map(n: int = 12, n_rings: int = 2, *, fov_radius_mm: float = 30) -> CrystalMap:
    crystal = np.arange(n * n_rings)
    angle = 2 * np.pi * (crystal % n) / n
    keys = np.stack([crystal // n, crystal % n, 0 * crystal], -1).astype(np.int32)
    points = np.stack([50 * np.cos(angle), 50 * np.sin(angle), 4.0 * (crystal // n)], -1)
    return CrystalMap(
        "Map",
        keys,
        points,
        fov_radius_mm=fov_radius_mm,
        voxel_mm=(2.0, 2.0, 2.0),
        fov_mm=(60.0, 8.0),
    )


@pytest.mark.parametrize("n", [2, 3, 12, 25])
def test_numbers_name_each_pair_once_in_order(n: int) -> None:
    scanner = crystal_map(n=n, n_rings=1)
    lors = scanner.lors(np.arange(scanner.n_lors))
    assert lors.tolist() == [list(pair) for pair in combinations(range(n), 2)]


def test_last_number_of_a_large_map_is_the_last_pair() -> None:
    scanner = crystal_map(n=500, n_rings=60)
    last = scanner.lors(np.array([0, scanner.n_lors - 1]))
    assert last.tolist() == [[0, 1], [29_998, 29_999]]


def test_pairs_in_coincidence_pass_the_field_of_view() -> None:
    """On a circle of 50 mm, a chord over k of 12 steps passes the axis at 50 cos(π k / 12) mm."""
    scanner = crystal_map(n_rings=1, fov_radius_mm=30)
    pairs = np.array([(0, k) for k in range(1, 12)])
    away = np.abs(50 * np.cos(np.pi * np.arange(1, 12) / 12))
    np.testing.assert_array_equal(scanner.in_coincidence(pairs), away <= 30)
    np.testing.assert_array_equal(scanner.in_coincidence(pairs[:, ::-1]), away <= 30)


def test_crystals_along_the_axis_do_not_coincide() -> None:
    scanner = crystal_map()
    assert not scanner.in_coincidence(np.array([[0, 12], [3, 3]])).any()


def test_map_of_a_ring_agrees_with_the_ring() -> None:
    """±45 of 90 tangential bins: lines leave a crystal at angles up to 45°."""
    settings = RingSettings(
        name="Ring",
        n_rings=2,
        n_crystals_per_ring=20,
        radius_mm=60,
        ring_pitch_mm=4,
        max_ring_difference=1,
        n_tangential=11,
        fov_mm=(60, 8),
    )
    ring = RingScanner(settings)
    crystal = np.arange(40)
    keys = np.stack([crystal // 20, crystal % 20, 0 * crystal], -1).astype(np.int32)
    table = CrystalMap(
        "Map",
        keys,
        ring.positions_mm,
        fov_radius_mm=60 * np.sin(5.5 * np.pi / 20),  # between bins 5 and 6
        voxel_mm=(1.0, 1.0, 1.0),
        fov_mm=(60.0, 8.0),
    )
    pairs = np.array(list(combinations(range(40), 2)))
    np.testing.assert_array_equal(table.in_coincidence(pairs), ring.in_coincidence(pairs))


def test_keys_find_their_crystal() -> None:
    scanner = crystal_map()
    np.testing.assert_array_equal(scanner.index_of(scanner.keys), np.arange(24))
    assert scanner.index_of(np.array([[0, 12, 0], [2, 0, 0], [0, 0, 1]])).tolist() == [-1] * 3


def test_unordered_keys_find_their_crystal(rng: np.random.Generator) -> None:
    ordered = crystal_map()
    order = rng.permutation(24)
    shuffled = CrystalMap(
        "Map",
        ordered.keys[order],
        ordered.positions_mm[order],
        fov_radius_mm=30,
        voxel_mm=(1.0, 1.0, 1.0),
        fov_mm=(60.0, 8.0),
    )
    found = shuffled.positions_mm[shuffled.index_of(ordered.keys)]
    np.testing.assert_array_equal(found, ordered.positions_mm)


def test_bore_and_length_follow_from_the_crystals() -> None:
    scanner = crystal_map()
    assert scanner.bore_radius_mm == pytest.approx(50)
    assert scanner.axial_range_mm == (0, 4)


def test_fingerprint_depends_on_the_positions() -> None:
    a, b = crystal_map(), crystal_map()
    assert a.fingerprint() == b.fingerprint()
    assert crystal_map(fov_radius_mm=31).fingerprint() != a.fingerprint()
    assert crystal_map(n=13).fingerprint() != a.fingerprint()


def test_map_needs_two_crystals_with_separate_positions() -> None:
    for n_keys, n_points in ((1, 1), (3, 2)):
        with pytest.raises(GeometryError, match="at least 2 crystals"):
            CrystalMap(
                "Map",
                np.zeros((n_keys, 3), np.int32),
                np.zeros((n_points, 3)),
                fov_radius_mm=1,
                voxel_mm=(1.0, 1.0, 1.0),
                fov_mm=(1.0, 1.0),
            )
