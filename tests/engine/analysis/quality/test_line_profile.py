"""Tests of profiles along lines: exact samples of linear images, widths of known shapes."""

import numpy as np
import pytest

from engine.analysis.quality.line_profile import profile_along
from engine.core.errors import GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((21, 31, 41), (0.5, 0.8, 1.0), (3.0, -2.0, 1.0))


def volume(values, unit="counts/mm"):
    return Volume(np.ascontiguousarray(values, np.float32), GRID, unit)


def places():
    z, y, x = (GRID.centres_mm(axis) for axis in (2, 1, 0))
    return np.meshgrid(z, y, x, indexing="ij")


def test_linear_image_is_sampled_exactly_along_a_slanted_line():
    z, y, x = places()
    image = volume(2 * x - 3 * y + 5 * z + 1)
    start, end = (-4.0, -9.0, -6.0), (10.0, 8.0, 7.5)
    found = profile_along(image, start, end)
    expected = found.points_mm @ (2, -3, 5) + 1
    np.testing.assert_allclose(found.values, expected, rtol=1e-5, atol=1e-4)
    assert found.length_mm == pytest.approx(np.linalg.norm(np.subtract(end, start)))
    np.testing.assert_allclose(found.points_mm[[0, -1]], [start, end])
    assert np.diff(found.distance_mm).max() <= 0.25 + 1e-12


@pytest.mark.parametrize("base", [0.0, -1000.0, 7.0])
def test_width_of_a_gaussian_is_found_on_any_background(base):
    x = places()[2]
    sigma = 2.5
    image = volume(base + 40 * np.exp(-((x - 3.0) ** 2) / (2 * sigma**2)))
    found = profile_along(image, (-6.5, -2.0, 1.0), (12.5, -2.0, 1.0))
    assert found.fwhm_mm == pytest.approx(2 * np.sqrt(2 * np.log(2)) * sigma, rel=0.02)
    at, peak = found.peak
    assert at == pytest.approx(9.5, abs=0.3)
    assert peak == pytest.approx(base + 40, rel=0.01)


def test_width_is_that_of_the_highest_peak():
    x = places()[2]
    image = volume(np.where(np.abs(x) < 1.1, 2.0, 0.0) + np.where(np.abs(x - 8) < 0.6, 3.0, 0.0))
    found = profile_along(image, (-5.0, -2.0, 1.0), (12.5, -2.0, 1.0))
    low, high = found.half_places_mm
    assert low < 13.0 < high
    assert found.fwhm_mm == pytest.approx(1.5, abs=0.1)  # three voxels of 0.5 mm


def test_line_ending_on_a_slope_has_no_width():
    x = places()[2]
    assert profile_along(volume(x), (-5.0, -2.0, 1.0), (5.0, -2.0, 1.0)).fwhm_mm is None
    flat = profile_along(volume(0 * x + 4), (-5.0, -2.0, 1.0), (5.0, -2.0, 1.0))
    assert flat.fwhm_mm is None


def test_table_contains_every_sample():
    x = places()[2]
    found = profile_along(volume(x, unit=""), (-1.0, -2.0, 1.0), (1.0, -2.0, 1.0))
    head, *rows = found.csv().splitlines()
    assert head == "distance [mm],x [mm],y [mm],z [mm],value [no unit]"
    table = np.array([[float(v) for v in row.split(",")] for row in rows])
    np.testing.assert_allclose(table[:, 0], found.distance_mm, atol=1e-6)
    np.testing.assert_allclose(table[:, 4], found.values, atol=1e-6)


def test_line_without_length_is_refused():
    with pytest.raises(GeometryError, match="draw a longer line"):
        profile_along(volume(places()[2]), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
