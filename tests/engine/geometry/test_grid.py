"""The image grid: indices and millimetres agree."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.grid import ImageGrid

GRID = ImageGrid((4, 6, 10), (2.0, 3.0, 5.0), (1.0, -2.0, 30.0))


def test_box_is_centred_at_the_stated_position() -> None:
    np.testing.assert_allclose(GRID.size_mm, (20, 18, 20))
    np.testing.assert_allclose((GRID.lower_mm + GRID.upper_mm) / 2, (1, -2, 30))
    np.testing.assert_allclose(GRID.upper_mm - GRID.lower_mm, GRID.size_mm)
    assert GRID.n_voxels == 4 * 6 * 10


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_voxel_centres_are_half_a_voxel_inside(axis: int) -> None:
    centres = GRID.centres_mm(axis)
    assert len(centres) == GRID.shape[2 - axis]
    assert centres[0] == pytest.approx(GRID.lower_mm[axis] + GRID.voxel_mm[axis] / 2)
    assert centres[-1] == pytest.approx(GRID.upper_mm[axis] - GRID.voxel_mm[axis] / 2)
    np.testing.assert_allclose(np.diff(centres), GRID.voxel_mm[axis])


def test_every_voxel_contains_its_centre() -> None:
    for index in np.ndindex(GRID.shape):
        z, y, x = (float(GRID.centres_mm(2 - k)[index[k]]) for k in range(3))
        assert GRID.index_of((x, y, z)) == index


def test_voxels_are_half_open() -> None:
    """A face belongs to the voxel above it; the upper face of the box belongs to no voxel."""
    lower = tuple(float(v) for v in GRID.lower_mm)
    assert GRID.index_of(lower) == (0, 0, 0)  # type: ignore[arg-type]
    assert GRID.index_of(tuple(float(v) for v in GRID.upper_mm)) is None  # type: ignore[arg-type]
    assert GRID.index_of((lower[0] + 2.0, lower[1], lower[2])) == (0, 0, 1)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1, 1])
def test_point_outside_has_no_voxel(axis: int, side: int) -> None:
    point = np.array(GRID.centre_mm)
    point[axis] += side * (GRID.size_mm[axis] / 2 + 0.01)
    assert GRID.index_of(tuple(point)) is None


def test_voxel_units_start_at_the_lower_corner() -> None:
    np.testing.assert_allclose(GRID.to_voxels(GRID.lower_mm), 0)
    np.testing.assert_allclose(GRID.to_voxels(GRID.upper_mm), GRID.shape[::-1])
    assert GRID.to_voxels(np.zeros((7, 2, 3))).shape == (7, 2, 3)


def test_description_states_voxels_as_users_do() -> None:
    assert GRID.describe() == "2 × 3 × 5 mm, 10 × 6 × 4"
    assert ImageGrid((2, 3, 4), (1.5, 1.5, 1.5)).describe() == "1.5 mm, 4 × 3 × 2"


def test_grid_is_centred_at_the_origin_by_default():
    grid = ImageGrid((2, 3, 4), (1.0, 2.0, 3.0))
    assert grid.centre_mm == (0.0, 0.0, 0.0)
    assert grid.lower_mm == pytest.approx((-2.0, -3.0, -3.0))
    assert grid.upper_mm == pytest.approx((2.0, 3.0, 3.0))
