"""Every symmetry of two panels, compared with its effect on points in space."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import (
    TURNS,
    Turn,
    across,
    box_of,
    folded,
    images,
    keeping,
    n_stored_planes,
    seed_of,
    seeds,
    stored_index,
    stored_orientations,
)
from engine.geometry.orientations import Orientations
from tests.engine.geometry.panels import panels
from tests.tolerances import FLOAT64_SUMS

SQUARE = panels(n_rows=4, n_columns=4)


def moved(points_mm: np.ndarray, turn: Turn) -> np.ndarray:
    """Return points (x, y, z) after a turn about the centre: swap x and z, then change signs."""
    x, y, z = points_mm[..., 0], points_mm[..., 1], points_mm[..., 2]
    x, z = (z, x) if turn.swap else (x, z)
    return np.stack([-x if turn.mirror_columns else x, y, -z if turn.mirror_rows else z], -1)


def line_of(points_mm: np.ndarray, scanner: DualHead) -> tuple[int, int, int, int]:
    """Return orientation and shift (a, b, r, c) of two points (panel 0, panel 1)."""
    s = scanner.settings
    half = np.array([s.n_columns - 1, s.n_rows - 1]) / 2
    column, row = np.rint(points_mm[:, [0, 2]] / s.pitch_mm + half).astype(int).T
    return row[1] - row[0], column[1] - column[0], min(row), min(column)


def box_corner(r: int, c: int, n: int) -> np.ndarray:
    return np.array([r, c]) * n


@pytest.mark.parametrize("turn", TURNS, ids=str)
def test_turn_applies_to_box_and_line(turn: Turn) -> None:
    """A voxel of a box that is turned in space is the voxel that `Turn.voxels` states."""
    scanner, grid = SQUARE, SQUARE.grid
    points = scanner.positions_mm[scanner.lors(np.arange(scanner.n_lors))]
    for line in points[::7]:
        a, b, r, c = line_of(line, scanner)
        j, k = np.indices(box_of(a, b, 4)).reshape(2, -1)
        voxel = box_corner(r, c, 4)[:, None] + (j, k)
        centres = np.stack(
            [grid.centres_mm(0)[voxel[1]], 0 * j, grid.centres_mm(2)[voxel[0]]], axis=-1
        )
        a2, b2, r2, c2 = line_of(moved(line, turn), scanner)
        assert turn.orientation(a, b) == (a2, b2)
        j2, k2 = turn.voxels(j, k, box_of(a, b, 4))
        turned = box_corner(r2, c2, 4)[:, None] + (j2, k2)
        found = np.stack([grid.centres_mm(0)[turned[1]], grid.centres_mm(2)[turned[0]]], -1)
        np.testing.assert_allclose(found, moved(centres, turn)[:, [0, 2]], atol=FLOAT64_SUMS)


def test_swap_of_the_panels_with_both_mirrors_is_a_point_reflection() -> None:
    scanner, grid = panels(), panels().grid
    points = scanner.positions_mm[scanner.lors(np.arange(scanner.n_lors))]
    for line in points[::11]:
        a, b, r, c = line_of(line, scanner)
        assert line_of(-line[::-1], scanner)[:2] == (a, b)
        p, j, k = np.indices((7, *box_of(a, b, 4))).reshape(3, -1)
        _, _, r2, c2 = line_of(-line[::-1], scanner)
        p2, j2, k2 = across(p, j, k, box_of(a, b, 4), 7)
        np.testing.assert_allclose(
            grid.centres_mm(1)[p2], -grid.centres_mm(1)[p], atol=FLOAT64_SUMS
        )
        np.testing.assert_allclose(
            grid.centres_mm(2)[4 * r2 + j2], -grid.centres_mm(2)[4 * r + j], atol=FLOAT64_SUMS
        )
        np.testing.assert_allclose(
            grid.centres_mm(0)[4 * c2 + k2], -grid.centres_mm(0)[4 * c + k], atol=FLOAT64_SUMS
        )


def test_counts_equal_those_of_the_paper() -> None:
    assert len(stored_orientations(104, 72)) == 4932
    assert n_stored_planes(119) == 60
    assert seeds(4) == ((0, 0), (0, 1), (1, 1))


@pytest.mark.parametrize("size", [(6, 4), (4, 6), (5, 5), (3, 1)])
def test_every_orientation_is_an_image_of_exactly_one_stored_one(size: tuple[int, int]) -> None:
    stored = stored_orientations(*size)
    found = [image for a, b in stored for image in images(int(a), int(b), *size)]
    assert len(found) == len(set(found)) == len(Orientations(*size).offsets)
    for i, (a, b) in enumerate(stored):
        assert stored_index(int(a), int(b), *size) == i
        for image in images(int(a), int(b), *size):
            representative, turn = folded(*image)
            assert representative == (a, b)
            assert turn.orientation(*representative) == image


def test_stored_orientations_represent_all_lines() -> None:
    pairs = Orientations(104, 72)
    total = 0
    for a, b in stored_orientations(104, 72):
        for image in images(int(a), int(b), 104, 72):
            total += int(pairs.n_shifts[pairs.index(*image)])
    assert total == 56_070_144


@pytest.mark.parametrize(("orientation", "n"), [((0, 0), 8), ((2, 2), 2), ((2, 0), 2), ((3, 1), 1)])
def test_turns_that_preserve_an_orientation_are_known(orientation: tuple[int, int], n: int) -> None:
    assert len(keeping(*orientation)) == n


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_turns_never_change_the_seed(n: int) -> None:
    j, k = np.indices((3 * n, 2 * n)).reshape(2, -1)
    found = np.stack(seed_of(j, k, n), -1)
    assert {tuple(int(v) for v in seed) for seed in found} == set(seeds(n))
    for turn in TURNS:
        turned = np.stack(seed_of(*turn.voxels(j, k, (3 * n, 2 * n)), n), -1)
        np.testing.assert_array_equal(turned, found)
