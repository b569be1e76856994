"""Two panels: positions of crystals, numbers of pairs, and the image grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.errors import SettingsError
from engine.geometry.dual_head import DualHead
from engine.geometry.orientations import Orientations
from engine.io import read_scanner
from tests.engine.geometry.panels import panels
from tests.tolerances import FLOAT64


def all_lors(**changes: object) -> np.ndarray:
    scanner = panels(**changes)
    return scanner.lors(np.arange(scanner.n_lors))


@pytest.mark.parametrize("n_layers", [1, 2])
def test_numbers_name_every_pair_of_opposite_crystals_once(n_layers: int) -> None:
    scanner = panels(n_layers=n_layers)
    half = scanner.n_crystals // 2
    lors = all_lors(n_layers=n_layers)
    assert (lors[:, 0] < half).all()
    assert (lors[:, 1] >= half).all()
    assert len(np.unique(lors, axis=0)) == scanner.n_lors == half**2
    assert scanner.in_coincidence(lors).all()


@pytest.mark.parametrize("n_layers", [1, 2])
def test_crystals_in_either_order_give_the_number(n_layers: int) -> None:
    scanner = panels(n_layers=n_layers)
    lors, numbers = all_lors(n_layers=n_layers), np.arange(scanner.n_lors)
    np.testing.assert_array_equal(scanner.numbers(lors), numbers)
    np.testing.assert_array_equal(scanner.numbers(lors[:, ::-1]), numbers)


def test_crystals_of_one_panel_are_never_in_coincidence() -> None:
    scanner = panels()
    assert not scanner.in_coincidence(np.array([[0, 14], [15, 29], [3, 3]])).any()
    assert scanner.in_coincidence(np.array([[0, 15], [15, 0]])).all()


def test_orientation_is_one_block_of_shifts() -> None:
    scanner = panels()
    points = scanner.positions_mm[all_lors()]
    pitch = scanner.settings.pitch_mm
    for a, b in scanner.orientations.offsets:
        block, shape = scanner.orientations.block(a, b)
        lines = points[block].reshape(*shape, 2, 3)
        step = lines[..., 1, :] - lines[..., 0, :]
        np.testing.assert_allclose(step[..., 2], a * pitch)
        np.testing.assert_allclose(step[..., 0], b * pitch)
        lowest = lines.min(axis=2)  # (r, c) counts from the corner of the panel
        np.testing.assert_allclose(lowest[..., 2] / pitch + 2, np.indices(shape)[0])
        np.testing.assert_allclose(lowest[..., 0] / pitch + 1, np.indices(shape)[1])


def test_counts_equal_those_of_the_paper() -> None:
    scanner = read_scanner("dhapet")
    assert scanner.n_lors == scanner.orientations.n_shifts.sum() == 7488**2 == 56_070_144
    both = panels(n_rows=104, n_columns=72, n_layers=2)
    assert both.n_lors == 224_280_576


FIELDS = [
    "n_rows",
    "n_columns",
    "n_layers",
    "pitch_mm",
    "crystal_mm",
    "thickness_mm",
    "separation_mm",
    "attenuation_per_mm",
    "block_crystals",
    "voxels_per_pitch",
    "n_planes",
    "plane_mm",
]
CRYSTALS = 2.4, 2.1, 20, 60, 0.087


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dhapet", (104, 72, 1, *CRYSTALS, 8, 4, 119, 0.5)),
        ("demo-panels", (24, 16, 1, *CRYSTALS, 8, 4, 119, 0.5)),
        ("test-panels", (6, 4, 1, 2.4, 2.1, 20, 12, 0.087, 2, 4, 11, 1)),
        ("adac", (88, 66, 1, 6, 6, 16, 697.4, 0.034, 1, 1, 77, 9)),
    ],
)
def test_shipped_scanners_have_their_published_parameters(
    name: str, expected: tuple[float, ...]
) -> None:
    scanner = read_scanner(name)
    assert isinstance(scanner, DualHead)
    assert tuple(getattr(scanner.settings, field) for field in FIELDS) == expected


def test_panel_0_is_below_and_panel_1_above() -> None:
    y = panels(n_layers=2).positions_mm.reshape(2, 2, -1, 3)[..., 1]
    front = panels().settings.separation_mm / 2
    assert (y[0] < -front).all()
    assert (y[1] > front).all()
    assert (np.abs(y[:, 1]) > np.abs(y[:, 0])).all()  # the second layer is behind the first


def test_large_numbers_of_the_full_system_are_restored(rng: np.random.Generator) -> None:
    pairs = Orientations(104, 72)
    numbers = rng.integers(0, pairs.n_pairs, 50_000)
    np.testing.assert_array_equal(pairs.numbers(*pairs.places(numbers)), numbers)


def test_crystals_are_on_two_planes_around_the_origin() -> None:
    points = panels().positions_mm.reshape(2, 5, 3, 3)
    np.testing.assert_allclose(points.mean(axis=(0, 1, 2)), 0, atol=FLOAT64)
    np.testing.assert_allclose(points[0, 0, 0, [0, 2]], (-2, -4))
    np.testing.assert_allclose(points[0, 4, 2, [0, 2]], (2, 4))
    np.testing.assert_allclose(points[0, ..., 1], -points[1, ..., 1])


def test_depth_is_the_mean_of_an_exponential() -> None:
    scanner = panels(n_layers=2, attenuation_per_mm=0.3)
    s = np.linspace(0, 3, 100_001)
    mean = np.trapezoid(s * np.exp(-0.3 * s), s) / np.trapezoid(np.exp(-0.3 * s), s)
    # The trapezoid rule with a step of 3e-5 has an error of 1e-10.
    assert scanner.depth_mm(0) == pytest.approx(mean, rel=1e-8)
    # The trapezoid rule, as above.
    assert scanner.depth_mm(1) == pytest.approx(3 + mean, rel=1e-8)


def test_image_is_as_wide_as_the_panels() -> None:
    grid = panels().grid
    assert grid.shape == (20, 7, 12)
    assert grid.voxel_mm == (0.5, 1.0, 0.5)
    np.testing.assert_allclose(grid.size_mm, (6, 7, 10))
    assert grid.centre_mm == (0, 0, 0)


def test_panels_are_divided_into_blocks() -> None:
    groups = panels(block_crystals=2).groups.reshape(2, 5, 3)
    assert len(np.unique(groups)) == 2 * 3 * 2
    assert groups[0, 0, 0] == groups[0, 1, 1] != groups[0, 1, 2]
    assert not set(groups[0].ravel()) & set(groups[1].ravel())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"crystal_mm": 2.1}, "crystal_mm is 2.1, expected at most pitch_mm \\(2\\)"),
        ({"n_planes": 9}, "expected at most separation_mm \\(8\\)"),
        ({"n_rows": 0}, "at least 1"),
    ],
)
def test_impossible_panels_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        panels(**changes)


def test_image_grid_is_not_part_of_the_fingerprint() -> None:
    assert panels().fingerprint() == panels(n_planes=5).fingerprint()
    assert panels().fingerprint() != panels(thickness_mm=5.0).fingerprint()
