"""Tests of the maximum intensity projection around z."""

import numpy as np
import pytest

from app.views.slices import projection
from app.views.slices.projection import Projector, cursor_uv, edges
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid


def middle(image, n_columns):
    """Return the columns of a padded projection that the grid fills."""
    margin = (image.shape[1] - n_columns) // 2
    return image[:, margin : margin + n_columns]


@pytest.fixture
def noise(rng):
    grid = ImageGrid((12, 14, 16), (2.0, 2.0, 3.0), (5.0, -8.0, 40.0))
    return Volume(rng.random(grid.shape, np.float32), grid, "counts/mm")


@pytest.mark.parametrize(
    ("degrees", "axis", "mirrored"), [(0, 1, False), (90, 2, False), (180, 1, True), (270, 2, True)]
)
def test_projection_at_right_angles_is_the_exact_maximum(noise, degrees, axis, mirrored):
    image, _ = Projector(noise).project(degrees, "radiological")
    truth = noise.values.max(axis=axis)[::-1]
    truth = truth[:, ::-1] if mirrored else truth
    assert np.array_equal(middle(image, truth.shape[1]), truth)


def test_columns_outside_the_grid_are_air(noise):
    image, rect = Projector(noise).project(0, "radiological")
    assert rect.width == pytest.approx(image.shape[1] * 2.0)
    assert image[:, 0].max() == 0


def test_neurological_convention_mirrors_the_projection(noise):
    one, _ = Projector(noise).project(33, "radiological")
    other, _ = Projector(noise).project(33, "neurological")
    assert np.array_equal(one, other[:, ::-1])


@pytest.mark.parametrize("convention", ["radiological", "neurological"])
@pytest.mark.parametrize("degrees", [0, 30, 90, 135, 180, 271, 359])
def test_hot_spot_appears_at_its_position(degrees, convention):
    grid = ImageGrid((30, 60, 50), (2.0, 2.0, 2.0), (10.0, -20.0, 30.0))
    values = np.zeros(grid.shape, np.float32)
    values[20:22, 40:42, 10:12] = 1
    place = tuple(float(grid.lower_mm[axis] + 2.0 * i) for axis, i in enumerate((11, 41, 21)))
    volume = Volume(values, grid, "counts/mm")
    image, rect = Projector(volume).project(degrees, convention)
    rows, columns = np.nonzero(image > 0.5)
    u = rect.u + (columns.mean() + 0.5) / image.shape[1] * rect.width
    v = rect.v + (rows.mean() + 0.5) / image.shape[0] * rect.height
    # 2 mm is one voxel: the spot has two voxels, the sampling one
    assert (u, v) == pytest.approx(cursor_uv(volume, place, degrees, convention), abs=1.5)


@pytest.mark.parametrize("degrees", [7, 45, 82])
def test_turned_projection_keeps_every_peak(noise, degrees):
    image, _ = Projector(noise).project(degrees, "radiological")
    assert np.array_equal(image.max(axis=1), noise.values.max(axis=(1, 2))[::-1])


def test_projection_of_a_round_object_does_not_change_with_the_angle():
    grid = ImageGrid((4, 64, 64), (2.0, 2.0, 2.0))
    x, y = np.meshgrid(grid.centres_mm(0), grid.centres_mm(1))
    values = np.repeat(np.exp(-(x**2 + y**2) / 800)[None], 4, axis=0).astype("f4")
    projector = Projector(Volume(values, grid, "counts/mm"))
    one, _ = projector.project(20, "radiological")
    other, _ = projector.project(67, "radiological")
    # The slope is at most 0.03 per voxel, and each position is within a voxel
    assert np.allclose(one, other, atol=0.06)


def test_large_volume_is_pooled_without_losing_a_hot_spot(monkeypatch):
    monkeypatch.setattr(projection, "MAX_VOXELS", 20_000)
    grid = ImageGrid((31, 41, 43), (2.0, 2.0, 2.0))
    values = np.zeros(grid.shape, np.float32)
    values[30, 20, 21] = 5
    image, rect = Projector(Volume(values, grid, "counts/mm")).project(45, "radiological")
    assert image.size < 5000
    assert image.max() == 5
    row = int(np.argmax(image.max(axis=1)))
    assert row == 0
    assert rect.v + rect.height == pytest.approx(-grid.lower_mm[2])


def test_nan_counts_as_zero(noise):
    noise.values[3, 4, 5] = np.nan
    for degrees in (0, 45):
        image, _ = Projector(noise).project(degrees, "radiological")
        assert np.isfinite(image).all()


def test_air_around_hounsfield_units_is_their_lowest_value():
    grid = ImageGrid((4, 8, 8), (2.0, 2.0, 2.0))
    volume = Volume(np.full(grid.shape, -1000, np.float32), grid, "HU")
    for degrees in (0, 45):
        assert Projector(volume).project(degrees, "radiological")[0].max() == -1000


@pytest.mark.parametrize(
    ("degrees", "convention", "left", "right"),
    [
        (0, "radiological", "R", "L"),
        (90, "radiological", "A", "P"),
        (180, "radiological", "L", "R"),
        (270, "radiological", "P", "A"),
        (30, "radiological", "RA", "LP"),
        (60, "radiological", "AR", "PL"),
        (10, "radiological", "R", "L"),
        (0, "neurological", "L", "R"),
    ],
)
def test_letters_follow_the_angle(degrees, convention, left, right):
    found = edges(degrees, convention)
    assert (found.left, found.right, found.top, found.bottom) == (left, right, "H", "F")
