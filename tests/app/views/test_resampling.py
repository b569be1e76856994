"""Tests of slices of one volume in the planes of another, with closed forms."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from app.views.fusion.resampling import index_at, resampled, slice_through
from app.views.fusion.trilinear import plane_values
from app.views.planes.placing import VolumePlacing
from engine.data.volume import Volume
from engine.geometry import PLANES, orientation
from engine.geometry.grid import ImageGrid
from engine.geometry.rigid_motion import RigidMotion

GRID = ImageGrid((14, 18, 16), (3.0, 2.0, 2.5), (4.0, -6.0, 3.0))
FINE = ImageGrid((30, 26, 34), (1.3, 1.6, 1.1), (2.0, -3.0, 5.0))
SLOPES = np.array([0.7, -1.3, 0.4])
POINT = (6.0, -8.5, 4.0)
MOTION = RigidMotion((4.0, -3.0, 2.5), (12.0, -25.0, 40.0))
SIGNED = [
    (order, signs) for order in permutations(range(3)) for signs in product((1.0, -1.0), repeat=3)
]
"""The 48 orientations with parallel axes."""


def sloping(grid: ImageGrid) -> Volume:
    """Return values that are linear in position, which linear interpolation reproduces exactly."""
    z, y, x = (grid.centres_mm(axis) for axis in (2, 1, 0))
    values = SLOPES[2] * z[:, None, None] + SLOPES[1] * y[:, None] + SLOPES[0] * x
    return Volume(values.astype(np.float32), grid, "HU")


def placings() -> list[VolumePlacing]:
    found = []
    for order, signs in SIGNED:
        matrix = np.zeros((3, 3))
        matrix[range(3), order] = signs
        rows = tuple(tuple(float(v) for v in row) for row in matrix)
        found.append(VolumePlacing(rows, (1.7, -2.2, 0.6)))
    return [*found, VolumePlacing.of(sloping(FINE), sloping(GRID), MOTION)]


@pytest.mark.parametrize("plane", PLANES)
def test_linear_values_are_exact_in_every_orientation(plane):
    volume, view = sloping(FINE), orientation(plane)
    for placing in placings():
        rect = view.rect(GRID)
        found = resampled(volume, placing, view, POINT, rect, (11, 9))
        rows, columns = np.nonzero(np.isfinite(found))
        assert len(rows) > 15
        u = rect.u + (columns + 0.5) * rect.width / 9
        v = rect.v + (rows + 0.5) * rect.height / 11
        points = np.array(
            [view.to_patient(*uv, POINT[view.normal]) for uv in zip(u, v, strict=True)]
        )
        there = placing.to_volume(points)
        half = np.array(FINE.voxel_mm) / 2
        inner = ((there > FINE.lower_mm + half) & (there < FINE.upper_mm - half)).all(axis=1)
        np.testing.assert_allclose(found[rows, columns][inner], (there @ SLOPES)[inner], atol=2e-4)


def with_point(grid: ImageGrid, at_mm: np.ndarray) -> Volume:
    """Return a small Gaussian around a point."""
    z, y, x = (grid.centres_mm(axis) - at_mm[axis] for axis in (2, 1, 0))
    squares = z[:, None, None] ** 2 + y[:, None] ** 2 + x**2
    return Volume(np.exp(-squares / (2 * 1.6**2)).astype(np.float32), grid, "HU")


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("convention", ["radiological", "neurological"])
def test_point_is_shown_at_its_position_in_every_orientation(plane, convention):
    view = orientation(plane, convention)
    for placing in placings():
        volume = with_point(FINE, placing.to_volume(np.array(POINT)))
        found = slice_through(volume, placing, view, POINT)
        assert found is not None
        values, rect = np.nan_to_num(found[0]), found[1]
        rows, columns = values.shape
        u = rect.u + (np.arange(columns) + 0.5) * rect.width / columns
        v = rect.v + (np.arange(rows) + 0.5) * rect.height / rows
        centre = (values.sum(axis=0) @ u, values.sum(axis=1) @ v) / values.sum()
        off = np.abs(np.array(centre) - view.to_screen(POINT))
        assert (off < min(FINE.voxel_mm) / 2).all(), (placing, off)
        at = index_at(volume, placing, POINT)
        assert at is not None and volume.values[at] == pytest.approx(1, abs=0.25)


def test_plane_outside_the_volume_shows_nothing():
    volume, view = sloping(FINE), orientation("axial")
    far = (0.0, 0.0, 500.0)
    for placing in (placings()[0], placings()[-1]):
        assert slice_through(volume, placing, view, far) is None
        assert np.isnan(resampled(volume, placing, view, far, view.rect(GRID), (5, 4))).all()
        assert index_at(volume, placing, far) is None


def test_volume_with_z_towards_the_feet_is_flipped():
    z_to_feet = Volume(sloping(FINE).values, FINE, "HU", {"axes": "LPI"})
    z_to_head, unknown = sloping(GRID), Volume(sloping(GRID).values, GRID, "", {"axes": "xyz"})
    at = np.array([POINT])
    assert VolumePlacing.of(z_to_feet, z_to_head).to_volume(at)[0, 2] == -POINT[2]
    assert (VolumePlacing.of(z_to_feet, unknown).to_volume(at) == at).all()
    assert (VolumePlacing.of(z_to_feet, z_to_head, turns=False).to_volume(at) == at).all()


@pytest.mark.parametrize("shape", [(5, 6, 7), (1, 6, 7)])
def test_values_on_a_turned_plane_equal_those_of_scipy(rng, shape):
    values = rng.random(shape, np.float32)
    start, down, across = np.array([0.4, -0.7, 1.2]), np.array([0.1, 0.6, 0.2]), (0.05, 0.1, 0.5)
    found = plane_values(values, start, (down, np.array(across)), (9, 11))
    rows, columns = np.arange(9)[:, None, None], np.arange(11)[None, :, None]
    places = start + rows * down + columns * np.array(across)
    inside = ((places >= 0) & (places <= np.array(shape) - 1)).all(axis=-1)
    expected = map_coordinates(values, np.moveaxis(places, -1, 0), order=1, mode="nearest")
    assert np.isnan(found[~inside]).all()
    np.testing.assert_allclose(found[inside], expected[inside], rtol=1e-5)  # float32 weights
