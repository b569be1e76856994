from dataclasses import replace

import numpy as np
import pytest

from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import PointSpread, uniform_spread
from engine.operators.point_spread import PointSpreadBlur

GRID = ImageGrid((7, 41, 45), (2.0, 2.5, 3.0))
WIDER = PointSpread(
    np.array([0.0, 20.0, 60.0]), np.array([6.0, 8.0, 14.0]), np.array([6.0, 6.0, 7.0]), 5.0
)
"""The radial width grows with the distance from the axis."""


@pytest.fixture(params=["uniform", "by radius"])
def blur(request):
    return PointSpreadBlur(uniform_spread(6.0) if request.param == "uniform" else WIDER, GRID)


def test_adjoint_is_exact(rng, blur):
    x, y = rng.random((2, *GRID.shape))

    assert np.vdot(blur(x), y) == pytest.approx(np.vdot(x, blur.T(y)), rel=1e-6)


def test_blur_preserves_the_total_activity(rng, blur):
    x = rng.random(GRID.shape)

    assert blur(x).sum() == pytest.approx(x.sum(), rel=1e-6)
    np.testing.assert_allclose(blur.T(np.ones(GRID.shape)), 1, rtol=1e-6)


def test_blur_preserves_non_negative_images(rng, blur):
    points = np.zeros(GRID.shape, np.float32)
    points[3, 20, 22] = points[0, 0, 0] = 1

    assert blur(points).min() >= 0
    assert blur(points).dtype == np.float32


def test_point_gets_the_widths_of_its_position():
    source = np.zeros(GRID.shape)
    row, column = 20, 35  # on y = 0, where the radial direction is x
    source[3, row, column] = 1
    blur = PointSpreadBlur(WIDER, GRID)

    image = blur(source)

    x, y = GRID.centres_mm(axis=0), GRID.centres_mm(axis=1)
    radius = abs(x[column])
    plane = image.sum(axis=0)
    expected = [
        np.interp(radius, WIDER.radius_mm, w) for w in (WIDER.radial_mm, WIDER.tangential_mm)
    ]
    for profile, places, centre, width in (
        (plane.sum(axis=0), x, x[column], expected[0]),
        (plane.sum(axis=1), y, y[row], expected[1]),
    ):
        variance = np.average((places - centre) ** 2, weights=profile)
        assert 2.3548 * np.sqrt(variance) == pytest.approx(width, rel=1e-3)


@pytest.mark.parametrize("direction", [0.0, 0.4, 1.1, 2.2])
def test_point_narrower_than_its_voxels_has_its_variances_and_covariance(direction):
    grid = ImageGrid((9, 41, 41), (3.0, 3.0, 4.0))
    narrow = PointSpread(np.zeros(1), np.array([3.2]), np.array([2.4]), 2.5)
    row, column = (round(20 + 12 * f(direction)) for f in (np.sin, np.cos))
    source = np.zeros(grid.shape)
    source[4, row, column] = 1

    image = PointSpreadBlur(narrow, grid)(source)

    y, x = np.meshgrid(grid.centres_mm(axis=1), grid.centres_mm(axis=0), indexing="ij")
    turn, plane = np.arctan2(y[row, column], x[row, column]), image.sum(axis=0)
    dx, dy = x - x[row, column], y - y[row, column]
    radial, across = dx * np.cos(turn) + dy * np.sin(turn), dy * np.cos(turn) - dx * np.sin(turn)
    per_width = 8 * np.log(2)
    assert (plane * radial**2).sum() == pytest.approx(3.2**2 / per_width, rel=1e-3)
    assert (plane * across**2).sum() == pytest.approx(2.4**2 / per_width, rel=1e-3)
    assert (plane * radial * across).sum() == pytest.approx(0, abs=1e-3)
    z = grid.centres_mm(axis=2)
    assert (image.sum(axis=(1, 2)) * z**2).sum() == pytest.approx(2.5**2 / per_width, rel=1e-3)


def test_both_methods_agree_for_a_uniform_blur(rng):
    image = np.zeros(GRID.shape)
    image[2:5, 12:28, 14:30] = rng.random((3, 16, 16))
    nearly = replace(WIDER, radial_mm=np.array([6.0, 6.0, 6.0 + 1e-9]), axial_mm=6.0)
    nearly = replace(nearly, tangential_mm=np.full(3, 6.0))

    by_radius = PointSpreadBlur(nearly, GRID)(image)

    np.testing.assert_allclose(
        by_radius, PointSpreadBlur(uniform_spread(6.0), GRID)(image), atol=2e-3
    )
