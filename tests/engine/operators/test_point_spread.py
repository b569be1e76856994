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
"""Longer radially the farther out."""


@pytest.fixture(params=["uniform", "by radius"])
def blur(request):
    return PointSpreadBlur(uniform_spread(6.0) if request.param == "uniform" else WIDER, GRID)


def test_adjoint_is_exact(rng, blur):
    x, y = rng.random((2, *GRID.shape))

    assert np.vdot(blur(x), y) == pytest.approx(np.vdot(x, blur.T(y)), rel=1e-6)


def test_no_activity_is_lost(rng, blur):
    x = rng.random(GRID.shape)

    assert blur(x).sum() == pytest.approx(x.sum(), rel=1e-6)
    np.testing.assert_allclose(blur.T(np.ones(GRID.shape)), 1, rtol=1e-6)


def test_images_of_counts_stay_so(rng, blur):
    points = np.zeros(GRID.shape, np.float32)
    points[3, 20, 22] = points[0, 0, 0] = 1

    assert blur(points).min() >= 0
    assert blur(points).dtype == np.float32


def test_a_point_gets_the_widths_of_its_place():
    source = np.zeros(GRID.shape)
    row, column = 20, 35  # on y = 0, where radial is along x
    source[3, row, column] = 1
    blur = PointSpreadBlur(WIDER, GRID)

    image = blur(source)

    x, y = GRID.centres_mm(axis=0), GRID.centres_mm(axis=1)
    radius = abs(x[column])
    plane = image.sum(axis=0)
    wanted = [np.interp(radius, WIDER.radius_mm, w) for w in (WIDER.radial_mm, WIDER.tangential_mm)]
    for profile, places, centre, width in (
        (plane.sum(axis=0), x, x[column], wanted[0]),
        (plane.sum(axis=1), y, y[row], wanted[1]),
    ):
        variance = np.average((places - centre) ** 2, weights=profile)
        # cut off at 3.5 sigma, which takes 1 % of the variance
        assert 2.3548 * np.sqrt(variance) == pytest.approx(width, rel=0.02)


def test_alike_everywhere_both_ways_of_blurring_agree(rng):
    image = np.zeros(GRID.shape)
    image[2:5, 12:28, 14:30] = rng.random((3, 16, 16))
    nearly = replace(WIDER, radial_mm=np.array([6.0, 6.0, 6.0 + 1e-9]), axial_mm=6.0)
    nearly = replace(nearly, tangential_mm=np.full(3, 6.0))

    by_radius = PointSpreadBlur(nearly, GRID)(image)

    np.testing.assert_allclose(
        by_radius, PointSpreadBlur(uniform_spread(6.0), GRID)(image), atol=2e-3
    )
